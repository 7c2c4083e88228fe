/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file_calls FOLDER: works with files by every system call that fsslower sees, and then prints what a tracer must show, a line each:
 * "OP ERRNO BYTES FS FILE", with - where there is none.  32-bit calls come last, where the kernel has them.  What is no file is used too,
 * and has no line.  All files that it names begin with f_.
 *
 * file_calls slow MS: reads from /proc/kmsg, for which it lets a line come after so many milliseconds.  Prints how many reads took two
 * thirds of that time, by its own clock.  With closed in the place of slow another thread closes the file after half of the time.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "call32.h"
#include "machine.h"

static char expected[16384];
static size_t used;

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static void expect(const char *op, long result, bool has_bytes, const char *fs, const char *file)
{
	char bytes[24] = "-";

	if (result < 0 && result != -1)
		errno = (int)-result;
	if (result >= 0 && has_bytes)
		snprintf(bytes, sizeof(bytes), "%ld", result);
	used += (size_t)snprintf(expected + used, sizeof(expected) - used, "%s %d %s %s %s\n", op, result < 0 ? errno : 0, bytes, fs, file);
}

static void reads(int fd, const char *fs, const char *file)
{
	char a[8], b[5];
	struct iovec vector[] = { { a, sizeof(a) }, { b, sizeof(b) } };

	lseek(fd, 0, SEEK_SET);
	expect("read", read(fd, a, 3), true, fs, file);
	expect("read", syscall(SYS_pread64, fd, a, 7, 0), true, fs, file);
	expect("read", readv(fd, vector, 2), true, fs, file);
	expect("read", syscall(SYS_preadv, fd, vector, 2, 1, 0), true, fs, file);
	expect("read", syscall(SYS_preadv2, fd, vector, 1, 2, 0, 0), true, fs, file);
	expect("read", syscall(SYS_read, fd, 8, 3), true, fs, file);
}

static void writes(int fd, const char *fs, const char *file)
{
	static char zeros[4096];
	struct iovec vector[] = { { zeros, 100 }, { zeros, 11 } };

	expect("write", write(fd, zeros, sizeof(zeros)), true, fs, file);
	expect("write", syscall(SYS_pwrite64, fd, zeros, 17, 0), true, fs, file);
	expect("write", writev(fd, vector, 2), true, fs, file);
	expect("write", syscall(SYS_pwritev, fd, vector, 1, 5, 0), true, fs, file);
	expect("write", syscall(SYS_pwritev2, fd, vector, 2, 6, 0, 0), true, fs, file);
	expect("write", syscall(SYS_pwrite64, fd, zeros, 1, -1L), true, fs, file);
}

/* What an open that may make the file does: a create, or an open of one that is there. */
static const char *open_op(const char *file)
{
	return access(file, F_OK) ? "create" : "open";
}

/* A call that has a file at both ends is a read and a write. */
static void copies(int from, int to, const char *fs)
{
	int pipes[2];
	loff_t begin = 0, end = 100;
	off_t offset = 0;
	long result;

	if (pipe(pipes))
		die("pipe");
	result = sendfile(to, from, &offset, 300);
	expect("read", result, true, fs, "f_from");
	expect("write", result, true, fs, "f_to");
	expect("read", sendfile(pipes[1], from, &offset, 50), true, fs, "f_from");
	expect("read", splice(from, &begin, pipes[1], NULL, 40, 0), true, fs, "f_from");
	expect("write", splice(pipes[0], NULL, to, &end, 90, 0), true, fs, "f_to");
	begin = end = 0;
	result = syscall(SYS_copy_file_range, from, &begin, to, &end, 70, 0);
	expect("read", result, true, fs, "f_from");
	expect("write", result, true, fs, "f_to");
}

/* Of no file: there is nothing to show. */
static void no_files(void)
{
	int zero = open("/dev/zero", O_RDONLY), dir = open(".", O_RDONLY | O_DIRECTORY), pipes[2];
	char byte = 0;

	if (pipe(pipes) || write(pipes[1], &byte, 1) != 1 || read(pipes[0], &byte, 1) != 1 || read(zero, &byte, 1) != 1)
		die("pipe");
	if (read(dir, &byte, 1) != -1 || read(-1, &byte, 1) != -1 || fsync(dir) || open("f_none", O_RDONLY) != -1)
		die("what is no file");
	close(zero);
	close(dir);
}

static void opens(const char *fs)
{
	struct open_how how = { .flags = O_RDONLY };
	const char *op = open_op("f_made");
	int fd;

	fd = (int)syscall(SYS_open, "f_from", O_RDONLY);
	expect("open", fd, false, fs, "f_from");
	fd = (int)syscall(SYS_creat, "f_made", 0600);
	expect(op, fd, false, fs, "f_made");
	/* it is there now: nothing is made */
	fd = (int)syscall(SYS_creat, "f_made", 0600);
	expect("open", fd, false, fs, "f_made");
	fd = openat(AT_FDCWD, "f_from", O_RDONLY);
	expect("open", fd, false, fs, "f_from");
	fd = (int)syscall(SYS_openat2, AT_FDCWD, "f_from", &how, sizeof(how));
	expect("open", fd, false, fs, "f_from");
}

static void syncs(int fd, const char *fs, const char *file)
{
	expect("sync", fsync(fd), false, fs, file);
	expect("sync", fdatasync(fd), false, fs, file);
	expect("sync", sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE), false, fs, file);
}

/* arch/x86/entry/syscalls/syscall_32.tbl: read, write, fsync, pread64, openat */
static void compat_calls(int fd, const char *fs)
{
	long path = low32("f_from", 7);

	expect("write", call32(4, fd, path, 6, 0, 0), true, fs, "f_to");
	expect("sync", call32(118, fd, 0, 0, 0, 0), false, fs, "f_to");
	expect("open", call32(295, AT_FDCWD, path, O_RDONLY, 0, 0), false, fs, "f_from");
	expect("read", call32(180, fd, low32("", 1), 1, 0, 0), true, fs, "f_to");
	expect("read", call32(3, fd, 8, 4, 0, 0), true, fs, "f_to");
}

static int work(const char *folder)
{
	const char *op;
	int from, to;

	if (chdir(folder))
		die(folder);
	op = open_op("f_from");
	from = open("f_from", O_RDWR | O_CREAT | O_TRUNC, 0600);
	expect(op, from, false, "tmpfs", "f_from");
	op = open_op("f_to");
	to = open("f_to", O_RDWR | O_CREAT | O_TRUNC, 0600);
	expect(op, to, false, "tmpfs", "f_to");
	writes(from, "tmpfs", "f_from");
	reads(from, "tmpfs", "f_from");
	copies(from, to, "tmpfs");
	no_files();
	opens("tmpfs");
	syncs(to, "tmpfs", "f_to");
	if (call32__works())
		compat_calls(to, "tmpfs");
	fputs(expected, stdout);
	return 0;
}

static double milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int closed_fd, close_ms;

static void *close_file(void *unused)
{
	(void)unused;
	usleep((useconds_t)close_ms * 1000);
	close(closed_fd);
	return NULL;
}

static void close_after(int ms, int fd)
{
	pthread_t thread;

	closed_fd = fd;
	close_ms = ms;
	if (pthread_create(&thread, NULL, close_file, NULL))
		die("pthread_create");
}

static int read_slowly(int ms, bool is_closed)
{
	int fd = open("/proc/kmsg", O_RDONLY | O_NONBLOCK), to = open("/dev/kmsg", O_WRONLY), slow = 0;
	char text[8192] = "";
	ssize_t size;

	if (fd < 0 || to < 0)
		die("kmsg");
	while (read(fd, text, sizeof(text)) > 0)
		;
	if (fcntl(fd, F_SETFL, 0))
		die("fcntl");
	if (!fork()) {
		usleep((useconds_t)ms * 1000);
		_exit(write(to, "file_calls was here\n", 20) != 20);
	}
	if (is_closed)
		close_after(ms / 2, fd);
	do {
		double begun = milliseconds();

		size = read(fd, text, sizeof(text) - 1);
		slow += milliseconds() - begun >= ms * 2. / 3;
		text[size > 0 ? size : 0] = 0;
	} while (size > 0 && !strstr(text, "file_calls was here"));
	wait(NULL);
	printf("%d\n", slow);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return read_slowly(atoi(argv[2]), !strcmp(argv[1], "closed"));
	if (argc != 2)
		die("usage: file_calls FOLDER | slow MS | closed MS");
	return work(argv[1]);
}

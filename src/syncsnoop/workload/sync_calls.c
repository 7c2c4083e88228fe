/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sync_calls FOLDER: writes data back in every way that there is a system call for, and prints what a tracer must show: lines of
 * "PID UID COMM CALL ERR ? FD FILE" as `syncsnoop -U` has them, "?" for the time.  32-bit calls come last, where the kernel has
 * them.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "call32.h"
#include "machine.h"
#include "sync_calls.h"

/* arch/x86/entry/syscalls/syscall_32.tbl */
enum {
	NR32_SYNC = 36, NR32_FSYNC = 118, NR32_MSYNC = 144, NR32_FDATASYNC = 148, NR32_SYNC_FILE_RANGE = 314, NR32_SYNCFS = 344,
};

static char comm[16];

/* result: 0, or -1 with errno */
static void expect(long result, const char *call, int fd, const char *file)
{
	expect_as(comm, result ? -errno : 0, call, fd, file);
}

static void by_fd(int fd, const char *file)
{
	expect(syscall(SYS_fsync, fd), "fsync", fd, file);
	expect(syscall(SYS_fdatasync, fd), "fdatasync", fd, file);
	expect(syscall(SYS_sync_file_range, fd, 0, 0, 2), "sync_file_range", fd, file);
	expect(syscall(SYS_syncfs, fd), "syncfs", fd, file);
}

static void compat_calls(int fd, const char *mapped)
{
	expect_as(comm, call32(NR32_FSYNC, fd, 0, 0, 0, 0), "fsync", fd, "plain");
	expect_as(comm, call32(NR32_FDATASYNC, 1000, 0, 0, 0, 0), "fdatasync", 1000, NULL);
	expect_as(comm, call32(NR32_SYNC_FILE_RANGE, fd, 0, 0, 0, 0), "sync_file_range", fd, "plain");
	expect_as(comm, call32(NR32_SYNCFS, fd, 0, 0, 0, 0), "syncfs", fd, "plain");
	expect_as(comm, call32(NR32_SYNC, 0, 0, 0, 0, 0), "sync", -1, NULL);
	expect_as(comm, call32(NR32_MSYNC, (long)mapped, 4096, MS_SYNC, 0, 0), "msync", -1, "plain");
}

int main(int argc, char **argv)
{
	char name[256], *mapped;
	int file, dir, pipes[2];

	if (argc != 2 || chdir(argv[1]) || prctl(PR_GET_NAME, comm))
		die("usage: sync_calls FOLDER");
	setvbuf(stdout, malloc(1 << 16), _IOFBF, 1 << 16);
	file = open("plain", O_RDWR | O_CREAT, 0600);
	dir = open(".", O_RDONLY | O_DIRECTORY);
	if (file < 0 || dir < 0 || ftruncate(file, 8192) || pipe(pipes))
		die(argv[1]);
	by_fd(file, "plain");
	by_fd(dir, strrchr(argv[1], '/') + 1);
	by_fd(pipes[0], "''");
	by_fd(1000, NULL);
	memset(name, 'n', 255);
	name[255] = 0;
	by_fd(open(name, O_RDWR | O_CREAT, 0600), name);
	expect(syscall(SYS_sync), "sync", -1, NULL);

	mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_32BIT, file, 0);
	if (mapped == MAP_FAILED)
		die("mmap");
	*mapped = 1;
	expect(syscall(SYS_msync, mapped, 4096, MS_SYNC), "msync", -1, "plain");
	/* nothing is written back */
	expect(syscall(SYS_msync, mapped, 4096, MS_ASYNC), "msync", -1, NULL);
	expect(syscall(SYS_msync, mapped + 1, 4096, MS_SYNC), "msync", -1, NULL);
	fflush(stdout);
	if (call32__works())
		compat_calls(file, mapped);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file_requests FOLDER FS: reads, writes, opens and syncs files by io_uring, and reads and writes them by io_submit(2), each request alone,
 * and prints what a tracer must show, a line each: "OP ERRNO BYTES FS FILE VIA".  Requests of what is no file, and those that the kernel
 * refuses, have no line.
 *
 * file_requests FOLDER FS MS: the same, of two files that are read and written directly, so that the requests are queued.  Each of them
 * must have taken MS milliseconds by its own clock.
 *
 * file_requests FOLDER wait MS: a read of /proc/kmsg by io_uring, for which a worker waits: a line comes after MS milliseconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "uring.h"

#define BLOCK 4096

static const char *fs;
static char *buffer;
static double least_ms;
static aio_context_t aio;

static double milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void expect(const char *op, long result, const char *file, const char *via, double begun)
{
	char bytes[24] = "null";

	if (result >= 0 && (!strcmp(op, "read") || !strcmp(op, "write")))
		snprintf(bytes, sizeof(bytes), "%ld", result);
	printf("%s %ld %s %s %s %s\n", op, result < 0 ? -result : 0, bytes, fs, file, via);
	if (milliseconds() - begun < least_ms) {
		fprintf(stderr, "file_requests: %s of %s by %s: %.3f ms\n", op, file, via, milliseconds() - begun);
		exit(1);
	}
}

static void by_uring(const char *op, int opcode, unsigned int flags, int fd, const void *address, unsigned int length, const char *file)
{
	struct io_uring_sqe sqe = { .opcode = (__u8)opcode, .flags = (__u8)flags, .fd = fd, .addr = (unsigned long)address, .len = length };
	double begun = milliseconds();
	long result = uring_submit(&sqe);

	if (file)
		expect(op, result, file, "io_uring", begun);
}

/* Of an open that fails, or is of no file, nothing is told. */
static void open_by_uring(const char *op, bool is_openat2, unsigned int flags, unsigned long open_flags, const char *file)
{
	struct open_how how = { .flags = open_flags, .mode = open_flags & O_CREAT ? 0600 : 0 };
	struct io_uring_sqe sqe = { .opcode = is_openat2 ? IORING_OP_OPENAT2 : IORING_OP_OPENAT, .flags = (__u8)flags, .fd = AT_FDCWD };
	double begun = milliseconds();
	long result;

	sqe.addr = (unsigned long)file;
	if (is_openat2) {
		sqe.off = (unsigned long)&how;
		sqe.len = sizeof(how);
	} else {
		sqe.open_flags = (__u32)open_flags;
		sqe.len = 0600;
	}
	result = uring_submit(&sqe);
	if (op) {
		if (result < 0)
			uring_die(file);
		expect(op, 0, file, "io_uring", begun);
	}
}

/* Of a request that the kernel refuses nothing is told. */
static void by_aio(const char *op, int opcode, int fd, const void *address, size_t length, long offset, const char *file)
{
	struct iocb cb = {
		.aio_lio_opcode = (__u16)opcode, .aio_fildes = (__u32)fd, .aio_buf = (unsigned long)address, .aio_nbytes = length,
		.aio_offset = offset,
	};
	struct iocb *cbs = &cb;
	struct io_event event;
	double begun = milliseconds();

	if (syscall(SYS_io_submit, aio, 1, &cbs) != 1) {
		if (file)
			uring_die("io_submit");
		return;
	}
	if (syscall(SYS_io_getevents, aio, 1, 1, &event, NULL) != 1)
		uring_die("io_getevents");
	if (file)
		expect(op, (long)event.res, file, "aio", begun);
}

static void requests(void)
{
	struct iovec vector[] = { { buffer, 100 }, { buffer + 100, 11 } }, registered = { buffer, BLOCK };
	int file = open("f_uring", O_RDWR | O_CREAT | O_TRUNC, 0600), write_only = open("f_aio", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int both = open("f_aio", O_RDWR), pipes[2], files[2];

	if (file < 0 || write_only < 0 || both < 0 || pipe(pipes))
		uring_die("open");
	files[0] = file;
	files[1] = pipes[1];
	uring_make(0);
	if (syscall(SYS_io_uring_register, uring.fd, IORING_REGISTER_FILES, files, 2) ||
	    syscall(SYS_io_uring_register, uring.fd, IORING_REGISTER_BUFFERS, &registered, 1))
		uring_die("io_uring_register");
	by_uring("write", IORING_OP_WRITE, 0, file, buffer, 1000, "f_uring");
	by_uring("write", IORING_OP_WRITEV, 0, file, vector, 2, "f_uring");
	by_uring("write", IORING_OP_WRITE_FIXED, 0, file, buffer, 77, "f_uring");
	by_uring("write", IORING_OP_WRITE, IOSQE_ASYNC, file, buffer, 1200, "f_uring");
	by_uring("read", IORING_OP_READ, 0, file, buffer, 9, "f_uring");
	by_uring("read", IORING_OP_READV, 0, file, vector, 2, "f_uring");
	by_uring("read", IORING_OP_READ_FIXED, 0, file, buffer, 33, "f_uring");
	by_uring("read", IORING_OP_READ, IOSQE_ASYNC, file, buffer, 4000, "f_uring");
	by_uring("read", IORING_OP_READ, IOSQE_FIXED_FILE, 0, buffer, 55, "f_uring");
	by_uring("read", IORING_OP_READ, 0, file, (void *)8, 1, "f_uring");
	by_uring("sync", IORING_OP_FSYNC, 0, file, NULL, 0, "f_uring");
	unlink("f_made_1");
	unlink("f_made_2");
	open_by_uring("create", false, 0, O_RDWR | O_CREAT, "f_made_1");
	open_by_uring("open", false, 0, O_RDWR | O_CREAT, "f_made_1");
	open_by_uring("create", true, IOSQE_ASYNC, O_WRONLY | O_CREAT | O_EXCL, "f_made_2");
	open_by_uring("open", true, 0, O_RDONLY, "f_made_2");
	open_by_uring("open", false, IOSQE_ASYNC, O_RDONLY, "f_made_2");
	open_by_uring(NULL, true, 0, O_WRONLY | O_CREAT | O_EXCL, "f_made_2");
	open_by_uring(NULL, false, 0, O_RDONLY, ".");
	open_by_uring(NULL, false, 0, O_RDONLY, "/dev/null");
	by_uring(NULL, IORING_OP_WRITE, 0, pipes[1], buffer, 5, NULL);
	by_uring(NULL, IORING_OP_WRITE, IOSQE_FIXED_FILE, 1, buffer, 5, NULL);
	by_uring(NULL, IORING_OP_READ, 0, pipes[0], buffer, 5, NULL);
	by_uring(NULL, IORING_OP_NOP, 0, -1, NULL, 0, NULL);
	by_uring(NULL, IORING_OP_READ, 0, -1, buffer, 1, NULL);
	by_aio("write", IOCB_CMD_PWRITE, both, buffer, 600, 0, "f_aio");
	by_aio("write", IOCB_CMD_PWRITEV, both, vector, 2, 600, "f_aio");
	by_aio("read", IOCB_CMD_PREAD, both, buffer, 4000, 0, "f_aio");
	by_aio(NULL, IOCB_CMD_PREAD, write_only, buffer, 1, 0, NULL);
	by_aio(NULL, IOCB_CMD_PREAD, both, buffer, 1, -1, NULL);
	by_aio(NULL, IOCB_CMD_PREAD, -1, buffer, 1, 0, NULL);
	by_aio("read", IOCB_CMD_PREADV, both, vector, 2, 1, "f_aio");
	by_aio(NULL, IOCB_CMD_PREAD, pipes[0], buffer, 1, 0, NULL);
}

static void direct_requests(void)
{
	int file = open("f_direct", O_RDWR | O_CREAT | O_TRUNC, 0600);

	/* the blocks are there, or a write is done at once and waits */
	if (file < 0 || write(file, buffer, BLOCK) != BLOCK || fsync(file) || close(file))
		uring_die("f_direct");
	file = open("f_direct", O_RDWR | O_DIRECT);
	if (file < 0)
		uring_die("f_direct");
	uring_make(0);
	by_uring("read", IORING_OP_READ, 0, file, buffer, BLOCK, "f_direct");
	by_uring("write", IORING_OP_WRITE, 0, file, buffer, BLOCK, "f_direct");
	by_aio("read", IOCB_CMD_PREAD, file, buffer, BLOCK, 0, "f_direct");
	by_aio("write", IOCB_CMD_PWRITE, file, buffer, BLOCK, 0, "f_direct");
}

static void wait_for_line(int ms)
{
	int fd = open("/proc/kmsg", O_RDONLY | O_NONBLOCK), to = open("/dev/kmsg", O_WRONLY);

	if (fd < 0 || to < 0)
		uring_die("kmsg");
	while (read(fd, buffer, BLOCK) > 0)
		;
	if (fcntl(fd, F_SETFL, 0))
		uring_die("fcntl");
	uring_make(0);
	if (!fork()) {
		usleep((useconds_t)ms * 1000);
		_exit(write(to, "file_requests was here\n", 23) != 23);
	}
	least_ms = ms;
	fs = "proc";
	by_uring("read", IORING_OP_READ, 0, fd, buffer, BLOCK, "kmsg");
	wait(NULL);
}

int main(int argc, char **argv)
{
	if (argc < 3 || argc > 4 || chdir(argv[1]))
		uring_die("usage: file_requests FOLDER FS [MS] | FOLDER wait MS");
	fs = argv[2];
	buffer = aligned_alloc(BLOCK, BLOCK);
	memset(buffer, 'x', BLOCK);
	setvbuf(stdout, malloc(1 << 16), _IOFBF, 1 << 16);
	if (syscall(SYS_io_setup, 8, &aio))
		uring_die("io_setup");
	if (argc == 4 && !strcmp(fs, "wait")) {
		wait_for_line(atoi(argv[3]));
	} else if (argc == 4) {
		least_ms = atof(argv[3]);
		direct_requests();
	} else {
		requests();
	}
	return 0;
}

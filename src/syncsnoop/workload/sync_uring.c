/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sync_uring FOLDER: writes data back through io_uring, and prints what a tracer must show, as sync_calls does, with "*" for PID
 * and COMM: before 5.12 the kernel has workers of its own do it, which belong to no process.
 */
#include <fcntl.h>

#include "sync_calls.h"
#include "uring.h"

static void by_uring(int opcode, unsigned int flags, int fd, const char *call, const char *file)
{
	struct io_uring_sqe sqe = { .opcode = (__u8)opcode, .fd = fd, .fsync_flags = flags };
	int result = uring_submit(&sqe);

	printf("* %u * %s %d ?* - %s\n", getuid(), call, -result, file);
}

int main(int argc, char **argv)
{
	int file, pipes[2];

	if (argc != 2 || chdir(argv[1]))
		die("usage: sync_uring FOLDER");
	setvbuf(stdout, malloc(1 << 16), _IOFBF, 1 << 16);
	file = open("uring", O_RDWR | O_CREAT | O_DSYNC, 0600);
	if (file < 0 || ftruncate(file, 8192) || pipe(pipes))
		die(argv[1]);
	uring_make(0);
	by_uring(IORING_OP_FSYNC, 0, file, "io_uring_fsync", "uring");
	by_uring(IORING_OP_FSYNC, IORING_FSYNC_DATASYNC, file, "io_uring_fdatasync", "uring");
	by_uring(IORING_OP_SYNC_FILE_RANGE, 2, file, "io_uring_sync_file_range", "uring");
	by_uring(IORING_OP_FSYNC, 0, pipes[0], "io_uring_fsync", "''");
	/* a write that is written back at once is none of these */
	{
		struct io_uring_sqe sqe = { .opcode = IORING_OP_WRITE, .flags = IOSQE_ASYNC, .fd = file, .addr = (unsigned long)"x", .len = 1 };

		if (uring_submit(&sqe) != 1)
			die("write");
	}
	return 0;
}

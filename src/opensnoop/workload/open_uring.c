/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open_uring FOLDER: opens files through io_uring, and prints what a tracer must show, as open_calls does, but with "*"
 * for PID and COMM: before 5.12 the kernel has workers of its own do it, which belong to no process.
 */
#include "open_calls.h"
#include "uring.h"

static void expect_any_task(int result, unsigned int flags, unsigned int mode, const char *path)
{
	/* io_uring adds O_LARGEFILE to what was asked (__io_openat_prep() in io_uring/openclose.c) */
	printf("* %u * %d %d %#o %#o %s\n", getuid(), result < 0 ? -1 : result, result < 0 ? -result : 0, flags | 0100000, mode,
	       path);
	if (result >= 0)
		close(result);
}

static void uring_openat(int dfd, const char *path, unsigned int flags, unsigned int mode)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_OPENAT,
		.fd = dfd,
		.addr = (unsigned long)path,
		.open_flags = flags,
		.len = mode,
	};

	expect_any_task(uring_submit(&sqe), flags, flags & O_CREAT ? mode : 0, path);
}

static void uring_openat2(int dfd, const char *path, struct open_how how)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_OPENAT2,
		.fd = dfd,
		.addr = (unsigned long)path,
		.addr2 = (unsigned long)&how,
		.len = sizeof(how),
	};

	expect_any_task(uring_submit(&sqe), (unsigned int)how.flags, (unsigned int)how.mode, path);
}

int main(int argc, char **argv)
{
	char path[4096];
	int dir;

	start_calls(argc, argv);
	uring_make();
	dir = open(argv[1], O_PATH);
	snprintf(path, sizeof(path), "%s/uring", argv[1]);
	uring_openat(AT_FDCWD, path, O_RDWR | O_CREAT, 0640);
	uring_openat(AT_FDCWD, "uring", O_RDONLY, 0);
	uring_openat(dir, "missing-uring", O_RDONLY, 0);
	uring_openat2(dir, "uring2", (struct open_how){ .flags = O_WRONLY | O_CREAT, .mode = 0604 });
	uring_openat2(dir, "../uring-beyond", (struct open_how){ .flags = O_RDONLY, .resolve = RESOLVE_BENEATH });
	return 0;
}

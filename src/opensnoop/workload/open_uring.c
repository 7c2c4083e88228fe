/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open_uring FOLDER: opens files through io_uring, and prints what a tracer must show, as open_calls does, but with "*"
 * for PID and COMM: before 5.12 the kernel has workers of its own do it, which belong to no process.
 */
#include <sched.h>

#include "open_calls.h"
#include "uring.h"

static void expect_any_task(int result, unsigned int flags, unsigned int mode, const char *path)
{
	/* io_uring adds O_LARGEFILE to what was asked (__io_openat_prep() in io_uring/openclose.c) */
	printf("* %u * %d %d %s%s %#o %s\n", getuid(), result < 0 ? -1 : result, result < 0 ? -result : 0,
	       named_open_flags(flags | 0100000), calls_how, mode, path);
	if (result >= 0)
		close(result);
}

#ifndef IOSQE_CQE_SKIP_SUCCESS
#define IOSQE_CQE_SKIP_SUCCESS (1 << 6)		/* since 5.17 */
#define IORING_FEAT_CQE_SKIP (1 << 11)
#endif

static struct io_uring_sqe openat_sqe(int dfd, const char *path, unsigned int flags, unsigned int mode, unsigned int sqe_flags)
{
	return (struct io_uring_sqe){
		.opcode = IORING_OP_OPENAT,
		.flags = sqe_flags,
		.fd = dfd,
		.addr = (unsigned long)path,
		.open_flags = flags,
		.len = mode,
	};
}

static void uring_openat(int dfd, const char *path, unsigned int flags, unsigned int mode)
{
	struct io_uring_sqe sqe = openat_sqe(dfd, path, flags, mode, 0);

	expect_any_task(uring_submit(&sqe), flags, flags & O_CREAT ? mode : 0, path);
}

/* In a worker from the start, which the kernel does by itself only where the open would sleep. */
static void uring_worker(const char *path)
{
	struct io_uring_sqe sqe = openat_sqe(AT_FDCWD, path, O_RDONLY, 0, IOSQE_ASYNC);

	expect_any_task(uring_submit(&sqe), O_RDONLY, 0, path);
}

/* One after the other; and one that is never tried, because the one before it fails. */
static void uring_linked(void)
{
	struct io_uring_sqe both[] = {
		openat_sqe(AT_FDCWD, "uring", O_RDONLY, 0, IOSQE_IO_LINK), openat_sqe(AT_FDCWD, "uring2", O_RDONLY, 0, 0)
	};
	struct io_uring_sqe fails[] = {
		openat_sqe(AT_FDCWD, "uring-none", O_RDONLY, 0, IOSQE_IO_LINK),
		openat_sqe(AT_FDCWD, "uring-cancelled", O_RDONLY, 0, 0)
	};
	int results[2];

	uring_submit_all(both, 2, results, 2);
	for (int i = 0; i < 2; i++)
		expect_any_task(results[i], O_RDONLY, 0, i ? "uring2" : "uring");
	uring_submit_all(fails, 2, results, 2);
	expect_any_task(results[0], O_RDONLY, 0, "uring-none");
	if (results[1] != -ECANCELED)
		uring_die("a linked request is not cancelled");
}

/* One that succeeds and completes without telling: it makes no event of io_uring's own. */
static void uring_silent(void)
{
	struct io_uring_sqe sqe = openat_sqe(AT_FDCWD, "uring-silent", O_RDWR | O_CREAT, 0600, IOSQE_CQE_SKIP_SUCCESS);
	int next;

	if (!(uring.params.features & IORING_FEAT_CQE_SKIP))
		return;
	next = dup(0);
	close(next);
	uring_submit_all(&sqe, 1, NULL, 0);
	while (fcntl(next, F_GETFD) < 0)
		sched_yield();
	expect_any_task(next, O_RDWR | O_CREAT, 0600, "uring-silent");
}

/* By the kernel's thread that looks for requests itself; before 5.11 it refuses opens. */
static void uring_polled(void)
{
	struct io_uring_sqe sqe = openat_sqe(AT_FDCWD, "uring-polled", O_RDWR | O_CREAT, 0600, 0);
	int result;

	uring_make(IORING_SETUP_SQPOLL);
	result = uring_submit(&sqe);
	if (result != -EINVAL)
		expect_any_task(result, O_RDWR | O_CREAT, 0600, "uring-polled");
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
	uring_make(0);
	dir = open(argv[1], O_PATH);
	snprintf(path, sizeof(path), "%s/uring", argv[1]);
	uring_openat(AT_FDCWD, path, O_RDWR | O_CREAT, 0640);
	uring_openat(AT_FDCWD, "uring", O_RDONLY, 0);
	uring_openat(dir, "missing-uring", O_RDONLY, 0);
	uring_openat2(dir, "uring2", (struct open_how){ .flags = O_WRONLY | O_CREAT, .mode = 0604 });
	calls_how = "|RESOLVE_BENEATH";
	uring_openat2(dir, "../uring-beyond", (struct open_how){ .flags = O_RDONLY, .resolve = RESOLVE_BENEATH });
	calls_how = "";
	uring_worker("uring");
	uring_worker("missing-in-worker");
	uring_linked();
	uring_silent();
	uring_polled();
	return 0;
}

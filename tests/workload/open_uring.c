/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open_uring FOLDER: opens files through io_uring, and prints what a tracer must show, as open_calls does, but with "*"
 * for PID and COMM: before 5.12 the kernel has workers of its own do it, which belong to no process.
 *
 * The ring is made with the system calls alone.
 */
#include <linux/io_uring.h>

#include "open_calls.h"

#define ENTRIES 4

static struct {
	int fd;
	struct io_uring_params params;
	char *sq, *cq;
	struct io_uring_sqe *sqes;
} ring;

static void make_ring(void)
{
	size_t sq_size, cq_size;

	ring.fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &ring.params);
	if (ring.fd < 0)
		die("io_uring_setup");
	sq_size = ring.params.sq_off.array + ENTRIES * sizeof(__u32);
	cq_size = ring.params.cq_off.cqes + ring.params.cq_entries * sizeof(struct io_uring_cqe);
	ring.sq = mmap(NULL, sq_size, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQ_RING);
	ring.cq = mmap(NULL, cq_size, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_CQ_RING);
	ring.sqes = mmap(NULL, ENTRIES * sizeof(*ring.sqes), PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQES);
	if (ring.sq == MAP_FAILED || ring.cq == MAP_FAILED || ring.sqes == MAP_FAILED)
		die("mmap");
}

/* One request at a time, at the first place of the ring; its result. */
static int submit(const struct io_uring_sqe *sqe)
{
	unsigned int *tail = (unsigned int *)(ring.sq + ring.params.sq_off.tail);
	unsigned int *array = (unsigned int *)(ring.sq + ring.params.sq_off.array);
	unsigned int *head = (unsigned int *)(ring.cq + ring.params.cq_off.head);
	unsigned int mask = *(unsigned int *)(ring.sq + ring.params.sq_off.ring_mask);
	unsigned int cq_mask = *(unsigned int *)(ring.cq + ring.params.cq_off.ring_mask);
	const struct io_uring_cqe *cqes = (const struct io_uring_cqe *)(ring.cq + ring.params.cq_off.cqes);
	int result;

	ring.sqes[0] = *sqe;
	array[*tail & mask] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		die("io_uring_enter");
	result = cqes[*head & cq_mask].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return result;
}

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

	expect_any_task(submit(&sqe), flags, flags & O_CREAT ? mode : 0, path);
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

	expect_any_task(submit(&sqe), (unsigned int)how.flags, (unsigned int)how.mode, path);
}

int main(int argc, char **argv)
{
	char path[4096];
	int dir;

	start_calls(argc, argv);
	make_ring();
	dir = open(argv[1], O_PATH);
	snprintf(path, sizeof(path), "%s/uring", argv[1]);
	uring_openat(AT_FDCWD, path, O_RDWR | O_CREAT, 0640);
	uring_openat(AT_FDCWD, "uring", O_RDONLY, 0);
	uring_openat(dir, "missing-uring", O_RDONLY, 0);
	uring_openat2(dir, "uring2", (struct open_how){ .flags = O_WRONLY | O_CREAT, .mode = 0604 });
	uring_openat2(dir, "../uring-beyond", (struct open_how){ .flags = O_RDONLY, .resolve = RESOLVE_BENEATH });
	return 0;
}

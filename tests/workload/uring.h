/* SPDX-License-Identifier: BSD-2-Clause */
/* One io_uring, made with the system calls alone, and one request at a time in it. */
#ifndef URING_H
#define URING_H

#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define URING_ENTRIES 4

static struct {
	int fd;
	struct io_uring_params params;
	char *sq, *cq;
	struct io_uring_sqe *sqes;
} uring;

static void uring_die(const char *what)
{
	perror(what);
	exit(1);
}

static void uring_make(void)
{
	size_t sq_size, cq_size;

	uring.fd = (int)syscall(SYS_io_uring_setup, URING_ENTRIES, &uring.params);
	if (uring.fd < 0)
		uring_die("io_uring_setup");
	sq_size = uring.params.sq_off.array + URING_ENTRIES * sizeof(__u32);
	cq_size = uring.params.cq_off.cqes + uring.params.cq_entries * sizeof(struct io_uring_cqe);
	uring.sq = mmap(NULL, sq_size, PROT_READ | PROT_WRITE, MAP_SHARED, uring.fd, IORING_OFF_SQ_RING);
	uring.cq = mmap(NULL, cq_size, PROT_READ | PROT_WRITE, MAP_SHARED, uring.fd, IORING_OFF_CQ_RING);
	uring.sqes = mmap(NULL, URING_ENTRIES * sizeof(*uring.sqes), PROT_READ | PROT_WRITE, MAP_SHARED, uring.fd, IORING_OFF_SQES);
	if (uring.sq == MAP_FAILED || uring.cq == MAP_FAILED || uring.sqes == MAP_FAILED)
		uring_die("mmap");
}

/* One request at a time, at the first place of the ring; its result. */
static int uring_submit(const struct io_uring_sqe *sqe)
{
	unsigned int *tail = (unsigned int *)(uring.sq + uring.params.sq_off.tail);
	unsigned int *array = (unsigned int *)(uring.sq + uring.params.sq_off.array);
	unsigned int *head = (unsigned int *)(uring.cq + uring.params.cq_off.head);
	unsigned int mask = *(unsigned int *)(uring.sq + uring.params.sq_off.ring_mask);
	unsigned int cq_mask = *(unsigned int *)(uring.cq + uring.params.cq_off.ring_mask);
	const struct io_uring_cqe *cqes = (const struct io_uring_cqe *)(uring.cq + uring.params.cq_off.cqes);
	int result;

	uring.sqes[0] = *sqe;
	array[*tail & mask] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, uring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		uring_die("io_uring_enter");
	result = cqes[*head & cq_mask].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return result;
}

#endif

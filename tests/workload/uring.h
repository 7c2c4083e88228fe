/* SPDX-License-Identifier: BSD-2-Clause */
/* One io_uring, made with the system calls alone. */
#ifndef URING_H
#define URING_H

#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* flags: IORING_SETUP_….  Called again, it makes another one in its place. */
static void uring_make(unsigned int flags)
{
	size_t sq_size, cq_size;

	memset(&uring, 0, sizeof(uring));
	uring.params.flags = flags;
	uring.params.sq_thread_idle = 1000;	/* ms */
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

/* Submits count requests; waits for as many completions as there are to be, whose results go to results. */
static void uring_submit_all(const struct io_uring_sqe *sqes, unsigned int count, int *results, unsigned int completions)
{
	unsigned int *tail = (unsigned int *)(uring.sq + uring.params.sq_off.tail);
	unsigned int *array = (unsigned int *)(uring.sq + uring.params.sq_off.array);
	unsigned int *head = (unsigned int *)(uring.cq + uring.params.cq_off.head);
	unsigned int mask = *(unsigned int *)(uring.sq + uring.params.sq_off.ring_mask);
	unsigned int cq_mask = *(unsigned int *)(uring.cq + uring.params.cq_off.ring_mask);
	const struct io_uring_cqe *cqes = (const struct io_uring_cqe *)(uring.cq + uring.params.cq_off.cqes);
	unsigned int *cq_tail = (unsigned int *)(uring.cq + uring.params.cq_off.tail), flags = IORING_ENTER_GETEVENTS;

	for (unsigned int i = 0; i < count; i++) {
		uring.sqes[i] = sqes[i];
		array[(*tail + i) & mask] = i;
	}
	__atomic_store_n(tail, *tail + count, __ATOMIC_RELEASE);
	if (uring.params.flags & IORING_SETUP_SQPOLL)
		flags |= IORING_ENTER_SQ_WAKEUP;
	if (syscall(SYS_io_uring_enter, uring.fd, count, completions, flags, NULL, 0) < 0)
		uring_die("io_uring_enter");
	for (unsigned int i = 0; i < completions; i++) {
		while (__atomic_load_n(cq_tail, __ATOMIC_ACQUIRE) == *head)
			syscall(SYS_io_uring_enter, uring.fd, 0, 1, flags, NULL, 0);
		results[i] = cqes[*head & cq_mask].res;
		__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	}
}

/* One request; its result. */
static inline int uring_submit(const struct io_uring_sqe *sqe)
{
	int result;

	uring_submit_all(sqe, 1, &result, 1);
	return result;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slab_calls N: has the kernel allocate objects of known caches in every way, and prints a line for each cache with how many it must be,
 * "CACHE OBJECTS", which may not be all that it allocates of it:
 *
 *	eventpoll_epi	one for each descriptor that epoll_ctl(2) adds: kmem_cache_alloc()
 *	task_struct	one for each process: kmem_cache_alloc_node()
 *	io_kiocb	eight at a time, when a ring's first request begins: kmem_cache_alloc_bulk()
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uring.h"

static void die(const char *what)
{
	perror(what);
	exit(125);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0, set, event;
	struct epoll_event wanted = { .events = EPOLLIN };
	struct io_uring_sqe nothing = { .opcode = IORING_OP_NOP };
	int result;

	prctl(PR_SET_NAME, "slab_calls");
	set = epoll_create1(0);
	event = eventfd(0, 0);
	if (set < 0 || event < 0)
		die("epoll");
	for (int i = 0; i < count; i++)
		if (epoll_ctl(set, EPOLL_CTL_ADD, event, &wanted) || epoll_ctl(set, EPOLL_CTL_DEL, event, NULL))
			die("epoll_ctl");
	printf("eventpoll_epi %d\n", count);
	for (int i = 0; i < count; i++) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		if (child < 0 || waitpid(child, NULL, 0) != child)
			die("fork");
	}
	printf("task_struct %d\n", count);
	uring_make(0);
	uring_submit_all(&nothing, 1, &result, 1);
	printf("io_kiocb 8\n");
	return 0;
}

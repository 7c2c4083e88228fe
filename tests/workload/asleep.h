/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a thread sleeps, told by the kernel: to be waited for before a test looks at what is then. */
#ifndef ASLEEP_H
#define ASLEEP_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

/* A file for is_asleep(), of a thread; -1: there is no such thread. */
static inline int open_asleep(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/*
 * Whether the thread sleeps in the system call of that number, and is counted as having left.  Its state says S before it is
 * counted, and the CPU that it is on may stand still in between; /proc/TID/syscall begins with the call's number only for
 * a thread that has left its CPU (wait_task_inactive()), and with "running" otherwise.
 */
static inline bool is_asleep(long call, int file)
{
	char text[512];
	ssize_t size = pread(file, text, sizeof(text) - 1, 0);

	text[size > 0 ? size : 0] = 0;
	return text[0] >= '0' && text[0] <= '9' && atol(text) == call;
}

static inline bool is_asleep_in(long call, pid_t tid)
{
	int file = open_asleep(tid);
	bool is = is_asleep(call, file);

	close(file);
	return is;
}

#endif

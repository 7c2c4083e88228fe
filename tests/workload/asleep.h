/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a thread sleeps, told by the kernel: to be waited for before a test looks at what is then. */
#ifndef ASLEEP_H
#define ASLEEP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

/*
 * Whether the thread sleeps in the system call of that number, and is counted as having left.  Its state says S before it is
 * counted, and the CPU that it is on may stand still in between; /proc/TID/syscall begins with the call's number only for
 * a thread that has left its CPU (wait_task_inactive()), and with "running" otherwise.
 */
static inline bool is_asleep_in(long call, pid_t tid)
{
	char path[64], text[512] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = 0;
	fclose(file);
	return text[0] >= '0' && text[0] <= '9' && atol(text) == call;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "thread_name.h"

#include <stdio.h>

#include "file.h"

bool thread_name__find(uint32_t tid, unsigned int cpu, char name[TASK_COMM_LEN + 1])
{
	char path[64];
	int length;

	if (!tid) {
		snprintf(name, TASK_COMM_LEN, "swapper/%u", cpu);
		return true;
	}
	snprintf(path, sizeof(path), "/proc/%u/comm", tid);
	length = file__read_small(path, name, TASK_COMM_LEN + 1);
	name[length > 0 ? length - 1 : 0] = 0;
	return length > 0;
}

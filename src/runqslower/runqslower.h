/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_RUNQSLOWER_H
#define PROBELIGHT_RUNQSLOWER_H

#include "lib/shared/event.h"

struct runqslower_event {
	struct event_task task;		/* that waited */
	__u64 wait_ns;
	__u32 cpu;
	__u32 prev_pid, prev_tid;	/* of the task that had the CPU last; 0 and 0: the idle task */
	__s16 prio, prev_prio;		/* the kernel's: -1 deadline, 0 to 99 real-time, 100 to 139 others, 140 the idle task */
	char prev_comm[TASK_COMM_LEN];
};

#define RUNQSLOWER_MIN_US 10000

#endif

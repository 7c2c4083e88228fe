/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_SCHEDSNOOP_H
#define PROBELIGHT_SCHEDSNOOP_H

#include "lib/shared/cpu_switches.h"
#include "lib/shared/event.h"

struct sched_event {
	struct event_task task;	/* the one that leaves the CPU */
	__s64 prev_state;	/* as in the record: TASK_… bits */
	__s32 prev_prio;
	__s32 next_prio;
	__u32 next_tid;		/* as task.tid */
	__u32 cpu;
	char next_comm[TASK_COMM_LEN];
	struct cpu_switches seen;	/* --trace: of its CPU until now, this one included; else it is not in the record */
};

/* A thread as the caller's pid namespace numbers it. */
struct thread_ids {
	__u32 pid, tid;
};

#define THREADS_MAX 16384

#endif

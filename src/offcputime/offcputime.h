/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_OFFCPUTIME_H
#define PROBELIGHT_OFFCPUTIME_H

#include "lib/shared/stack.h"

/* Why a task left its CPU; a key's tag.  The letters are those of ps(1). */
enum offcpu_state {
	OFFCPU_RUNNABLE,	/* preempted, or it gave way */
	OFFCPU_SLEEPING,
	OFFCPU_DISK,		/* uninterruptible */
	OFFCPU_IDLE,		/* of a thread of the kernel that waits for work: no load */
	OFFCPU_STOPPED,
	OFFCPU_TRACED,
	OFFCPU_PARKED,
	OFFCPU_WOKEN,		/* before 5.18: it was awake again when it was looked at */
	OFFCPU_STATES,
};

#define OFFCPU_LETTERS "RSDITtPW"

/* What is counted apart; the waker with --waker alone. */
struct offcpu_key {
	struct stack_key waits;		/* the first member: what lib/run/stack_report knows */
	struct stack_key waker;		/* all 0: nobody, as the task was runnable */
};

#define OFFCPU_NOT_SEEN "(not seen)"	/* a waker's name */

struct offcputime_counts {
	__u64 queue;			/* where the CPU's run queue is; no count */
	struct stack_value others;	/* of the keys without room */
};

#define OFFCPUTIME_KEYS 16384
#define OFFCPUTIME_TASKS 16384	/* off a CPU at the same time */

#endif

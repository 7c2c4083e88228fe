/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_KLOCKSTAT_H
#define PROBELIGHT_KLOCKSTAT_H

#include "lib/shared/stack.h"

/* What lock/contention_begin says of a lock (include/trace/events/lock.h); the waiter's tag. */
enum klock_flags {
	KLOCK_SPIN = 1,
	KLOCK_READ = 2,
	KLOCK_WRITE = 4,
	KLOCK_RT = 8,
	KLOCK_PERCPU = 16,
	KLOCK_MUTEX = 32,
	KLOCK_FLAGS = 64,
};

/* What is counted apart. */
struct klock_key {
	struct stack_key waiter;	/* the first member: what lib/run/stack_report knows */
	__u64 lock;			/* its address */
};

struct klock_counts {
	struct stack_value others;	/* of the keys without room */
};

#define KLOCK_KEYS 16384
#define KLOCK_WAITS 16384	/* tasks that wait for a lock at the same time */
#define KLOCK_SPINS 4		/* locks that a CPU spins for at the same time: a task, a softirq, an interrupt, an NMI */

#endif

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

/* A lock that a task holds. */
struct klock_held {
	__u32 tid;
	__u32 reserved;
	__u64 lock;
};

/* With --hold: the functions that are probed, NAME(function) or NAME(function, flags). */
#define KLOCK_TAKES(NAME)                                \
	NAME(mutex_lock, KLOCK_MUTEX)                    \
	NAME(mutex_lock_interruptible, KLOCK_MUTEX)      \
	NAME(mutex_lock_killable, KLOCK_MUTEX)           \
	NAME(down_read, KLOCK_READ)                      \
	NAME(down_read_interruptible, KLOCK_READ)        \
	NAME(down_read_killable, KLOCK_READ)             \
	NAME(down_write, KLOCK_WRITE)                    \
	NAME(down_write_killable, KLOCK_WRITE)
#define KLOCK_RELEASES(NAME) \
	NAME(mutex_unlock)   \
	NAME(up_read)        \
	NAME(up_write)       \
	NAME(downgrade_write)

enum klock_function {
#define KLOCK_ID(function, ...) KLOCK_##function,
	KLOCK_TAKES(KLOCK_ID) KLOCK_RELEASES(KLOCK_ID)
	KLOCK_FUNCTIONS
};

#define KLOCK_KEYS 16384
#define KLOCK_HOLDS 65536	/* locks that are held at the same time, of those that are looked at */
#define KLOCK_WAITS 16384	/* tasks that wait for a lock at the same time */
#define KLOCK_SPINS 4		/* locks that a CPU spins for at the same time: a task, a softirq, an interrupt, an NMI */

#endif

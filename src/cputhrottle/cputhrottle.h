/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_CPUTHROTTLE_H
#define PROBELIGHT_CPUTHROTTLE_H

#include "lib/shared/dir.h"
#include "lib/shared/event.h"

#define WAITERS_MAX 8		/* that have names in a row */
#define WAITERS_LOOKED_AT 64	/* tasks of a CPU's queue */

struct cputhrottle_waiter {
	__u32 tid;
	char comm[TASK_COMM_LEN];
};

struct cputhrottle_event {
	struct event_task task;		/* of those that waited, the first one that passes the filters; tid 0: none waited */
	__u64 throttled_ns;		/* as the kernel counts it */
	__u64 quota_ns, period_ns;	/* of the group; quota ~0: none any more */
	__u32 cpu;
	__u32 waiters_count;		/* also of those without a name here */
	__u32 nr_throttled;		/* of the group's periods, as the kernel has counted until now */
	struct cputhrottle_waiter waiters[WAITERS_MAX];
	__u16 names_size;		/* of names, which go from the cgroup outwards */
	__u8 names_are_cut;
	__u8 reserved;
	char names[DIR_ROOM];
};

#endif

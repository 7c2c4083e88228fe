/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_LLCSTAT_H
#define PROBELIGHT_LLCSTAT_H

#include "lib/shared/event.h"
#include "lib/shared/task_key.h"

/* What --by does not have is 0. */
struct llcstat_key {
	struct task_key task;
	__u64 cpu;
};

struct llcstat_counts {
	__u64 first, second;		/* of the two events */
};

/* One CPU. */
struct llcstat_cpu {
	__u64 looks;			/* that found that something was counted */
	struct llcstat_counts others;	/* of keys without room */
	struct llcstat_counts filtered;
	struct llcstat_counts at;	/* of the counters, when they were last read.  No count. */
};

#define LLCSTAT_KEYS 4096

#endif

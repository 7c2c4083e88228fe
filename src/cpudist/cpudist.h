/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_CPUDIST_H
#define PROBELIGHT_CPUDIST_H

#include "lib/shared/event.h"
#include "lib/shared/hist.h"

struct cpudist_counts {
	__u64 queue;			/* where the CPU's run queue is; no count */
	struct hist times;		/* ns; of all, where not counted by key */
	struct hist_rough others;	/* of the keys without room */
};

#define CPUDIST_KEYS 1024
#define CPUDIST_TASKS 16384	/* -O: off a CPU at the same time */

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_RUNQLAT_H
#define PROBELIGHT_RUNQLAT_H

#include "lib/shared/event.h"
#include "lib/shared/hist.h"

struct runqlat_counts {
	__u64 queue;			/* where the CPU's run queue is; no count */
	struct hist waits;		/* ns; of all, where not counted by key */
	struct hist_rough others;	/* of the keys without room */
};

#define RUNQLAT_KEYS 1024

#endif

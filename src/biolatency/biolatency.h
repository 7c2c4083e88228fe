/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_BIOLATENCY_H
#define PROBELIGHT_BIOLATENCY_H

#include "lib/shared/block.h"
#include "lib/shared/event.h"
#include "lib/shared/hist.h"

struct biolatency_counts {
	struct hist times;		/* ns; of all, where not counted by key */
	struct hist queued;		/* -A: ns before the driver got them */
	struct hist_rough others;	/* of the keys without room */
	__u64 no_start;			/* of requests that do not tell when they were made; their time in a queue counts as 0 */
};

/* -D and -F */
struct biolatency_key {
	char disk[DISK_NAME_LEN];	/* "" without -D, and of a disk that has gone */
	__u32 op;			/* these two: 0 without -F */
	__u32 flags;			/* enum block_flag */
};

#define BIOLATENCY_KEYS 256

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_DSLOWER_H
#define PROBELIGHT_DSLOWER_H

#include "lib/shared/event.h"

#define DSLOWER_FRAMES 32

struct dslower_event {
	struct event_task task;			/* that slept; ts_ns is when the row was made */
	__u64 slept_ns;				/* until then */
	__u32 is_still;				/* it sleeps on */
	__s32 frames_size;			/* bytes; negative: there is no stack */
	__u64 frames[DSLOWER_FRAMES];		/* the kernel stack, the innermost first */
};

#define DSLOWER_MIN_MS 10
#define DSLOWER_TASKS 4096	/* asleep at the same time */
#define DSLOWER_LOOK_NS 1000000000	/* between two looks at who sleeps still */
#define DSLOWER_BEGUN 2048		/* sleeps that begin between them */

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_RUNQLEN_H
#define PROBELIGHT_RUNQLEN_H

#include "lib/shared/event.h"
#include "lib/shared/hist.h"

/* One CPU. */
struct runqlen_counts {
	__u64 queue;			/* where its run queue is; 0: not known yet.  No count. */
	__u64 samples;
	__u64 waiting;			/* samples in which tasks waited for this CPU */
	__u64 idle;			/* in which it ran nothing */
	__u64 idle_while_waiting;	/* of these: while a task waited for another CPU */
	struct hist lengths;		/* tasks that wait */
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_DRSNOOP_H
#define PROBELIGHT_DRSNOOP_H

#include "lib/shared/event.h"

enum reclaim_kind {
	RECLAIM_MACHINE,	/* the machine's memory runs short */
	RECLAIM_CGROUP,		/* a cgroup's does: its limit, memory.high, memory.reclaim */
};

struct reclaim_event {
	struct event_task task;
	__u64 latency_ns;
	__u64 reclaimed;	/* pages */
	__u64 gfp;
	__s32 order;		/* 2^order pages were wanted */
	__u32 kind;
};

#endif

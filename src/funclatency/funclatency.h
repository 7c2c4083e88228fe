/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_FUNCLATENCY_H
#define PROBELIGHT_FUNCLATENCY_H

#include "lib/shared/call_args.h"
#include "lib/shared/event.h"

/* --slower: what probes keep from the begin of a call. */
#define FRAME_WORDS_APART CALL_ARGS
#include "lib/shared/frame.h"
#include "lib/shared/hist.h"

struct funclatency_counts {
	struct hist times;		/* ns; of all, where not counted by function */
	struct hist_rough others;	/* of the functions without room */
	__u64 calls;			/* by function: all of them, for --rate */
};

/* -F */
struct funclatency_key {
	__u64 function;			/* its number, or its address where one program is on all of them */
};

#define FUNCLATENCY_KEYS 1024

/* --slower: a call that took long enough. */
struct funclatency_event {
	struct event_task task;		/* when it returned */
	__u64 ns;
	__u64 function;			/* as in the key */
	__u32 cpu;
	__u32 reserved;
	__u64 args[CALL_ARGS];	/* that it began with; of a function with fewer the others mean nothing */
};

#endif

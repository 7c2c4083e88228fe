/* SPDX-License-Identifier: BSD-2-Clause */
/* A call that begins, and one that returns, as programs send them for trees of calls; and a task that is gone. */
#ifndef PROBELIGHT_GRAPH_EVENT_H
#define PROBELIGHT_GRAPH_EVENT_H

#include "call_args.h"
#include "event.h"

enum { GRAPH_EVENT_BEGIN, GRAPH_EVENT_RETURN, GRAPH_EVENT_TASK_END };

/* All begin so; the last is no more than that. */
struct graph_event {
	__u64 ts_ns;		/* CLOCK_MONOTONIC */
	__u64 function;		/* its number, or its address where one program is on all of them */
	__u32 thread;		/* in the initial pid namespace, when its ROOT began; 0: an idle task, of which each CPU has one */
	__u32 cpu;
	__u16 depth;		/* how many calls it is inside of, from the ROOT on; of a task's end, how many had not returned */
	__u8 kind;
	__u8 has_task;
	__u32 lost;		/* of a return: calls inside of it that found no room */
};

struct graph_event_return {
	struct graph_event event;
	__u64 ns;		/* how long the call took */
	__u64 result;
};

struct graph_event_begin {
	struct graph_event event;
	struct event_task task;		/* has_task: of the first event of a tree that found room */
	__u64 args[CALL_ARGS];	/* -a only; the task has its place then */
};

#endif

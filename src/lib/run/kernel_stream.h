/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run of a tool whose events come without programs: the kernel records them into ring buffers of its own, and what programs do
 * otherwise is done here: whose events are wanted, how many of which kind there were, and rows until something ends the run.
 */
#ifndef PROBELIGHT_RUN_KERNEL_STREAM_H
#define PROBELIGHT_RUN_KERNEL_STREAM_H

#include "lib/print/fault.h"
#include "tool.h"

struct stream_event {
	struct event_task task;		/* without user and cgroup */
	uint32_t cpu;
	bool lost_some;			/* events of this CPU were lost just before it: a line in the place of their rows tells it */
	uint64_t lost;			/* how many; 0: nobody knows */
	bool is_filtered;		/* a filter that the source has drops it */
	bool is_none;			/* nothing to show or to count: next() has only come further */
};

/* What a source of events does; ctx is struct kernel_stream's. */
struct kernel_stream_ops {
	const char *missed_why;		/* events may be missed, and why nobody counts them; NULL: none is */
	int (*start)(void *ctx, struct tool *tool);	/* tool->err, which it sets */
	/* The next event, in the order of time: 1, 0 where there is none for now, or -errno. */
	int (*next)(void *ctx, struct stream_event *event);
	/* The values of the row of the event that next() gave last.  0, or -EINVAL, before any value: the record cannot be understood. */
	int (*print)(void *ctx, struct tool *tool, const struct stream_event *event);
	void (*end)(void *ctx);		/* nothing is recorded any more; what was is still to be read */
	int (*lost)(void *ctx, uint64_t *lost);		/* events that found no room, since the start; 0 or -errno */
	/* What has come until now, as far as its places count that, for --rate; or NULL: what was read is all. */
	uint64_t (*seen)(void *ctx);
	/* At the end: adds what programs beside it have filtered and missed; NULL: there are none. */
	void (*add_counts)(void *ctx, struct tally *tally);
	/* 0, or -errno with a line in fault: somebody else has changed what records them.  Until close(). */
	int (*is_intact)(void *ctx, struct fault *fault);
	/* For a stream that is not read while it runs; each may be NULL. */
	int (*wake_fd)(void *ctx);	/* readable when is_over() may have changed; valid once it is started */
	bool (*is_over)(void *ctx);	/* something has ended the run: what was recorded is to be read */
	void (*tell)(void *ctx, struct tool *tool);	/* behind the last row */
	int (*close)(void *ctx);	/* also after a start that failed; 0 or -errno */
};

struct kernel_stream {
	const struct kernel_stream_ops *ops;
	void *ctx;
	const char *label;		/* for messages: "--via ftrace" */
	int64_t look_ms;		/* between two calls of next() that gave none; 0: 20 */
	bool filters;			/* the kernel drops events that nobody wants, and does not count them; start() may set it */
};

/* Sets the task; comm: up to TASK_COMM_LEN bytes, or NULL: not known. */
void stream_event__set_task(struct stream_event *event, uint64_t ts_ns, uint32_t pid, uint32_t tid, const char *comm);

/* As tool__run().  tool->err. */
int kernel_stream__run(struct kernel_stream *stream, struct tool *tool);

#endif

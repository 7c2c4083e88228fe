/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of a run.  It takes from one source until something ends the run: a signal, the deadline, an output that fails or
 * has enough, too much that comes (rate_limit.h), somebody who changes the source (watch.h).  Meanwhile it tells losses, also
 * while a write to the output blocks.
 */
#ifndef PROBELIGHT_RUN_PUMP_H
#define PROBELIGHT_RUN_PUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rate_limit.h"
#include "lib/loop/batch.h"
#include "lib/loop/loop.h"
#include "lib/print/fault.h"
#include "tool.h"
#include "watch.h"

/* What was lost since the start, and how much of that because more calls were under way than the tool can keep. */
struct losses {
	uint64_t all, no_room;
};

/* What a run takes from: ring buffers of programs, of an instance of tracefs, of perf, or a tracer. */
struct tally;
struct source {
	void *ctx;			/* for all of its functions */
	const char *what;		/* for a message where it cannot be read: "--via perf: the ring buffers" */
	const char *hint;		/* for the message that events were lost: what to do */
	int wake_fd;			/* readable when there is more; -1: there is none.  read() may change both */
	int64_t look_ms;		/* and it is looked at so often */
	bool is_slow;			/* a record may take milliseconds */
	int64_t due_ms;			/* as loop__now_ms(): then on_due() is called; 0: never */

	/* Takes what is there, until the batch is over; each record is counted in it.  0 or -errno. */
	int (*read)(void *ctx, struct batch *batch);
	/* From now on nothing is recorded; what was is still to be read. */
	void (*end)(void *ctx);
	/* Whether the output has enough rows, or fails. */
	bool (*is_enough)(void *ctx);
	/* What was lost; 0, or -errno: it cannot be known now.  NULL: it never can. */
	int (*lost)(void *ctx, struct losses *losses);
	int64_t lost_ms;		/* it is asked so often, as it reads files; 0: each time that the source is read */
	/* Sets lost, missed and filtered of the whole run until now.  NULL: they are known at the end. */
	void (*tally)(void *ctx, struct tally *tally);
	/* What came since the start besides what was lost, wanted or not, for --rate.  NULL: there is no such limit. */
	uint64_t (*seen)(void *ctx);
	/* An interval ends: sets the next due_ms.  Whether that was the last one. */
	bool (*on_due)(void *ctx);
	/* 0, or -errno with a line in fault: somebody else has changed it.  NULL: nobody can. */
	int (*is_intact)(void *ctx, struct fault *fault);
};

struct pump {
	struct tool *tool;
	struct source *source;
	struct loop loop;
	struct batch batch;		/* that is being read, or was last */
	struct rate_limit rate_limit;
	struct watch watch;
	bool has_ended;			/* source->end() was called */
	struct losses reported;
	int64_t reported_ms, asked_ms;
};

/* Sets it up, and the output's callback.  What it is given must live as long as the pump. */
void pump__init(struct pump *pump, struct tool *tool, struct source *source);

/*
 * pump__init() for a tool that prints rows.  All is open: opens the output for rows and drops privileges but those that are
 * kept (privileges.h), and prints the header and the start line.  tool->err.
 */
int pump__start(struct pump *pump, struct tool *tool, struct source *source, unsigned int kept);

/* Takes from the source until the run is over, ends the source, and takes what is left in it.  tool->err. */
int pump__run(struct pump *pump);

#endif

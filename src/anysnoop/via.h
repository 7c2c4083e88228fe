/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run of a tool whose events come without programs (--via ftrace, --via perf): the kernel records them for a consumer of
 * its own, and what programs do otherwise is done here: whose events are wanted, and the copy of the record that rows are
 * made of.
 */
#ifndef PROBELIGHT_RUN_VIA_H
#define PROBELIGHT_RUN_VIA_H

#include "run_events.h"
#include "flight.h"
#include "lib/gen/plan.h"
#include "lib/gen/request.h"
#include "lib/run/kernel_stream.h"
#include "lib/run/tool.h"

enum via_consumer { VIA_BPF, VIA_FTRACE, VIA_PERF };

struct via {
	enum via_consumer consumer;
	bool is_chosen;				/* by --via; else it is the one that can have the events */
	const struct plan *plans;		/* the events, the caller's */
	size_t plans_count;
	/* of the event that print() gets (ftrace/record_state.h), of VIA_FTRACE; NULL: not wanted */
	uint16_t *state;
	const struct event_state *states;	/* of each event: whether it is optional, and recorded */
	bool is_shared;				/* programs have those that are not recorded; else the consumer has all */
	struct flight *flight;			/* not read while it runs (VIA_FTRACE); NULL: it is */
	/* Prints the row of an event; copy: as a program of lib/gen/record would have sent it. */
	void (*print)(struct tool *tool, const struct plan *plan, const struct event_task *task, uint32_t cpu, const void *copy);
};

/*
 * Whether events of a source have a record, so that another consumer than a program can have them.  Those of programs (u:) get one
 * where they are asked for with such a consumer (user_records.h).
 */
bool via__has_record(enum request_source source);

/* The argument of --via. A wrong one ends the run as bad usage. */
enum via_consumer via__parse(const char *text);

/* At the end of the command line: whether the options go together with a consumer without programs; else the run ends as bad usage. */
void via__check(const struct via *via, const struct tool *tool);

/* Whether records have what the command line asks for: NULL, or what they do not have; *options: which options are about that. */
const char *via__lacks(const struct tool *tool, const char **options);

/* As tool__run(), for a consumer other than VIA_BPF. tool->err. */
int via__run(const struct via *via, struct tool *tool);

/*
 * The same as a stream that is not run yet, for who reads something else beside it (mixed.h); via__close_stream() frees it.  NULL
 * without memory.  via must live as long.
 */
struct kernel_stream *via__open_stream(const struct via *via);
void via__close_stream(struct kernel_stream *stream);

/*
 * Of such a stream of VIA_FTRACE: it gives records up to a time (CLOCK_MONOTONIC) only, as of stream__set_limit(); and, after it gave none,
 * up to which time there will be none.
 */
void via__set_limit(struct kernel_stream *stream, uint64_t limit_ns);
uint64_t via__known_until(const struct kernel_stream *stream);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run of a tool whose events come without programs (--via ftrace, --via perf): the kernel records them for a consumer of
 * its own, and what programs do otherwise is done here: whose events are wanted, and the copy of the record that rows are
 * made of.
 */
#ifndef PROBELIGHT_RUN_VIA_H
#define PROBELIGHT_RUN_VIA_H

#include "lib/gen/plan.h"
#include "lib/gen/request.h"
#include "lib/run/tool.h"

enum via_consumer { VIA_BPF, VIA_FTRACE, VIA_PERF };

struct via {
	enum via_consumer consumer;
	const struct plan *plans;		/* the events, the caller's */
	size_t plans_count;
	const bool *is_optional;		/* of each event: it may be skipped where the kernel does not record it */
	/* Prints the row of an event; copy: as a program of lib/gen/record would have sent it. */
	void (*print)(struct tool *tool, const struct plan *plan, const struct event_task *task, uint32_t cpu, const void *copy);
};

/* The argument of --via. A wrong one ends the run as bad usage. */
enum via_consumer via__parse(const char *text);

/* At the end of the command line: whether the options go together with a consumer without programs; else the run ends as bad usage. */
void via__check(const struct via *via, const struct tool *tool);

/* As tool__run(), for a consumer other than VIA_BPF. tool->err. */
int via__run(const struct via *via, struct tool *tool);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times of calls without programs, as lib/ftrace/durations reads them: counted in histograms, of all functions or of each, or given one by
 * one to lib/run/kernel_stream.
 */
#ifndef PROBELIGHT_LATENCIES_H
#define PROBELIGHT_LATENCIES_H

#include "lib/ftrace/durations.h"
#include "lib/run/intervals.h"
#include "lib/run/kernel_stream.h"
#include "lib/traced/traced.h"

struct latencies {
	struct tool *tool;
	struct traced *traced;			/* its instance has the functions in its filter */
	bool by_function;
	uint64_t slower_ns;			/* rows: of calls that take at least so long */
	/* Rows: the values of a call's. */
	void (*print)(struct tool *tool, const struct stream_event *event, const struct duration *duration);

	/* What was counted in the interval that was cut last. */
	struct hist times;			/* of all */
	struct table table;			/* by_function: keys are addresses, values struct hist_rough */

	/* the rest is latencies.c's */
	struct durations durations;
	struct duration last;
	struct hist times_now;
	struct table table_now;			/* keys_max is its room */
	struct hash places;			/* size_t: numbers of table_now's rows, plus 1, by address */
	uint64_t filtered;
	struct counter counter;
};

/* tool->err.  Sets tool->counter, for tool__run_intervals(). */
int latencies__open(struct latencies *latencies, struct tool *tool, struct traced *traced, bool by_function);

/* tool__run() for rows.  tool->err. */
int latencies__run_rows(struct latencies *latencies, struct tool *tool, struct traced *traced);

/* Takes a zeroed one, too. */
void latencies__close(struct latencies *latencies);

#endif

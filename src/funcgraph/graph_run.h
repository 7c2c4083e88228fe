/* SPDX-License-Identifier: BSD-2-Clause */
/* The run of a tool that prints the trees of the function_graph tracer (ftrace/graph.h), from the tracer's start to the summary. */
#ifndef PROBELIGHT_RUN_GRAPH_RUN_H
#define PROBELIGHT_RUN_GRAPH_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/ftrace/graph.h"
#include "lib/run/pump.h"
#include "lib/run/tally.h"
#include "lib/traced/traced.h"

struct graph_run {
	/* the caller's, before it begins */
	struct tool *tool;
	struct graph *graph;
	struct traced *traced;
	void (*take)(void *ctx, const struct call_tree *tree);	/* prints a tree; ctx is the tool */

	/* what take() counts */
	uint64_t calls;			/* printed, written or not */
	uint64_t trees;
	struct tally tally;		/* filtered, and unread */

	/* the rest is graph_run.c's */
	struct source source;
	struct pump pump;
};

/*
 * Starts the tracer on traced's functions, whose instance has them as its filter, without recording yet; the first `roots`
 * of its patterns are ROOTs (0: all functions in the filter are), and there is room for so many calls in trees that are not
 * complete.  args, cpu_time: the arguments of calls, and how long they had a CPU.  tool->err.
 */
int graph_run__open(struct graph_run *run, size_t roots, bool args, bool cpu_time, uint32_t calls);

/* Whether the output has failed, or has enough trees. */
bool graph_run__is_enough(const struct graph_run *run);

/* Records, prints and tells the summary. */
void graph_run__run(struct graph_run *run);

#endif

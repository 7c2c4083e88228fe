/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's function_graph tracer in an instance of our own (since 6.11, f6eb3ba5d0a4 and others; before, the instance is the top,
 * top_level.h), on the functions in its set_ftrace_filter.  Below which of them calls are recorded is set_graph_function, which is one for
 * the whole system: it is leased.  The calls come as trees, each call in exactly one:
 *
 *	calls = in trees + lost, where each lost one has no record at all
 */
#ifndef PROBELIGHT_FTRACE_GRAPH_H
#define PROBELIGHT_FTRACE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "call_trees.h"
#include "instance.h"
#include "intact.h"
#include "lease.h"
#include "lib/print/fault.h"
#include "off_cpu.h"
#include "stream.h"
#include "task_events.h"
#include "task_free.h"

struct graph_wants {
	/*
	 * Names and patterns, as set_graph_function takes them; NULL ends the list.  Each write costs 77 M (6.1) to 93 M
	 * (6.12) instructions, as the kernel compares the names of all functions.  roots == NULL: all functions in the
	 * instance's filter are roots, and the file stays empty.
	 */
	const char *const *roots;
	const uint32_t *tids;		/* of these tasks only, in the initial pid namespace */
	size_t tids_count;		/* 0: of all */
	bool new_threads;		/* and of those that they make; also of processes that they make */
	bool args;
	bool cpu_time;			/* how long calls had a CPU */
	uint32_t calls;			/* room for so many in trees that are not complete */
};

struct graph {
	const struct instance *instance;
	struct lease lease;
	struct stream stream;
	struct intact intact;		/* since it records */
	struct task_events tasks;
	struct off_cpu off_cpu;		/* of wants.cpu_time */
	struct task_free task_free;	/* without these records the trees of tasks that are gone are given at the end */
	struct graph_layout layout;
	struct call_trees trees;
	int on_fd;			/* tracing_on */
	uint64_t now_ns;		/* of the last record */
	uint64_t records;
	bool ended;
	struct stream_stats stats;	/* once it has ended */
	bool pending_lost;		/* told with a record that is no call's, for the next one */
	uint64_t pending;
	bool lost_some;			/* something was lost since the start */
	bool has_args;			/* the kernel gives them */
	uint64_t no_room;		/* calls */
	struct {
		uint32_t key;		/* a task's number; CPU + 1 of an idle task, with the upper bit */
		uint32_t overrun;	/* what its record said last, the lower bits */
	} overruns[1024];
	uint64_t missed;		/* calls that found no room on the stack of return addresses, as far as seen */
};

/* Whether this kernel takes the tracer in an instance, which is asked about it. */
bool graph__is_there(const struct instance *instance);

/*
 * Starts the tracer, without recording yet; take() gets the trees (call_trees.h).  0 or -errno, with a line in fault: -EBUSY where
 * somebody else uses function_graph or its files.  graph__close() takes one that failed or is zeroed.
 */
int graph__open(struct graph *graph, const struct instance *instance, const struct graph_wants *wants,
		void (*take)(void *ctx, const struct call_tree *tree), void *ctx, struct fault *fault);
void graph__close(struct graph *graph);

/* Recording begins.  0 or -errno. */
int graph__start(struct graph *graph);

/* Takes records that are there, `most` of them, but for those of the last moment, until graph__end().  How many, or -errno. */
int graph__read(struct graph *graph, int most);

/* The task with a number at the time of the last record, as task_events__at(). */
static inline const struct task *graph__task(struct graph *graph, uint32_t tid)
{
	return task_events__at(&graph->tasks, tid, graph->now_ns);
}

/* Recording ends.  What was recorded is still to be read, and then graph__finish() gives the trees that are not complete. */
void graph__end(struct graph *graph);
void graph__finish(struct graph *graph);

/* Calls that left no record, until now, and those without room in the trees.  0, or -errno where the statistics cannot be read. */
int graph__lost(const struct graph *graph, uint64_t *lost);

/* Gives back and closes all but the instance; graph__close() does it, too.  0 or -errno.  Takes one that failed or is zeroed. */
int graph__release(struct graph *graph);

#endif

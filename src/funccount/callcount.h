/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts calls by function: the `function` tracer in an instance of our own writes a record for each call, and this reads and counts
 * them.  Exact: counted + lost = calls, where lost is what the kernel says was overwritten before it was read.
 */
#ifndef PROBELIGHT_CALLCOUNT_H
#define PROBELIGHT_CALLCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/ftrace/function_tracer.h"
#include "lib/ftrace/name_list.h"
#include "lib/kernel/hash.h"
#include "lib/loop/batch.h"
#include "lib/print/fault.h"

struct callcount_cell {
	uint64_t count;			/* of the interval that runs */
	uint64_t shown;			/* of the one that was cut last */
	bool is_checked;		/* the function is one that is asked for */
};

struct callcount {
	struct function_tracer tracer;
	struct hash cells;		/* struct callcount_cell by the function's address: its symbol, or a few bytes behind (IBT) */
	size_t checked;			/* of those in use */
	uint64_t records;		/* counted since the start */
	bool (*is_wanted)(uint32_t tid);	/* whose calls are counted, set after callcount__open(); NULL: all threads' */
	uint64_t filtered;		/* calls of others, since the start */
	bool stopped;
	struct name_list names;		/* on kernels that do not tell them one by one */
	struct stream_stats stats;	/* when they were last read */
	uint64_t lost_before;		/* callcount__start() */
};

/*
 * Starts the tracer on the functions in the instance's set_ftrace_filter.  0 or -errno, with a line in fault: -EBUSY: function hooks are
 * switched off.  callcount__close() takes one that failed or is zeroed.
 */
int callcount__open(struct callcount *calls, const struct instance *instance, struct fault *fault);
void callcount__close(struct callcount *calls);

/* Counting begins, or ends.  After stop() everything was read, and the instance's files are closed.  0 or -errno. */
int callcount__start(struct callcount *calls);
int callcount__stop(struct callcount *calls);

/*
 * Takes what there is: up to now, where the instance has a clock (instance__set_clock()), so that a cut is at a time; else a round of the
 * stream; and no more than a batch, which may be NULL.  0 or -errno.
 */
int callcount__read(struct callcount *calls, struct batch *batch);

/* Makes the counts until now the shown ones, and begins anew. */
void callcount__cut(struct callcount *calls);

/*
 * Finds the names of all functions that were called, many at once, where that is cheaper than one by one (before 5.13).  Then
 * callcount__name() has them; NULL: not known.
 */
void callcount__find_names(struct callcount *calls);
const char *callcount__name(const struct callcount *calls, uint64_t address);

/* Calls that were overwritten before they were read, since the start. */
uint64_t callcount__lost(struct callcount *calls);

#endif

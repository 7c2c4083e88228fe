/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run of a tool that counts: [INTERVAL [COUNT]].  Its programs count in cells (counts.bpf.h) or in a table by key
 * (table.bpf.h), or in both; an interval is cut without stopping them, and every event counts in exactly one interval.
 *
 *	uint64_t print(struct tool *tool, const struct interval *interval);
 *
 *	tool__parse(&tool, argc, argv);				with about.counts set
 *	skel = NAME_bpf__open_opts(tool__open_opts(&tool));
 *	tool__run_intervals(&tool, skel, print);
 *	NAME_bpf__destroy(skel);
 *	return tool__finish(&tool);
 */
#ifndef PROBELIGHT_INTERVALS_H
#define PROBELIGHT_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "cells.h"
#include "lib/print/fault.h"
#include "lib/print/hist.h"
#include "table.h"
#include "tool.h"

struct batch;
struct tally;

struct interval {
	uint64_t number;		/* from 1 */
	uint64_t begin_ns, end_ns;	/* CLOCK_MONOTONIC; what was counted in between is here */
	bool partial;			/* ended before its time */
	const void *cells;		/* the value of each class, one after the other; NULL: the programs have none */
	size_t sums;			/* so often: 1, or for each CPU with tool.by_cpu */
	const struct table *table;	/* the keys that were seen and their values; none: table->count is 0 */
};

/*
 * Counts that come from elsewhere than BPF programs, such as an instance of tracefs, while the tool's object may have none.  The
 * print function knows where they are.  All take ctx; those that return int give 0 or -errno, which ends the run.
 */
struct counter {
	void *ctx;
	int64_t period_ms;		/* read() is called so often, at least */
	int (*wake_fd)(void *ctx);	/* and whenever this descriptor is readable; NULL: there is none */
	int (*start)(void *ctx);	/* counting begins now */
	int (*read)(void *ctx, struct batch *batch);	/* takes what there is, until the batch is over */
	int (*settle)(void *ctx);	/* before an interval is cut: has programs count what they have not yet; NULL: they have all */
	void (*cut)(void *ctx);		/* what was read until now is an interval, which is printed next */
	int (*stop)(void *ctx);		/* counting ends now; takes what is left, and closes what it reads */
	/* Sets lost, missed and filtered of the whole run, and what is in flight now.  Called after read() or stop(). */
	void (*tally)(void *ctx, struct tally *tally);
	uint64_t (*seen)(void *ctx);	/* events until now, for options.rate_max; NULL: those that programs count */
	/* 0, or -errno with a line in fault: somebody else has changed what counts them.  Also after stop().  NULL: nobody can. */
	int (*is_intact)(void *ctx, struct fault *fault);
};

/*
 * Prints an interval: rows by out__row(&tool->out, interval->end_ns) … out__end(), histograms by interval__hist().  Gives the
 * number of events that were counted in it.  With --metrics it is called twice for an interval: what is summed over the run is added in
 * tool.add_interval.
 */
typedef uint64_t (*tool_print_interval)(struct tool *tool, const struct interval *interval);

/*
 * Opens and loads what was not yet, attaches, counts and prints until a signal, -d, COUNT or a closed output ends it; then
 * detaches and prints what the last interval has, and the summary.  skel as for tool__opened().  tool->err.
 */
int tool__run_intervals(struct tool *tool, void *skel, tool_print_interval print);

/*
 * What stands above an interval's rows, in text: an empty line, the times, the header.  on_screen: --refresh on a terminal, where a whole
 * interval takes the place of the one before.
 */
void interval__heading(struct tool *tool, const struct interval *interval, bool on_screen);

/* {"interval":{…}}: what was counted in it (tally), so that a stream can be trusted while it runs.  For JSON alone. */
void interval__accounting(struct tool *tool, const struct interval *interval, const struct tally *tally);

/*
 * Prints a histogram that is not empty: as text, below a line `title` (NULL: none); in JSON as an object "hist", with
 * "key":KEY (a JSON value, or NULL).
 */
void interval__hist(struct tool *tool, const struct interval *interval, const struct hist_view *view, const char *title,
		    const char *key);

/* Prints a text of whole lines, and frees it. */
void interval__text(struct tool *tool, struct text_buffer *text);

/* Appends ",\"NAME\":\"TIME\",\"NAME_ns\":NS". */
void interval__add_time(struct text_buffer *text, struct tool *tool, const char *name, uint64_t ts_ns);

/* A key of a table, as text (untrusted bytes escaped) and as JSON. */
struct interval_key {
	char text[384];
	char json[512];
	/* values of any length, which must live until the key is printed; NULL: none */
	const char *text_more;		/* behind text */
	const char *json_more;		/* an object, too, whose members come behind those of json, which may be "" */
};

/* Fills it: "pid = 12 cat", {"pid":12,"comm":"cat"}; with a tid that is not 0 also that. */
void interval_key__task(struct interval_key *key, uint32_t pid, uint32_t tid, const char *comm);
void interval_key__comm(struct interval_key *key, const char *comm);	/* "comm = cat" */

/* Puts something else that is kept apart in front of what is there, or of nothing: "op = read", "\"op_name\":\"read\"". */
void interval_key__before(struct interval_key *key, const char *text, const char *json);

/*
 * Prints the histograms of a table whose values are struct hist_rough: those with the most events first, -r of them, the others
 * summed, together with `other`, that of the keys without room.  Gives the number of events.
 */
uint64_t interval__hists(struct tool *tool, const struct interval *interval, const struct hist_rough *other,
			 void (*describe)(const struct tool *tool, const void *key, struct interval_key *to));

/* Adds the buckets and the sum of a histogram to those of another one. */
void interval__add_hist(struct hist_rough *to, const struct hist_rough *hist);

extern char interval_total_name[16];	/* "TOTAL_usecs" */

/* A time in nanoseconds, in the unit of the tool's shape; in JSON nanoseconds.  UINT64_MAX is none. */
void interval__time(struct tool *tool, uint64_t value);

/* In the unit of the view's shape; in JSON nanoseconds.  The last two are bounds from above (lib/print/hist.h). */
void interval__times(struct tool *tool, const struct hist_view *times);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --metrics FILE of tools that count, and with --by of those that print rows: totals since the start, in Prometheus' text format, for a
 * collector that reads the file whenever it likes.  The frame does it.  A tool says what its numbers are called (struct metric), and its
 * print function prints an interval as ever: it is called once more, with all rows asked for, and what it prints is added up here.
 *
 * Series do not explode.  A label is never a number of a process or thread, an address, a path, a port or an id (metrics__is_label()): what
 * differs in such a value alone is one series.  Of each metric there are --series sets of labels at most, the first that come; all others
 * count in one whose labels say "(others)".  So no total ever falls within a run.
 */
#ifndef PROBELIGHT_METRICS_H
#define PROBELIGHT_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hist_view;
struct interval;
struct tally;
struct tool;

enum metric_kind {
	METRIC_EVENTS,		/* rows, by the columns that the user has chosen: all members are labels */
	METRIC_SUM,		/* a number of such rows, whose unit is in its key (metric_sums.h) */
	METRIC_COUNT,		/* a number of a row */
	METRIC_TIME,		/* the same, of nanoseconds */
	METRIC_HIST,		/* histograms */
};

/* A number that a tool counts.  A table of them ends with one without a name. */
struct metric {
	const char *name;	/* behind "probelight_"; says what is measured and its unit, as Prometheus names things: "softirqs_total" */
	const char *help;	/* one sentence, the same for ever: a collector drops a metric whose help differs between two files */
	enum metric_kind kind;
	const char *key;	/* METRIC_COUNT, METRIC_TIME: of the number, in JSON; METRIC_EVENTS: of the count */
	/* which members of a row, or of a histogram's key, are labels: "call=syscall,error" is `call` under the name syscall; NULL: none */
	const char *labels;
};

/* The table of a tool that prints rows: .metrics = METRIC_OF_ROWS("file_opens_total", "Calls that open a file.") */
#define METRIC_OF_ROWS(name, help) \
	((const struct metric[]){ { name, help, METRIC_EVENTS, "count", NULL }, { NULL, NULL, METRIC_EVENTS, NULL, NULL } })

/* ---- the command line */

void metrics__set_path(struct tool *tool, const char *path);	/* --metrics; "-" is stdout */
void metrics__set_run(struct tool *tool, const char *name);	/* --run */
void metrics__set_series(struct tool *tool, uint32_t series);	/* --series */
void metrics__remove(struct tool *tool);			/* --metrics-remove */

/* Whether the tool has these options: it says what its numbers are called. */
bool metrics__are_of(const struct tool *tool);

/* Once the command line is read: refuses what does not go together; sets the interval, and that all rows are JSON. */
void metrics__check(struct tool *tool);

/* Whether a member of that key may be a label. */
bool metrics__is_label(const char *key, size_t size);

/* Refuses a column, which the user calls name, that may be none.  For tools that find the columns of --count by themselves. */
void metrics__check_label(const char *name, const char *key);

/* ---- the run, where tool->metrics is set.  All set tool->err. */

/* Before capabilities are dropped. */
int metrics__open(struct tool *tool);

/* All is attached and the output is open: the counting begins. */
void metrics__begin(struct tool *tool);

/*
 * An interval is about to be printed by print(ctx, tool, interval): adds what it has.  Returns the number of events, as print() does, which
 * prints nothing.
 */
uint64_t metrics__take(struct tool *tool, const struct interval *interval,
		       uint64_t (*print)(void *ctx, struct tool *tool, const struct interval *interval), void *ctx);

/* A histogram of the interval that is being taken.  key: an object of JSON, or NULL. */
void metrics__take_hist(struct tool *tool, const char *key, const struct hist_view *view);

/* Whether one is being taken. */
bool metrics__is_taking(const struct tool *tool);

/* Writes the file.  total: of the run until now.  is_over: it is the last time. */
void metrics__write(struct tool *tool, const struct tally *total, bool is_over);

void metrics__free(struct tool *tool);

#endif

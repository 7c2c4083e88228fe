/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --count, --sum, --avg and --hist of tools that print rows.  No row is printed: at the end of each interval the tool prints how many
 * rows had which values, the sums and averages of their numbers, or how one of these is distributed.
 * A tool does nothing for it.  Its print function writes rows as ever, and out
 * hands them over (out__take_rows()) instead of printing them, so rows are counted by the values that they would have been printed with.
 * Where programs can count the events (counting_kernel.h), one row stands for all events that look alike.
 */
#ifndef PROBELIGHT_COUNTING_H
#define PROBELIGHT_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counting_kernel.h"
#include "lib/print/hist.h"
#include "lib/print/others.h"
#include "lib/print/out.h"
#include "lib/print/taken.h"
#include "row_counts.h"
#include "tally.h"

struct interval;
struct source;
struct tool;

#define COUNTING_COLUMNS_MAX 8
#define COUNTING_NUMBERS_MAX 4
#define COUNTING_KEYS 10240		/* the default of --keys */
#define COUNTING_NAME_MAX OUT_KEY_SIZE
#define COUNTING_OTHERS_WIDTH ((int)sizeof(OTHERS) - 1)

/* A column that rows are counted by. */
struct counting_column {
	size_t index;			/* in the tool's table */
	size_t place;			/* among the wanted columns, in the table's order */
	char key[COUNTING_NAME_MAX];	/* in JSON */
	char name[COUNTING_NAME_MAX];	/* in the header of the counts */
};

/* A column of --sum or --avg. */
struct counting_number {
	const char *asked;		/* as typed */
	bool is_average;
	bool is_key;			/* rows are counted by it, too */
	bool has_decimals;		/* its numbers are kept as thousandths */
	struct counting_column column;	/* key and name are those of the counts: sum_bytes */
	char key[COUNTING_NAME_MAX];	/* in the tool's rows */
};

struct counting {
	/* the command line (counting_columns.c) */
	struct tool *tool;
	const char *names[COUNTING_COLUMNS_MAX];
	size_t names_count;		/* 0: --hist alone */
	const char *hist_name;		/* --hist, or NULL */
	struct counting_number numbers[COUNTING_NUMBERS_MAX];
	size_t numbers_count;

	/* what that is of this tool's rows, once the command line is read */
	struct counting_column columns[COUNTING_COLUMNS_MAX];	/* in the user's order */
	struct counting_column hist_column;
	bool hist_is_key;		/* it is counted by as well */
	uint64_t hist_scale;		/* of its numbers in JSON to the histogram's values */
	struct hist_shape shape;
	char hist_title[COUNTING_NAME_MAX];	/* above its histogram, which names its unit: the key without one */
	bool rows_are_json;		/* which have all values; text only those that the options show */
	struct out_column table[COUNTING_COLUMNS_MAX + COUNTING_NUMBERS_MAX + 2];	/* of the counts */
	/* of each column of the table: index in columns; names_count: COUNT, and then the numbers */
	size_t printed[COUNTING_COLUMNS_MAX + COUNTING_NUMBERS_MAX + 1];
	size_t first_value;		/* of the table: its first column that is counted by */
	size_t rank_by;			/* the first of --sum */

	struct counting_kernel kernel;	/* where the programs count */

	/* the run (counting.c) */
	struct out rows;		/* the tool's rows go there; tool->out while a source is read (counting__enter()) */
	struct row_counts counts;	/* of the interval */
	struct hist hist;		/* of the interval; --hist without --count */
	uint64_t weight;		/* how many events the row is that is being taken */
	uint64_t rows_more;		/* how many more events than rows were taken, of the whole run */
	uint64_t refused, failed;	/* rows of the whole run: without a value for --hist; that came after a failure */
	struct tally reported;		/* what intervals have reported */
	uint64_t number, begin_ns, over_ns;
	bool is_whole, on_screen;
	char *scratch;
	size_t scratch_size;
};

/* ---- the command line */

/* Whether the tool has these options: it prints rows, and counts nothing by itself under these names.  Before the command line is read. */
bool counting__is_for(const struct tool *tool);

/* The options' values. */
void counting__add_names(struct tool *tool, char *text);
void counting__set_hist(struct tool *tool, const char *name);
void counting__add_numbers(struct tool *tool, char *text, bool are_averages);

/* Whether names of cgroups are counted, after counting__check(). */
bool counting__is_by_cgroup(const struct tool *tool);

/* Whether rows are counted by the column with that key, after counting__check(); false where none are. */
bool counting__is_by(const struct tool *tool, const char *key);

/* Once the command line is read: finds the columns, and refuses what does not go together. */
void counting__check(struct tool *tool);

/* Refuses the options that are for counts, where rows are printed, or sums that have no keys. */
void counting__check_rows(const struct tool *tool);

/* ---- the run: pump.c and tool_run.c call these where tool->counting is set */

/*
 * Opens what takes the rows, instead of tool->out, which gets the columns of the counts.  Before out__open().  The first interval begins.
 * 0 or -ENOMEM.
 */
int counting__open(struct tool *tool);

/* All is open: sets the source's due_ms. */
void counting__start(struct tool *tool, struct source *source);

/* With --metrics: the first text, before the header. */
void counting__begin_metrics(struct tool *tool);

/* What stands at the top: the header of the counts, or a line that it has begun. */
void counting__header(struct tool *tool);

/* Around all that prints rows. */
void counting__enter(struct tool *tool);
void counting__leave(struct tool *tool);

/* source->due_ms has come: prints the interval.  Whether it was the last one. */
bool counting__on_due(struct tool *tool, struct source *source);

/* The source ends now. */
void counting__end(struct tool *tool, const struct source *source);

/* Prints the last interval.  tally: of the whole run, delivered are rows; *to is that of counts. */
void counting__finish(struct tool *tool, const struct tally *tally, struct tally *to);

void counting__free(struct tool *tool);

/* Rows that were printed or counted. */
uint64_t tool__rows_done(const struct tool *tool);

/* Whether a column of the counts has room for the others' word. */
bool counting__has_room(const struct out_column *column);

/* ---- counting_print.c: prints what an interval has.  Returns how many rows were counted. */
uint64_t counting__print(struct counting *counting, const struct interval *interval);

/* Empties what the interval has. */
void counting__forget(struct counting *counting);

#endif

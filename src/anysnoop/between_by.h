/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The times between two events apart by the values of fields: --between A B --key FIELDS --count FIELDS, as a row for each combination of
 * values or, with --hist lat, as a histogram.  Of the first event the values are kept with its time until the second one comes.
 */
#ifndef PROBELIGHT_ANYSNOOP_BETWEEN_BY_H
#define PROBELIGHT_ANYSNOOP_BETWEEN_BY_H

#include "lib/gen/patch.h"
#include "lib/gen/plan.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"

#define BETWEEN_BY_PATCHES 7

struct between_by {
	size_t count;				/* of the fields; 0: times are not kept apart */
	bool has_hist;				/* histograms */
	const char *names[2][KEY_PARTS_MAX];	/* of the first event, and of the second */
	size_t names_count[2];
	int sides[KEY_PARTS_MAX];		/* of each field, in the user's order: whose it is */

	/* once it is planned */
	struct key keys[2];			/* the second one's values are behind the first one's */
	struct emit make[2];
	uint32_t size;				/* of both keys; as of struct key */
	struct out_column *columns;
	char *row;				/* room for all values */
};

extern const struct metric between_by_metrics[];

/* Takes the names of --count: "function", also "a.function", is of the first event, "b.ret" of the second.  A wrong one ends the run. */
void between_by__take(struct between_by *by, const struct plan_counts *wants, bool has_hist);

/* Once the plans are there: the keys, and tool->columns.  tool->err. */
int between_by__plan(struct between_by *by, struct tool *tool, const struct plan *plans);

/* Bytes that are kept of the first event. */
uint32_t between_by__kept(const struct between_by *by);

/* Adds BETWEEN_BY_PATCHES at most; returns how many there are then. */
size_t between_by__add_patches(const struct between_by *by, struct patch *patches, size_t count);

/* Sets the sizes of the table's maps, of an object that is opened and not loaded, or leaves them out.  0 or -errno. */
int between_by__prepare(const struct between_by *by, const struct bpf_object *object);

/* Prints an interval; as of tool_print_interval. */
uint64_t between_by__print(struct between_by *by, struct tool *tool, const struct interval *interval);

void between_by__free(struct between_by *by);

#endif

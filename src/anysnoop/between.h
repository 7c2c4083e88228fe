/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time between two events that a key joins: --between A B --key FIELDS.  Its programs are those of between.bpf.c; what they are
 * attached to, and how they get their generated parts, is anysnoop.c's as for all events.
 */
#ifndef PROBELIGHT_ANYSNOOP_BETWEEN_H
#define PROBELIGHT_ANYSNOOP_BETWEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "between_by.h"
#include "between_event.h"
#include "lib/gen/key_pair.h"
#include "lib/gen/patch.h"
#include "lib/gen/plan.h"
#include "lib/run/intervals.h"
#include "lib/run/tool.h"

struct between_bpf;

#define BETWEEN_PATCHES_MAX (20 + BETWEEN_BY_PATCHES)

struct between {
	bool is_wanted;				/* --between */
	bool ends;				/* --until of two events: the time between them ends a recording (flight.h) */
	bool has_programs;			/* the one or the other: the programs are those of between.bpf.c */
	bool has_hist;				/* --hist lat */
	struct between_by by;			/* --count */
	uint64_t slower_ns;			/* --slower */
	uint32_t pairs;				/* --pairs; 0: BETWEEN_PAIRS */
	struct key_names names;			/* --key */
	bool is_same;				/* both events are one: a program ends an interval and begins the next one */

	const struct plan *plans;		/* the two events, the caller's */
	bool has_fields[2];			/* rows have fields of it that were named */
	struct plan_counts asked[2];		/* what the keys read, for plan__make() */
	struct key keys[2];
	struct emit make_key[2];
	struct out_column *columns;
	char *row;				/* room for any value of a row */
	const struct between_bpf *skel;		/* the programs */
	struct tool *tool;
};

/* The arguments of --key and --pairs; a wrong one ends the run as bad usage. */
void between__set_key(struct between *between, char *text);
void between__set_pairs(struct between *between, const char *text);

/*
 * At the end of the command line: whether all of it goes together; else the run ends as bad usage.  hist_field: the argument of --hist, or
 * NULL; counts: of --count.
 */
void between__check(struct between *between, struct tool *tool, const struct requests *requests, const char *hist_field,
		    const struct plan_counts *counts);

/* The same for two events of --until, before between__check(). */
void between__check_until(struct between *between, const struct requests *requests);

/* What the key of event number 0 or 1 reads, for plan__make(). */
const struct plan_counts *between__asked(const struct between *between, size_t event);

/* Once the two plans are made: the keys, and tool->columns.  tool->err. */
int between__plan(struct between *between, struct tool *tool, const struct plan *plans, size_t count);

/* Bytes of a row that the key takes, and the copy of each event's fields. */
uint32_t between__key_size(const struct between *between);
uint32_t between__copy_size(const struct between *between, int side);

/* Whether a return's arguments or its time are asked for, so that its begin has to be kept. */
bool between__keeps_begin(const struct between *between, const struct plan *event);

/*
 * Whether an event has programs of its own; of two that are the same event the second one's does both.  In the skeleton there is one for
 * each kind of anysnoop.c's, in its order, and after these there is room for the second event's where it is of the same kind.
 */
#define BETWEEN_COMPILED 6
bool between__has_program(const struct between *between, const struct plan *event);

/* Adds the generated parts of an event's program; returns how many there are then.  BETWEEN_PATCHES_MAX at most are added. */
size_t between__add_patches(const struct between *between, const struct plan *event, struct patch *patches, size_t count);

/* Sets the sizes of the maps, of an object that is opened and not loaded.  Which programs are loaded is the caller's. */
void between__prepare(struct between *between, struct tool *tool, struct between_bpf *skel);

/* Has the run say what became of the first events before its summary, and in JSON. */
void between__tell(struct between *between, struct tool *tool, const struct between_bpf *skel);

/* The run: rows, or histograms.  tool->err. */
int between__run(struct between *between, struct tool *tool, struct between_bpf *skel);

void between__free(struct between *between);

#endif

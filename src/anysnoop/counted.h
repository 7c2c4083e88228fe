/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that are counted by their values instead of being printed: --count FIELD,... has a row for each combination of values and
 * --hist FIELD a histogram for each event.
 * With --stack and --ustack each event is sent with its values and its stacks, and counted by both (lib/run/counting.h).
 */
#ifndef PROBELIGHT_RUN_COUNTED_H
#define PROBELIGHT_RUN_COUNTED_H

#include "lib/gen/plan.h"
#include "lib/print/fault.h"
#include "lib/run/intervals.h"

struct counted {
	struct plan_counts wants;		/* the values */
	const char *hist;			/* the field of --hist; NULL: rows by key */
	bool by_stack;				/* programs send events, with what they are counted by as key */
	const struct plan *plans;		/* the events, the caller's */
	size_t plans_count;
	size_t programs_count;		/* those with programs of their own (run_events.h) */
	bool is_preempted;			/* programs may be preempted (lib/bpf/counted.bpf.h) */
	char *row;				/* room for the values of any of them, the caller's */
	struct out_column *columns;		/* made by counted__make_columns() */
};

/* Whether programs count. */
static inline bool counted__is_in_kernel(const struct counted *counted)
{
	return counted->wants.is_wanted && !counted->by_stack;
}

/* The argument of --count, "next_comm,next_pid", which must live as long; and that of --hist.  A wrong one ends the run as bad usage. */
void counted__add_names(struct counted *counted, char *text);
void counted__set_hist(struct counted *counted, const char *name);

/*
 * At the end of the command line: whether all of it goes together, given what the tool's events are; else the run ends as bad usage.
 * Afterwards wants is whole.
 */
void counted__check(struct counted *counted, struct tool *tool, const struct requests *requests);

/* Once the plans are made: tool->columns.  0, or -errno with one line in fault. */
int counted__make_columns(struct counted *counted, struct tool *tool, struct fault *fault);

/*
 * Of an object with lib/bpf/counted.bpf.h that is opened and not loaded: sets the sizes of the maps, and leaves out those that are not
 * needed; leave_out: all of them, for a run that prints rows.  0 or -errno.
 */
void counted__leave_out(const struct bpf_object *object);
int counted__prepare(const struct counted *counted, const struct bpf_object *object);

/* An event that was sent, as row that is counted by its stacks; as of tool_print_event.  data: struct anysnoop_event with its key. */
void counted__print_event(const struct counted *counted, struct tool *tool, const void *data);

/* Which words of the cells --rate is about. */
void counted__set_rate_words(const struct counted *counted, struct tool *tool);

void counted__free(struct counted *counted);

/* Prints an interval; as of tool_print_interval. */
uint64_t counted__print(const struct counted *counted, struct tool *tool, const struct interval *interval);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --count where the programs count (bpf/event_counts.bpf.h).  A tool's columns say which bytes of an event decide their values (struct
 * out_column, made_of).  If all columns of --count do, these bytes are the key, and no event is sent, so a burst loses none.  The
 * programs keep the first event of each key.  When an interval ends, the tool prints these events as it prints any event, and each such
 * row counts as often as its key was seen.  So values look as ever, and keys that print alike are one row.
 *
 * All else is counted from rows that are handed over (counting.h): paths, stacks, names of cgroups, values that the tool makes of what it
 * remembers, and --hist.
 */
#ifndef PROBELIGHT_COUNTING_KERNEL_H
#define PROBELIGHT_COUNTING_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "table.h"

struct event_stats;
struct tool;

/* Prints one event, with the end of its row; size: bytes. */
typedef void (*counting_print_event)(void *ctx, const void *event, size_t size);

struct counting_kernel {
	bool is_used;
	struct table table;
	struct event_stats *stats;
	size_t *order;			/* of the table's rows: by the time of their samples */
	char *event;			/* room for the largest */
	size_t event_size;
	uint64_t others;		/* events without room for their key, until the last look */
	counting_print_event print;
	void *ctx;
};

/*
 * For any tool, when its object is opened: prepares the counting in programs where they can count, and leaves it out elsewhere.  Sets
 * tool->err where maps cannot be prepared.
 */
void counting_kernel__choose(struct tool *tool);

/* Whether programs count, of any tool. */
bool counting_kernel__is_used(const struct tool *tool);

/* When the object is loaded, where programs count: print prints its events.  0 or -errno. */
int counting_kernel__open(struct tool *tool, counting_print_event print, void *ctx);

/*
 * Where programs count: takes what was counted since the last time, as if all these events had been printed now.  is_over: programs
 * count no more.  tool->err.
 */
void counting_kernel__take(struct tool *tool, bool is_over);

void counting_kernel__free(struct counting_kernel *kernel);

#endif

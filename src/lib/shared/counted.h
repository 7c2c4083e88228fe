/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that are counted by their values: what programs collect and count (lib/gen/key.h), and the user side prints
 * (anysnoop/counted.h).
 */
#ifndef PROBELIGHT_SHARED_COUNTED_H
#define PROBELIGHT_SHARED_COUNTED_H

#include "hist.h"

/* Where a program collects the values; from `index` on it is the key, as long as the values are. */
#define COUNTED_WORDS 64
struct counted_memory {
	__u64 id;		/* the task's pid << 32 | tid */
	__u64 index;		/* which event of the command line */
	__u64 values[COUNTED_WORDS - 1];
	__u64 is_busy;		/* a program is at work here, where others may interrupt it */
};

#define COUNTED_PREEMPTED 16	/* of an event on a CPU, where programs may be preempted at work */

#define COUNTED_KEYS 4096	/* room for so many, without --keys */

/* The value of a key. */
struct counted_value {
	__u64 count;
};

/* A class for each event with a histogram; by key there is one, for the events whose key found no room. */
struct counted_cells {
	__u64 others;
	__u64 calls;		/* all that are counted by key, where the rate of that is limited */
	struct hist values;
};

#endif

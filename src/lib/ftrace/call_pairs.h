/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many calls were overwritten where each leaves two records, its own and then its stack's (stack_record.h), and the kernel counts
 * records.  On a CPU the two kinds alternate, so of a number of records in a row it is known how many are calls if the kind of one end is
 * known.
 *
 *	calls = read + lost
 *
 * Exact, but for calls in what was overwritten that left no stack: two of these count as one.  (The kernel takes none where RCU does not
 * watch, as in some functions of the idle task.)
 */
#ifndef PROBELIGHT_FTRACE_CALL_PAIRS_H
#define PROBELIGHT_FTRACE_CALL_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

enum pair_half { PAIR_NONE, PAIR_CALL, PAIR_STACK };

/* Of one CPU; all zeroes is the start. */
struct call_pairs {
	enum pair_half last;		/* of the records that were read */
	uint64_t calls, stacks;		/* that were read */
	uint64_t open;			/* calls that another call followed: the stack did not come, or not yet */
	uint64_t alone;			/* stacks that followed another stack: the call was not recorded */
	/* of calls that were overwritten, what call_pairs__take_losses() has not told */
	bool lost_some, lost_unknown;
	uint64_t lost;
};

/* A record was read; lost_some and lost as in stream.h, of records. */
void call_pairs__add(struct call_pairs *pairs, enum pair_half half, bool lost_some, uint64_t lost);

/* Whether calls were overwritten since this was last asked, and how many; 0: the kernel does not tell. */
bool call_pairs__take_losses(struct call_pairs *pairs, uint64_t *lost);

/*
 * The calls that were overwritten, or found no room, of so many records.  While there are records that were not read yet it may be one too
 * many or too few.
 */
uint64_t call_pairs__lost(const struct call_pairs *pairs, uint64_t overwritten, uint64_t refused);

#endif

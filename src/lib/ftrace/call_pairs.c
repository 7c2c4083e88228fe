/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_pairs.h"

#include "lib/print/count.h"

void call_pairs__add(struct call_pairs *pairs, enum pair_half half, bool lost_some, uint64_t lost)
{
	if (lost_some) {
		/* the last one of these was of the other kind */
		uint64_t calls = half == PAIR_CALL ? lost / 2 : (lost + 1) / 2;

		/* a single one may be a stack, and no call is missing then */
		pairs->lost_some |= calls || !lost;
		pairs->lost_unknown |= !lost;
		pairs->lost += calls;
	} else if (half == PAIR_CALL && pairs->last == PAIR_CALL) {
		pairs->open++;
	} else if (half == PAIR_STACK && pairs->last == PAIR_STACK) {
		if (pairs->open)	/* of the call that this one interrupted */
			pairs->open--;
		else
			pairs->alone++;
	}
	pairs->last = half;
	if (half == PAIR_CALL)
		pairs->calls++;
	else
		pairs->stacks++;
}

bool call_pairs__take_losses(struct call_pairs *pairs, uint64_t *lost)
{
	bool lost_some = pairs->lost_some;

	*lost = pairs->lost_unknown ? 0 : pairs->lost;
	pairs->lost_some = pairs->lost_unknown = false;
	pairs->lost = 0;
	return lost_some;
}

uint64_t call_pairs__lost(const struct call_pairs *pairs, uint64_t overwritten, uint64_t refused)
{
	/* a record that was refused may be one that is seen to be missing */
	uint64_t missing = pairs->open + pairs->alone > refused ? pairs->open + pairs->alone : refused;
	uint64_t records = pairs->calls + pairs->stacks + overwritten + missing;
	/* they alternate, and the last one was read */
	uint64_t calls = (records + (pairs->last == PAIR_CALL)) / 2;

	return count__minus(calls, pairs->calls);
}

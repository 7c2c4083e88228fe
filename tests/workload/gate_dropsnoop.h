/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GATE_DROPSNOOP_H
#define GATE_DROPSNOOP_H

/* What is done to one event in a hundred, or in a full ring to all. */
enum gate_break {
	GATE_NOTHING,
	GATE_DROP,		/* the program forgets it */
	GATE_LOSE,		/* what does not fit into the ring buffer is not counted */
	GATE_SWALLOW,		/* the user side does not print it */
};

#endif

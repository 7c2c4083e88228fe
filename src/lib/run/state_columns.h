/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns of what the CPU was doing (--context), by what a record of ftrace says of that (ftrace/record_state.h): STATE, the kernel's five
 * letters, and their parts in JSON.  Runs without --context have a table without them.
 */
#ifndef PROBELIGHT_STATE_COLUMNS_H
#define PROBELIGHT_STATE_COLUMNS_H

#include <stdint.h>

#include "lib/print/out.h"

#define STATE_CONTEXT_OPTION(key) \
	{ "context", (key), NULL, 0, "what the CPU was doing: interrupts off, a switch wanted, in an interrupt, preemption off", 0 }
/* Why programs cannot have them, for messages. */
#define STATE_NO_PROGRAMS "--context: programs cannot see whether interrupts are off; records of ftrace tell it"

extern const struct out_column state_columns[];

/* A copy of a table with these columns before the one that has this name.  NULL without memory; for free(3). */
struct out_column *state_columns__insert(const struct out_column *columns, const char *before);

/* Their values, of a state as record_state__of() gives it. */
void state_columns__put(struct out *out, uint16_t state);

#endif

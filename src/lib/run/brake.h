/* SPDX-License-Identifier: BSD-2-Clause */
/* The brake: a run in which more comes in a second than the machine should be slowed down by is ended (tool.rate_max). */
#ifndef PROBELIGHT_BRAKE_H
#define PROBELIGHT_BRAKE_H

#include <stdint.h>

#include "tool.h"

#define BRAKE_PERIOD_MS 200	/* it looks so often */

struct brake {
	uint64_t seen;		/* at the last look */
	int64_t looked_ms;
};

/* The run begins, nothing has come yet. */
void brake__start(struct brake *brake);

/* Whether it is time to look again; never without tool->rate_max. */
bool brake__is_due(const struct brake *brake, const struct tool *tool);

/* Looks: seen is what has come until now, filtered or not; an estimate may be smaller than the one before.  tool->err. */
int brake__check(struct brake *brake, struct tool *tool, uint64_t seen);

#endif

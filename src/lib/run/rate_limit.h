/* SPDX-License-Identifier: BSD-2-Clause */
/* The rate limit: a run in which more comes in a second than the machine should be slowed down by is ended (--rate). */
#ifndef PROBELIGHT_RATE_LIMIT_H
#define PROBELIGHT_RATE_LIMIT_H

#include <stdint.h>

#include "tool.h"

#define RATE_LIMIT_PERIOD_MS 200	/* it looks so often */

struct rate_limit {
	uint64_t seen;		/* at the last look */
	int64_t looked_ms;
};

/* The run begins, nothing has come yet. */
void rate_limit__start(struct rate_limit *limit);

/* Whether it is time to look again; never without tool->options.rate_max. */
bool rate_limit__is_due(const struct rate_limit *limit, const struct tool *tool);

/* Looks: seen is what has come until now, filtered or not; an estimate may be smaller than the one before.  tool->err. */
int rate_limit__check(struct rate_limit *limit, struct tool *tool, uint64_t seen);

#endif

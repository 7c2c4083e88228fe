/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether what a run takes from is still ours, looked at every ten seconds and at the end (lib/ftrace/intact.h): if not, the run fails. */
#ifndef PROBELIGHT_RUN_WATCH_H
#define PROBELIGHT_RUN_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/print/fault.h"
#include "tally.h"
#include "tool.h"

struct watch {
	int (*is_intact)(void *ctx, struct fault *fault);	/* 0, or -errno with a line in fault; NULL: nobody can change it */
	void *ctx;
	int64_t looked_ms;
	bool is_broken;
};

#define WATCH_PERIOD_MS 10000	/* a look takes 2.3 M instructions where it reads set_ftrace_filter (6.1) */

/* Looks if it is time to.  tool->err. */
int watch__look(struct watch *watch, struct tool *tool);

/* Looks now: before numbers are printed, and when nothing is recorded any more.  tool->err. */
int watch__look_now(struct watch *watch, struct tool *tool);

/* Nobody knows what was missed by a source that somebody has changed. */
void watch__tally(const struct watch *watch, struct tally *tally);

#endif

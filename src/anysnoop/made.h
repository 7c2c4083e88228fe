/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which consumer has an event.  Programs have most of them, but not the records of events that were made at run time: on a probe's
 * event they get registers, and on synthetic and user events the kernel attaches them and never runs them.  ftrace records these.
 */
#ifndef PROBELIGHT_RUN_MADE_H
#define PROBELIGHT_RUN_MADE_H

#include "lib/print/fault.h"
#include "lib/run/tool.h"
#include "via.h"

/*
 * The consumer of a tracepoint's event under the options of the command line, an enum via_consumer; -EOPNOTSUPP with one line in
 * fault: none can.
 */
int made__consumer(const struct via *via, const struct tool *tool, const char *system, const char *name, struct fault *fault);

/*
 * Whether the system's events come from programs, and so in the middle of other events: perf's guard against recursion then drops them
 * before any program sees them, and nobody counts that.  Why missed is not known then.
 */
bool made__may_nest(const char *system);
#define MADE_NESTS_WHY "the kernel does not count events that come while another one is handled"

#endif

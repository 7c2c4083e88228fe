/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of our own in uprobe_events, which record what plans of functions of programs are for (--via ftrace and --via perf). */
#ifndef PROBELIGHT_ANYSNOOP_USER_RECORDS_H
#define PROBELIGHT_ANYSNOOP_USER_RECORDS_H

#include "lib/gen/plan.h"
#include "lib/print/fault.h"

/*
 * Defines the event of one of the run's plans, at all its places, which user_events.h has checked.  filter: as user_fetch__line() has it.
 * 0 and *raw, the format of its records, freed by format__free(); -errno with one line in fault.  uprobe_events__end() removes it, when
 * nothing records it any more.
 */
int user_records__define(const struct plan *plan, const char *filter, struct format **raw, struct fault *fault);

#endif

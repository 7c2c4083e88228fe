/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of our own in kprobe_events, which record the calls that plans are for (--via ftrace and --via perf). */
#ifndef PROBELIGHT_PROBE_RECORDS_H
#define PROBELIGHT_PROBE_RECORDS_H

#include "lib/gen/plan.h"
#include "lib/print/fault.h"

/*
 * Defines the event of a plan of calls. 0 and *raw, the format of its records, freed by format__free(); -errno with one line in fault.
 * kprobe_events__end() removes it, when nothing records it any more.
 */
int probe_records__define(const struct plan *plan, struct format **raw, struct fault *fault);

#endif

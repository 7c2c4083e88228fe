/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the kernel counts the runs of a program on a tracepoint or kprobe that it skips because another one is running on this CPU:
 * since 6.7 (dd8657894c11).  That links tell their misses (3acf8ace6823, e2b2cd592ad5, of the same series) does not say so: they are two
 * changes, and a distribution may have taken one.
 */
#ifndef PROBELIGHT_SKIPS_H
#define PROBELIGHT_SKIPS_H

#include <stdbool.h>

/*
 * An older kernel is asked, once a run: an event is made where programs are skipped, and is counted or not.  False where it cannot be
 * asked, as once the privileges are dropped.
 */
bool skips__are_counted(void);

#endif

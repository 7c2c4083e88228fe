/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells that a process of -p has ended: its number may be another one's then, and the filter knows numbers alone.
 */
#ifndef PROBELIGHT_ENDED_H
#define PROBELIGHT_ENDED_H

#include <stdint.h>

/*
 * From now on watches a process, by a pidfd (since 5.3), before system calls are restricted.  Of one that cannot be watched
 * nothing is reported.
 */
void ended__watch(uint32_t pid);

/* A line on stderr for each that has ended since the last call. */
void ended__tell(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells that a process of -p, a thread of -t, or the receiver of --target has ended: its number may be another one's
 * then, and the filter knows numbers alone.
 */
#ifndef PROBELIGHT_ENDED_H
#define PROBELIGHT_ENDED_H

#include <stdint.h>

/*
 * From now on watches a process or thread, before system calls are restricted; option is the one that named it, a
 * constant.  A process by a pidfd (since 5.3), another thread than its first by a pidfd of its own (since 6.9), or by its
 * name in /proc.  Of one that cannot be watched nothing is reported.
 */
void ended__watch(uint32_t id, const char *option);

/* How long ended__tell() may wait to be called again, in milliseconds: a second while anything is watched, else INT64_MAX. */
int64_t ended__look_ms(void);

/* A line on stderr for each that has ended since the last call. */
void ended__tell(void);

#endif

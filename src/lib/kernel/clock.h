/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock that never goes back: programs stamp their events with it (bpf_ktime_get_ns()). */
#ifndef PROBELIGHT_CLOCK_H
#define PROBELIGHT_CLOCK_H

#include <stdint.h>

#include "lib/print/clock.h"

/*
 * Nanoseconds since boot, without the time that the machine was suspended, also in a time namespace: it can be compared with
 * the times of events, and not with those that the C library's functions take.  Does not return if the clock cannot be read.
 */
static inline uint64_t now_ns(void)
{
	return (uint64_t)clock__kernel_ns();
}

#endif

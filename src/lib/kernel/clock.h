/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock that never goes back: programs stamp their events with it (bpf_ktime_get_ns()). */
#ifndef PROBELIGHT_CLOCK_H
#define PROBELIGHT_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since boot, without the time that the machine was suspended: CLOCK_MONOTONIC in clock_gettime(2).  Cannot fail. */
static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The time of day of an event, whose time stamp is the kernel's CLOCK_MONOTONIC (bpf_ktime_get_ns()). */
#ifndef PROBELIGHT_WALLCLOCK_H
#define PROBELIGHT_WALLCLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WALLCLOCK_SIZE 32	/* bytes that wallclock__format() may write */

struct wallclock {
	bool utc;			/* ISO 8601 in UTC; otherwise local time without the date */

	/* the rest is wallclock.c's */
	int64_t realtime_ns;		/* CLOCK_REALTIME - the kernel's CLOCK_MONOTONIC; 0: not read yet */
	int64_t second;			/* that text is of */
	char text[24];			/* the second as text */
	int day;			/* of the second: the year * 512 + the day of the year; 0: no second yet */
	char date[12];			/* of the second, "2026-11-22" */
	bool is_given;			/* realtime_ns is that of another run */
};

void wallclock__init(struct wallclock *clock, bool utc);

/*
 * Writes ts_ns to `to`: "14:03:59.123456", or with utc "2026-11-22T14:03:59.123456Z".  No 0 byte; returns the size.  The first call reads
 * the distance of the two clocks, and so does the next one after each wallclock__forget().  Any ts_ns is written as some time; what the
 * calendar of the C library does not have is "0000-00-00T00:00:00".
 */
size_t wallclock__format(struct wallclock *clock, char *to, uint64_t ts_ns);

/* Writes the time of day to the second, in UTC: "2026-11-22T14:03:59Z" and a 0 byte. */
void wallclock__write_now(char to[WALLCLOCK_SIZE]);

/* The distance that the next call has: CLOCK_REALTIME - the kernel's CLOCK_MONOTONIC, in nanoseconds. */
int64_t wallclock__distance(struct wallclock *clock);

/* From now on the distance is this one, of another run or machine; the clocks are not read any more. */
void wallclock__give(struct wallclock *clock, int64_t distance_ns);

/* Makes the next call read the clocks: somebody may have set the time. */
static inline void wallclock__forget(struct wallclock *clock)
{
	if (!clock->is_given)
		clock->realtime_ns = 0;
}

#endif

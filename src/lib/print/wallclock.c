/* SPDX-License-Identifier: BSD-2-Clause */
#include "wallclock.h"

#include <string.h>
#include <time.h>

#include "clock.h"

static const int64_t NS_PER_SECOND = 1000000000;

#define CLOCK_TRIES 5

void wallclock__init(struct wallclock *clock, bool utc)
{
	*clock = (struct wallclock){ .utc = utc, .second = INT64_MIN };
}

/*
 * The two clocks cannot be read at the same time, and the process may lose its CPU in between: by 3 ms once, on an emulated real-time
 * kernel.  Of some tries the one that took the shortest time counts, and half of that time is the error at most.
 */
static void read_clocks(struct wallclock *clock)
{
	int64_t shortest_ns = INT64_MAX;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		int64_t before_ns = clock__kernel_ns(), real_ns = clock__ns(CLOCK_REALTIME);
		int64_t took_ns = clock__kernel_ns() - before_ns;

		if (took_ns >= shortest_ns)
			continue;
		shortest_ns = took_ns;
		clock->realtime_ns = real_ns - before_ns - took_ns / 2;
	}
}

static char *digits(char *to, uint32_t value, int count)
{
	for (int i = count - 1; i >= 0; i--, value /= 10)
		to[i] = (char)('0' + value % 10);
	return to + count;
}

/* "2026-11-22"; returns its end. */
static char *write_date(char *to, const struct tm *tm)
{
	to = digits(to, (uint32_t)tm->tm_year + 1900, 4);
	*to++ = '-';
	to = digits(to, (uint32_t)tm->tm_mon + 1, 2);
	*to++ = '-';
	return digits(to, (uint32_t)tm->tm_mday, 2);
}

/* "14:03:59"; returns its end. */
static char *write_time(char *to, const struct tm *tm)
{
	to = digits(to, (uint32_t)tm->tm_hour, 2);
	*to++ = ':';
	to = digits(to, (uint32_t)tm->tm_min, 2);
	*to++ = ':';
	return digits(to, (uint32_t)tm->tm_sec, 2);
}

/* The calendar's time.  A year beyond an int is none (EOVERFLOW): then all numbers are 0. */
static struct tm calendar_time(time_t seconds, bool utc)
{
	struct tm tm;

	if (!(utc ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm)))
		tm = (struct tm){ .tm_year = -1900, .tm_mon = -1 };
	return tm;
}

static void write_second(struct wallclock *clock, time_t seconds)
{
	struct tm tm = calendar_time(seconds, clock->utc);
	char *end = clock->text;

	if (clock->utc) {
		end = write_date(end, &tm);
		*end++ = 'T';
	}
	if (clock->day != tm.tm_year * 512 + tm.tm_yday) {
		clock->day = tm.tm_year * 512 + tm.tm_yday;
		*write_date(clock->date, &tm) = '\0';
	}
	*write_time(end, &tm) = '\0';
}

void wallclock__write_now(char to[WALLCLOCK_SIZE])
{
	struct tm tm = calendar_time(clock__ns(CLOCK_REALTIME) / NS_PER_SECOND, true);

	to = write_date(to, &tm);
	*to++ = 'T';
	to = write_time(to, &tm);
	*to++ = 'Z';
	*to = '\0';
}

int64_t wallclock__distance(struct wallclock *clock)
{
	if (!clock->realtime_ns && !clock->is_given)
		read_clocks(clock);
	return clock->realtime_ns;
}

void wallclock__give(struct wallclock *clock, int64_t distance_ns)
{
	clock->realtime_ns = distance_ns;
	clock->is_given = true;
}

size_t wallclock__format(struct wallclock *clock, char *to, uint64_t ts_ns)
{
	int64_t real_ns, second, rest_ns;
	size_t size;
	char *end;

	/* a garbled time stamp must not overflow, and a time before 1970 has a rest below its second, too */
	real_ns = (int64_t)(ts_ns + (uint64_t)wallclock__distance(clock));
	second = real_ns / NS_PER_SECOND - (real_ns % NS_PER_SECOND < 0);
	rest_ns = real_ns % NS_PER_SECOND + (real_ns % NS_PER_SECOND < 0 ? NS_PER_SECOND : 0);
	if (second != clock->second) {
		write_second(clock, second);
		clock->second = second;
	}
	size = strlen(clock->text);
	memcpy(to, clock->text, size);
	end = to + size;
	*end++ = '.';
	end = digits(end, (uint32_t)(rest_ns / 1000), 6);
	if (clock->utc)
		*end++ = 'Z';
	return (size_t)(end - to);
}

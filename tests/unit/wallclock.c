/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/wallclock: time stamps as text; what /proc/self/timens_offsets says. */
#include "lib/print/wallclock.h"

#include <stdlib.h>
#include <time.h>

#include "check.h"

#define SECOND 1000000000LL

static const char *text_of(struct wallclock *clock, uint64_t ts_ns)
{
	static char text[WALLCLOCK_SIZE + 1];

	text[wallclock__format(clock, text, ts_ns)] = '\0';
	return text;
}

static void test_offsets(void)
{
	CHECK_INT(wallclock__parse_offsets("monotonic           0         0\nboottime            0         0\n"), 0);
	CHECK_INT(wallclock__parse_offsets("monotonic       86400       123\nboottime            7         0\n"), 86400 * SECOND + 123);
	/* the kernel keeps the nanoseconds positive */
	CHECK_INT(wallclock__parse_offsets("boottime 7 0\nmonotonic          -2 500000000\n"), -2 * SECOND + 500000000);
	CHECK_INT(wallclock__parse_offsets(""), 0);
	CHECK_INT(wallclock__parse_offsets("monotonic"), 0);
	CHECK_INT(wallclock__parse_offsets("boottime 5 5\n"), 0);
	CHECK_INT(wallclock__parse_offsets("monotonic 99999999999999999999 0\n"), 0);
}

static void test_format(void)
{
	struct wallclock utc, local;

	setenv("TZ", "XYZ-5:30", 1);
	tzset();
	wallclock__init(&utc, true);
	wallclock__init(&local, false);
	/* the clocks are not read: 2024-02-29T23:59:58 and some, with a monotonic clock that began 1,000 seconds before */
	utc.realtime_ns = local.realtime_ns = (1709251198 - 1000) * SECOND;
	CHECK_STR(text_of(&utc, 1000 * SECOND), "2024-02-29T23:59:58.000000Z");
	CHECK_STR(text_of(&utc, 1000 * SECOND + 1999), "2024-02-29T23:59:58.000001Z");
	CHECK_STR(text_of(&utc, 1002 * SECOND - 1), "2024-02-29T23:59:59.999999Z");
	CHECK_STR(text_of(&utc, 1002 * SECOND), "2024-03-01T00:00:00.000000Z");
	CHECK_STR(text_of(&local, 1000 * SECOND), "05:29:58.000000");
	/* back again, as rows of several CPUs may come */
	CHECK_STR(text_of(&utc, 1001 * SECOND), "2024-02-29T23:59:59.000000Z");
}

/* Outside of any time namespace: now is now. */
static void test_now(void)
{
	struct timespec monotonic;
	struct wallclock clock;
	char before[32];
	time_t now;
	struct tm tm;

	wallclock__init(&clock, true);
	clock_gettime(CLOCK_REALTIME, &monotonic);
	now = monotonic.tv_sec;
	strftime(before, sizeof(before), "%Y-%m-%dT%H:%M:%S", gmtime_r(&now, &tm));
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	CHECK(strcmp(text_of(&clock, (uint64_t)(monotonic.tv_sec * SECOND + monotonic.tv_nsec) + SECOND), before) > 0);
	CHECK(clock.has_namespace);
}

int main(void)
{
	test_offsets();
	test_format();
	test_now();
	return check_done();
}

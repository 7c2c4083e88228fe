/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/wallclock: time stamps as text; what /proc/self/timens_offsets says. */
#include "lib/print/wallclock.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "lib/print/clock.h"

#define SECOND 1000000000LL

static const char *text_of(struct wallclock *clock, uint64_t ts_ns)
{
	static char text[WALLCLOCK_SIZE + 1];

	text[wallclock__format(clock, text, ts_ns)] = '\0';
	return text;
}

static void test_offsets(void)
{
	CHECK_INT(clock__parse_offset("monotonic           0         0\nboottime            0         0\n", "monotonic"), 0);
	CHECK_INT(clock__parse_offset("monotonic       86400       123\nboottime            7         0\n", "monotonic"),
		  86400 * SECOND + 123);
	/* the kernel keeps the nanoseconds positive */
	CHECK_INT(clock__parse_offset("boottime 7 0\nmonotonic          -2 500000000\n", "monotonic"), -2 * SECOND + 500000000);
	CHECK_INT(clock__parse_offset("", "monotonic"), 0);
	CHECK_INT(clock__parse_offset("monotonic", "monotonic"), 0);
	CHECK_INT(clock__parse_offset("boottime 5 5\n", "monotonic"), 0);
	CHECK_INT(clock__parse_offset("monotonic 86400 0\nboottime 5 5\n", "boottime"), 5 * SECOND + 5);
	CHECK_INT(clock__parse_offset("monotonic 99999999999999999999 0\n", "monotonic"), 0);
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

/* Time stamps that nobody can have made are some text all the same, of the usual size and of digits. */
static void test_garbled(void)
{
	static const uint64_t stamps[] = { 0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX, UINT64_MAX / 3, 0xdeadbeefdeadbeef };
	static const int64_t offsets[] = { 1, -1, INT64_MAX, INT64_MIN, 1709251198 * SECOND };

	for (size_t i = 0; i < sizeof(stamps) / sizeof(*stamps); i++) {
		for (size_t j = 0; j < sizeof(offsets) / sizeof(*offsets); j++) {
			struct wallclock utc, local;

			wallclock__init(&utc, true);
			wallclock__init(&local, false);
			utc.realtime_ns = local.realtime_ns = offsets[j];
			CHECK_INT(strlen(text_of(&utc, stamps[i])), 27);
			CHECK_INT(strspn(text_of(&utc, stamps[i]), "0123456789-T:.Z"), 27);
			CHECK_INT(strlen(text_of(&local, stamps[i])), 15);
			CHECK_INT(strspn(text_of(&local, stamps[i]), "0123456789:."), 15);
		}
	}
	/* half a second before 1970 */
	struct wallclock before = { .utc = true, .second = INT64_MIN, .realtime_ns = -SECOND };

	CHECK_STR(text_of(&before, SECOND / 2), "1969-12-31T23:59:59.500000Z");
}

/* Outside of any time namespace: now is now. */
static void test_now(void)
{
	struct timespec monotonic;
	struct wallclock clock;
	char before[32], written[WALLCLOCK_SIZE];
	time_t now;
	struct tm tm;

	wallclock__init(&clock, true);
	clock_gettime(CLOCK_REALTIME, &monotonic);
	now = monotonic.tv_sec;
	strftime(before, sizeof(before), "%Y-%m-%dT%H:%M:%S", gmtime_r(&now, &tm));
	wallclock__write_now(written);
	CHECK_INT(strlen(written), 20);
	CHECK(written[19] == 'Z' && strncmp(written, before, 19) >= 0);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	CHECK(strcmp(text_of(&clock, (uint64_t)(monotonic.tv_sec * SECOND + monotonic.tv_nsec) + SECOND), before) > 0);
}

/* A clock that the kernel refuses ends the process, with a message and no success. */
static void test_refused(void)
{
	int fds[2], status;
	char text[128];
	ssize_t got;
	pid_t child;

	CHECK(!pipe(fds));
	child = fork();
	if (!child) {
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		/* no such clock: EINVAL */
		clock__ns(12345);
		_exit(0);
	}
	close(fds[1]);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	got = read(fds[0], text, sizeof(text) - 1);
	text[got > 0 ? got : 0] = 0;
	CHECK_STR(text, "probelight: the clock cannot be read: Invalid argument\n");
	close(fds[0]);
}

int main(void)
{
	test_offsets();
	test_format();
	test_garbled();
	test_now();
	test_refused();
	return check_done();
}

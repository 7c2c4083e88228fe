/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the workloads share: the measured span, and the writers.
 *
 * A workload does its set-up, calls work__begin(), makes its events, calls work__end(), which prints
 *
 *	EVENTS SPAN BEFORE AFTER
 *
 * the number of events, the span in nanoseconds of the monotonic clock (instructions, where the guest counts them), and
 * the CPU time that the tool had used at the begin and at the end of the span, in nanoseconds.  work__run() does that for
 * events that any number of processes can make.
 */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORK_MARKER "/tmp/bench-marker"		/* stands in the rows of the tools that show a path */
#define WORK_CGROUP_CPU "/sys/fs/cgroup/bench/cpu.stat"	/* of the cgroup that the tool runs in */
#define WORK_ALIGN_NS 100000000

static inline int64_t work__now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* CPU time of all that runs in the tool's cgroup; 0 where there is none. The file stays open: an open is an event. */
static inline int64_t work__tool_cpu_ns(void)
{
	static int fd = -1;
	char text[512] = "";
	const char *usage;

	if (fd < 0)
		fd = open(WORK_CGROUP_CPU, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, text, sizeof(text) - 1, 0) < 0)
		return 0;
	usage = strstr(text, "usage_usec ");
	return usage ? strtoll(usage + strlen("usage_usec "), NULL, 10) * 1000 : 0;
}

static inline void work__sleep_until(int64_t at_ns)
{
	struct timespec until = { .tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		;
}

/* Sleeps until the clock is at a multiple of WORK_ALIGN_NS: every span then meets the timer ticks at the same places. */
static inline void work__align(void)
{
	work__sleep_until((work__now_ns() / WORK_ALIGN_NS + 1) * WORK_ALIGN_NS);
}

struct work_span {
	int64_t start_ns;
	int64_t tool_ns;
};

static inline struct work_span work__begin(void)
{
	struct work_span span;

	work__align();
	span.tool_ns = work__tool_cpu_ns();
	span.start_ns = work__now_ns();
	return span;
}

static inline void work__end(const struct work_span *span, long events)
{
	int64_t end_ns = work__now_ns(), tool_ns = work__tool_cpu_ns();

	printf("%ld %lld %lld %lld\n", events, (long long)(end_ns - span->start_ns), (long long)span->tool_ns,
	       (long long)tool_ns);
	fflush(stdout);
}

static inline long work__number(int argc, char **argv, int at, long otherwise)
{
	return argc > at ? strtol(argv[at], NULL, 10) : otherwise;
}

static inline void work__make(long count, long rate, void (*make)(void))
{
	int64_t start_ns = work__now_ns();

	for (long i = 0; i < count; i++) {
		if (rate)
			work__sleep_until(start_ns + i * 1000000000 / rate);
		make();
	}
}

/*
 * PROGRAM COUNT [WRITERS [RATE]]: calls make that often, in so many processes at once (1), at RATE a second together (0: as
 * fast as it goes).  prepare is called before, in each writer; NULL: nothing.  For main() to return.
 */
static inline int work__run(int argc, char **argv, void (*prepare)(void), void (*make)(void))
{
	long count = work__number(argc, argv, 1, 1), writers = work__number(argc, argv, 2, 1);
	long rate = work__number(argc, argv, 3, 0), each = count / writers;
	struct work_span span;
	int gate[2];

	if (writers == 1) {
		if (prepare)
			prepare();
		span = work__begin();
		work__make(count, rate, make);
		work__end(&span, count);
		return 0;
	}
	/* they wait for the pipe to be closed, and so start together */
	if (pipe(gate))
		return 1;
	for (long i = 0; i < writers; i++) {
		char byte;

		if (fork())
			continue;
		close(gate[1]);
		if (prepare)
			prepare();
		if (read(gate[0], &byte, 1))
			_exit(1);
		work__make(each, rate / writers, make);
		_exit(0);
	}
	span = work__begin();
	close(gate[1]);
	while (wait(NULL) > 0)
		;
	work__end(&span, each * writers);
	return 0;
}

#endif

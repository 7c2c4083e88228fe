/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu_timers.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "attached.h"
#include "cleaner.h"
#include "lib/kernel/clock.h"
#include "lib/kernel/cpu_changes.h"

#define EXPIRIES 16
#define PERIOD_PER_EXPIRY 111	/* so that expiries take 0.9 % */
#define PERIOD_MAX_NS 10000000
#define PERIOD_STEP_NS 10000

/* The cleaner's job. */
struct timers {
	struct cpu_set wanted;
	uint64_t period_ns, mark;
	bool is_fixed;
	int failed_cpu;
};
_Static_assert(sizeof(struct timers) <= CLEANER_CONTEXT_MAX, "it is sent to the cleaner");

/* In the cleaner alone. */
static int events[CPUS_MAX];		/* descriptors; -1: none */
static struct cpu_changes changes = { .fd = -1 };

uint64_t cpu_timers__mark(void)
{
	static uint64_t mark;

	/* a time cannot be the same in two processes of one number, nor are two processes of one number there at a time */
	if (!mark)
		mark = now_ns() << 22 ^ (uint64_t)getpid() ?: 1;
	return mark;
}

/* cpu: -1: on the CPU that this thread runs on, while it does */
static int open_event(int cpu, uint64_t period_ns, uint64_t mark)
{
	/*
	 * The timer alone is wanted, no samples.  perf would also stop an event with more samples between two ticks than
	 * kernel.perf_event_max_sample_rate allows: after 40 ms of an idle CPU, which has no ticks, until the first tick after that.
	 */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attr), .sample_period = period_ns,
		.exclude_user = 1, .exclude_kernel = 1, .config2 = mark,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * How long an expiry stops what runs, in nanoseconds; 0 where it cannot be measured.  A loop reads the clock while a timer
 * runs.  Its longest pauses are the expiries, and a few other things: their median is that of an expiry.
 */
static uint64_t measure_expiry(uint64_t period_ns)
{
	uint64_t longest[EXPIRIES] = { 0 }, shortest = UINT64_MAX, last, end;
	int fd = open_event(-1, period_ns, 0);

	if (fd < 0)
		return 0;
	last = now_ns();
	end = last + (EXPIRIES + 1) * period_ns;
	while (last < end) {
		uint64_t now = now_ns(), pause = now - last;
		size_t least = 0;

		last = now;
		shortest = pause < shortest ? pause : shortest;
		for (size_t i = 1; i < EXPIRIES; i++)
			if (longest[i] < longest[least])
				least = i;
		if (pause > longest[least])
			longest[least] = pause;
	}
	close(fd);
	qsort(longest, EXPIRIES, sizeof(*longest), compare);
	/* a machine that is stalled may not get that far: the clock was read fewer times than there are places */
	return longest[EXPIRIES / 2] > shortest ? longest[EXPIRIES / 2] - shortest : 0;
}

/* The period, or a longer one where the timer would take more than 1 % of a CPU: it takes that from whatever runs there. */
static uint64_t affordable_period(uint64_t period_ns)
{
	uint64_t least_ns = measure_expiry(period_ns) * PERIOD_PER_EXPIRY;

	if (least_ns > period_ns)
		period_ns = (least_ns + PERIOD_STEP_NS - 1) / PERIOD_STEP_NS * PERIOD_STEP_NS;
	return period_ns < PERIOD_MAX_NS ? period_ns : PERIOD_MAX_NS;
}

/* Opens the event of a wanted CPU, if it is online.  0 or -errno. */
static int open_on(const struct timers *timers, int cpu)
{
	int fd = cpu_set__has(&timers->wanted, cpu) ? open_event(cpu, timers->period_ns, timers->mark) : -ENODEV;

	events[cpu] = fd < 0 ? -1 : fd;
	/* it is not wanted, or went again meanwhile */
	return fd < 0 && fd != -ENODEV ? fd : 0;
}

static void close_on(int cpu)
{
	if (events[cpu] >= 0)
		close(events[cpu]);
	events[cpu] = -1;
}

static int undo(void *context)
{
	(void)context;
	for (int cpu = 0; cpu < CPUS_MAX; cpu++)
		close_on(cpu);
	cpu_changes__close(&changes);
	return 0;
}

static int make(void *context)
{
	struct timers *timers = context;
	int err;

	memset(events, -1, sizeof(events));
	err = cpu_changes__open(&changes);
	if (!timers->is_fixed)
		timers->period_ns = affordable_period(timers->period_ns);
	/* in another cleaner they have the period that the tool knows */
	timers->is_fixed = true;
	for (int cpu = 0; cpu < CPUS_MAX && !err; cpu++) {
		if (!cpu_set__has(&changes.online, cpu))
			continue;
		err = open_on(timers, cpu);
		if (err)
			timers->failed_cpu = cpu;
	}
	if (err)
		undo(context);
	return err;
}

static int watch(void *context)
{
	(void)context;
	return changes.fd;
}

static void on_change(void *context)
{
	bool has_come;
	int cpu;

	while (cpu_changes__next(&changes, &cpu, &has_come)) {
		close_on(cpu);
		if (has_come)
			open_on(context, cpu);
	}
}

static const struct cleaner_work work = { .make = make, .undo = undo, .watch = watch, .readable = on_change, .ends_with_cleaner = true };

int cpu_timers__start(struct cpu_timers *timers, const struct cpu_set *cpus, uint64_t *period_ns, bool is_fixed)
{
	struct timers wanted = { .wanted = *cpus, .period_ns = *period_ns, .mark = cpu_timers__mark(),
				 .is_fixed = is_fixed, .failed_cpu = -1 };
	int job = cleaner__add(&work, &wanted, sizeof(wanted));

	*timers = (struct cpu_timers){ .job = job > 0 ? job : 0, .failed_cpu = wanted.failed_cpu };
	if (job < 0)
		return job;
	*period_ns = wanted.period_ns;
	attached__note(NULL, "timer", CPU_TIMERS_FUNCTION);
	return 0;
}

void cpu_timers__end(struct cpu_timers *timers)
{
	if (timers->job)
		cleaner__undo(timers->job);
	timers->job = 0;
}

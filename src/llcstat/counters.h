/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two events of llcstat, counted on each CPU by perf_event_open(2), as a group: where the processor's counters take turns, the two
 * count at the same time.
 */
#ifndef PROBELIGHT_LLCSTAT_COUNTERS_H
#define PROBELIGHT_LLCSTAT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/kernel/cpu_changes.h"
#include "lib/run/tool.h"

#define COUNTERS_EVENTS 2

struct counters {
	const char *names[COUNTERS_EVENTS];	/* the caller's */
	int maps[COUNTERS_EVENTS];		/* that programs read them by, index by CPU; the caller's */
	struct counters_cpu {
		int cpu;
		int fds[COUNTERS_EVENTS];
	} *list;
	size_t cpus;
	struct cpu_changes changes;
};

struct counters_sums {
	uint64_t counts[COUNTERS_EVENTS];
	uint64_t enabled_ns, running_ns;	/* of all CPUs: for how long they should have counted, and did */
};

/* Opens them; they do not count yet.  tool->err.  counters__close() takes what failed, or is zeroed. */
int counters__open(struct counters *counters, struct tool *tool);
void counters__close(struct counters *counters);

/* They count from now on, or no more.  0 or -errno. */
int counters__start(struct counters *counters);
int counters__stop(struct counters *counters);

/* Says which CPUs have come, which are not counted, and which have gone. */
void counters__follow_cpus(struct counters *counters);

/* What they have counted.  0 or -errno. */
int counters__read(const struct counters *counters, struct counters_sums *sums);

#endif

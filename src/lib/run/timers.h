/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timers that tools sample by: a perf event on each CPU, with its program, also on CPUs that come online later.  On those the
 * cleaner opens it (probe/cleaner.h), as it has the capabilities that the tool has given up.
 */
#ifndef PROBELIGHT_TIMERS_H
#define PROBELIGHT_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/kernel/cpu_changes.h"
#include "tool.h"

struct timer;

struct timers {
	/* the caller's, before it opens them */
	bool cycles;			/* a sample each `period` cycles that a CPU works, else each `period` ns */
	uint64_t period;

	size_t cpus;			/* that have, or had, a timer */
	struct timer *list;		/* one for each of them */
	struct cpu_changes changes;
	int job;			/* the cleaner's; 0: none */
};

/* Starts them, before privileges are dropped.  tool->err.  timers__close() takes what failed, or is zeroed. */
int timers__open(struct timers *timers, struct tool *tool, const struct bpf_program *program);
void timers__close(struct timers *timers);

/* From now on samples are due.  0 or -errno. */
int timers__start(struct timers *timers);

/* Starts a timer on each CPU that has come online, and says so, or why it cannot. */
void timers__follow_cpus(struct timers *timers);

/*
 * How many samples there should be by now, since timers__start(): of a CPU that is offline, as many as when it was last seen online.
 * 0 or -errno.
 */
int timers__count_due(struct timers *timers, uint64_t *due);

#endif

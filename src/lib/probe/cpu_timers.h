/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A timer on each CPU that expires in hard interrupt context, also on CPUs that come online later: a perf event of the CPU's
 * clock, whose hrtimer is pinned.  No program is attached to the event: one on timer:hrtimer_expire_entry sees the expiry.
 *
 * The events belong to the cleaner (cleaner.h).  It has the capabilities that the tool gives up, and opens the event of a CPU
 * when the kernel tells that the CPU is online.
 */
#ifndef PROBELIGHT_CPU_TIMERS_H
#define PROBELIGHT_CPU_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/kernel/cpus.h"

struct cpu_timers {
	int job;		/* the cleaner's; 0: none */
	int failed_cpu;		/* cpu_timers__start() failed there; -1: no CPU's fault */
};

/* The function that these timers call, and those of all other perf events of a CPU's clock. */
#define CPU_TIMERS_FUNCTION "perf_swevent_hrtimer"

/*
 * A number by which a program knows our events: their attr.config2, which the kernel keeps and does not use for the CPU's
 * clock.  It differs from that of other processes, and is not 0.
 */
uint64_t cpu_timers__mark(void);

/*
 * Starts a timer of *period_ns nanoseconds on each CPU of the set that is online, and returns when all run.  Unless the period is fixed, it
 * is made longer where the timer would take more than 1 % of a CPU (at most 10 ms): call it when the program is attached.
 * 0, or -errno of cleaner__add() or perf_event_open(2).
 */
int cpu_timers__start(struct cpu_timers *timers, const struct cpu_set *cpus, uint64_t *period_ns, bool is_fixed);

/* Ends them; also zeroed, and twice. */
void cpu_timers__end(struct cpu_timers *timers);

#endif

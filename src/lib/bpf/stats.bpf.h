/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the programs of a tool count: what was lost, filtered or not seen to end; and when counting ends.  The user side maps
 * the counters and adds them up (lib/run/tally).
 */
#ifndef PROBELIGHT_STATS_BPF_H
#define PROBELIGHT_STATS_BPF_H

#include <bpf/bpf_helpers.h>

#include "atomic.bpf.h"
#include "lib/shared/event.h"

/* A map of its own, so that the user side finds it by name and reads it without a system call. */
struct event_stats event_stats[EVENT_STATS_SLOTS] SEC(".bss.stats") = {};

/*
 * The words that are no CPU's own.  Every event reads them, so they must not share a cache line with a counter that is
 * written often.  They live in the last slot, which only CPU 63 (127, …) uses.  A variable of their own would be one more
 * BPF map to make at every start.
 */
static __always_inline struct event_stats *event_stats_common(void)
{
	return &event_stats[EVENT_STATS_SLOTS - 1];
}

/* The words of the first slot alone. */
static __always_inline struct event_stats *event_stats_first(void)
{
	return &event_stats[0];
}

/* Whether the run is over: nothing is an event any more, neither delivered nor counted. */
static __always_inline bool event_is_over(void)
{
	return *(volatile __u64 *)&event_stats_common()->closed;
}

/*
 * Events may nest (an interrupt's program inside a task's), and on PREEMPT_RT a program can be preempted by another
 * one on the same CPU: hence atomic, on a line that no other CPU writes.
 */
static __always_inline struct event_stats *event_stats_of(__u32 cpu)
{
	return &event_stats[cpu & (EVENT_STATS_SLOTS - 1)];
}

static __always_inline struct event_stats *event_stats_slot(void)
{
	return event_stats_of(bpf_get_smp_processor_id());
}

static __always_inline void event_count_lost(void)
{
	if (!event_is_over())
		atomic_add(&event_stats_slot()->lost, 1);
}

/* Lost because a table of the programs is full. */
static __always_inline void event_count_no_room(void)
{
	if (!event_is_over())
		atomic_add(&event_stats_slot()->no_room, 1);
}

static __always_inline void event_count_filtered(void)
{
	if (!event_is_over())
		atomic_add(&event_stats_slot()->filtered, 1);
}

/* A call that no program saw begin, or saw end.  For while the run is not over: callers change in_flight with it. */
static __always_inline void event_count_unmatched(void)
{
	atomic_add(&event_stats_slot()->unmatched, 1);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sections with interrupts off by how late a timer is: the user side has a perf event on each CPU, of the CPU's clock, whose hrtimer
 * expires in hard interrupt context each period, on PREEMPT_RT too (perf_swevent_hrtimer() in kernel/events/core.c).  A timer
 * that was due in such a section expires at its end.  The stack is that of the interrupt, below it what it interrupted: the section's
 * end.
 */
#ifndef PROBELIGHT_LATENESS_BPF_H
#define PROBELIGHT_LATENESS_BPF_H

#include <bpf/bpf_core_read.h>

#include "section.bpf.h"

struct hrtimer___part {
	struct {
		s64 expires;
	} node;
	void *function;
} __attribute__((preserve_access_index));

struct hw_perf_event___part {
	struct hrtimer___part hrtimer;
} __attribute__((preserve_access_index));

struct perf_event_attr___part {
	u64 config2;
} __attribute__((preserve_access_index));

struct perf_event___part {
	struct perf_event_attr___part attr;
	struct hw_perf_event___part hw;
} __attribute__((preserve_access_index));

/* Whether a timer with perf's function is one of ours.  perf record, profile and others have such timers, too. */
static __always_inline bool lateness_is_ours(const struct hrtimer___part *timer)
{
	u32 offset = bpf_core_field_offset(struct perf_event___part, hw) + bpf_core_field_offset(struct hw_perf_event___part, hrtimer);
	const struct perf_event___part *event = (const void *)timer - offset;

	return BPF_CORE_READ(event, attr.config2) == wants.timer_mark;
}

/* timer:hrtimer_expire_entry: (timer, now) */
static __always_inline int lateness_at_expiry(u64 *ctx)
{
	const struct hrtimer___part *timer = (const struct hrtimer___part *)ctx[0];
	struct section_counts *counts;
	struct section_ends ends = {};
	s64 now = ctx[1], late;

	if ((u64)BPF_CORE_READ(timer, function) != wants.timer_function || !lateness_is_ours(timer))
		return 0;
	/* a pointer to the time up to 6.12, since 7.0 the time itself, which is not negative */
	if (now < 0)
		bpf_probe_read_kernel(&now, sizeof(now), (void *)now);
	late = now - BPF_CORE_READ(timer, node.expires);
	if (late < 0)
		late = 0;
	counts = counts_at(1, 0);
	if (counts)
		section_ended(ctx, counts, late, SECTION_TIMER, &ends);
	return 0;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every section with interrupts or preemption off, exactly: the tracepoints preemptirq:irq_disable, irq_enable, preempt_disable and
 * preempt_enable (CONFIG_PREEMPTIRQ_TRACEPOINTS).  They tell changes of the state alone: of nested sections the outermost.  The
 * rule is that of the kernel's own tracers (kernel/trace/trace_irqsoff.c): a section begins with the first of the kinds that
 * a tool looks at and ends with the last one, and the idle loop's sleep is in none.
 */
#ifndef PROBELIGHT_IRQS_OFF_BPF_H
#define PROBELIGHT_IRQS_OFF_BPF_H

#include "section.bpf.h"

/* kinds: all that the tool looks at; ctx: CALLER_ADDR0 and CALLER_ADDR1 of who switched it off. */
static __always_inline int irqs_off_begin(u64 *ctx, u32 kinds, u32 kind)
{
	struct section_counts *counts = counts_at(1, 0);

	if (!counts)
		return 0;
	if (kinds != kind) {
		u64 off = counts->off;

		counts->off = off | kind;
		/* what is off already was seen to begin; but for this kind itself, whose end was missed */
		if (off & ~(u64)kind && !(off & kind))
			return 0;
	}
	counts->begun_ns = bpf_ktime_get_ns();
	counts->from = ctx[0];
	counts->from_caller = ctx[1];
	return 0;
}

/*
 * The section is over, but for `off`, which the caller sets behind it: an interrupt in between finds either a section that goes on, or
 * none at all, and begins its own.
 */
static __always_inline u64 irqs_off_take(struct section_counts *counts, struct section_ends *ends)
{
	u64 begun_ns = counts->begun_ns;

	ends->from = counts->from;
	ends->from_caller = counts->from_caller;
	counts->begun_ns = 0;
	asm volatile("" ::: "memory");
	return begun_ns;
}

static __always_inline int irqs_off_end(u64 *ctx, u32 kinds, u32 kind)
{
	struct section_counts *counts = counts_at(1, 0);
	struct section_ends ends;
	u64 begun_ns, now;

	if (!counts)
		return 0;
	if (kinds != kind && counts->off & ~(u64)kind) {
		counts->off &= ~(u64)kind;
		return 0;
	}
	now = bpf_ktime_get_ns();
	/* most sections: all that has to be done for them */
	begun_ns = counts->begun_ns;
	if (section_is_short(counts, now - begun_ns)) {
		counts->begun_ns = 0;
		asm volatile("" ::: "memory");
		if (kinds != kind)
			*(volatile u64 *)&counts->off = 0;
		return 0;
	}
	begun_ns = irqs_off_take(counts, &ends);
	ends.to = ctx[0];
	ends.to_caller = ctx[1];
	if (kinds != kind)
		*(volatile u64 *)&counts->off = 0;
	if (begun_ns)
		section_ended(ctx, counts, now - begun_ns, SECTION_EXACT, &ends);
	return 0;
}

/* power:cpu_idle: (state, cpu); state is -1 when the sleep is over.  The idle task has preemption off all the time. */
static __always_inline int irqs_off_idle(u64 *ctx, u32 kinds)
{
	struct section_counts *counts = counts_at(1, 0);
	struct section_ends ends = {};

	if (!counts)
		return 0;
	if ((u32)ctx[0] != (u32)-1) {
		u64 now = bpf_ktime_get_ns(), begun_ns = irqs_off_take(counts, &ends);

		if (begun_ns)
			section_ended(ctx, counts, now - begun_ns, SECTION_EXACT, &ends);
		return 0;
	}
	if (kinds & SECTION_PREEMPT)
		counts->off |= SECTION_PREEMPT;
	counts->begun_ns = bpf_ktime_get_ns();
	counts->from = 0;
	counts->from_caller = 0;
	return 0;
}

#endif

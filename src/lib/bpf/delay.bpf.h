/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a CPU does not switch though it should: from the mark, need_resched, to the switch.  The mark is seen at resched_curr(),
 * since 6.13 at __resched_curr(), whose second argument tells lazy marks.
 *
 * No program may be on the tracepoint sched_set_need_resched_tp (7.x).  When it ends, the kernel calls rcu_read_unlock(), which may set the
 * mark, and so calls the tracepoint again, until the stack has no room: 7.3 panicked.
 *
 * __schedule() clears the mark, and may choose the same task again: no switch.  So a mark counts for the __schedule() that follows it,
 * which is seen at rcu_note_context_switch(), and for no later one.
 */
#ifndef PROBELIGHT_DELAY_BPF_H
#define PROBELIGHT_DELAY_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "arch.bpf.h"
#include "section.bpf.h"

/* A flavour of its own: what a kernel lacks is an error only where the program is reached (lib/layout/layout.h). */
struct rq___delay {
	struct task_struct___mark *curr;
	int cpu;
} __attribute__((preserve_access_index));

static __always_inline struct section_counts *delay_cell(u32 cpu)
{
	return bpf_map_lookup_elem(&counts_map, &cpu);
}

/* resched_curr(rq) or, where there are lazy marks, __resched_curr(rq, number of the flag); called with the run queue's lock */
static __always_inline int delay_wanted(struct pt_regs *ctx)
{
	const struct rq___delay *rq = (const struct rq___delay *)PT_REGS_PARM1(ctx);
	struct section_counts *counts = delay_cell(BPF_CORE_READ(rq, cpu));
	const struct task_struct___mark *task = BPF_CORE_READ(rq, curr);
	bool lazily = wants.flag_lazy && (u32)PT_REGS_PARM2(ctx) == wants.flag_lazy;
	/* the two flags are neighbours */
	u32 flag_now = wants.flag_lazy ? wants.flag_lazy - 1 : ARCH_NEED_RESCHED_BIT;

	/* the idle task is never marked lazily */
	if (lazily && !BPF_CORE_READ(task, pid))
		lazily = false;
	/* marked already: the kernel does nothing */
	if (!counts || arch_is_marked(task, flag_now) || (lazily && arch_is_marked(task, wants.flag_lazy)))
		return 0;
	if (lazily)
		counts->wanted_lazily_ns = bpf_ktime_get_ns();
	else
		counts->wanted_ns = bpf_ktime_get_ns();
	return 0;
}

/* rcu_note_context_switch(), which __schedule() calls first, with interrupts off */
static __always_inline int delay_schedules(void)
{
	struct section_counts *counts = counts_at(1, 0);

	if (!counts)
		return 0;
	counts->taken_ns = counts->wanted_ns;
	counts->taken_lazily_ns = counts->wanted_lazily_ns;
	counts->wanted_ns = 0;
	counts->wanted_lazily_ns = 0;
	return 0;
}

/* sched_switch; runs as the task that leaves */
static __always_inline int delay_switched(u64 *ctx)
{
	struct section_counts *counts = counts_at(1, 0);
	struct section_ends ends = {};
	u32 source = SECTION_SWITCH;
	u64 wanted_ns;

	if (!counts)
		return 0;
	wanted_ns = counts->taken_ns;
	/* at the next tick the kernel marks a task fully that it has marked lazily: the delay is the whole of it */
	if (wants.lazy && counts->taken_lazily_ns) {
		wanted_ns = counts->taken_lazily_ns;
		source = SECTION_LAZY;
	}
	counts->taken_ns = 0;
	counts->taken_lazily_ns = 0;
	/* a mark of the task that leaves, made while __schedule() looked for the next one, is cleared with it */
	counts->wanted_ns = 0;
	counts->wanted_lazily_ns = 0;
	if (!wanted_ns)
		return 0;
	section_ended(ctx, counts, bpf_ktime_get_ns() - wanted_ns, source, &ends);
	return 0;
}

#endif

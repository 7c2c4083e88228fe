/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections with interrupts or preemption off: exactly by tracepoints, or by both of the ways that stock kernels leave. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/delay.bpf.h"
#include "lib/bpf/irqs_off.bpf.h"
#include "lib/bpf/lateness.bpf.h"

#define BOTH (SECTION_IRQS | SECTION_PREEMPT)

SEC("raw_tp/irq_disable")
int irq_disable(u64 *ctx)
{
	return irqs_off_begin(ctx, BOTH, SECTION_IRQS);
}

SEC("raw_tp/irq_enable")
int irq_enable(u64 *ctx)
{
	return irqs_off_end(ctx, BOTH, SECTION_IRQS);
}

SEC("raw_tp/preempt_disable")
int preempt_disable(u64 *ctx)
{
	return irqs_off_begin(ctx, BOTH, SECTION_PREEMPT);
}

SEC("raw_tp/preempt_enable")
int preempt_enable(u64 *ctx)
{
	return irqs_off_end(ctx, BOTH, SECTION_PREEMPT);
}

SEC("raw_tp/cpu_idle")
int cpu_idle(u64 *ctx)
{
	return irqs_off_idle(ctx, BOTH);
}

SEC("raw_tp/hrtimer_expire_entry")
int hrtimer_expire_entry(u64 *ctx)
{
	return lateness_at_expiry(ctx);
}

/* or __resched_curr; the user side attaches it */
SEC("kprobe")
int resched_curr(struct pt_regs *ctx)
{
	return delay_wanted(ctx);
}

SEC("kprobe")
int rcu_note_context_switch(struct pt_regs *ctx)
{
	return delay_schedules();
}

SEC("raw_tp/sched_switch")
int sched_switch(u64 *ctx)
{
	return delay_switched(ctx);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

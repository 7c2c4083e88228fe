/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections with preemption off: exactly by tracepoints, or the delays of switches that somebody waited for. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/delay.bpf.h"
#include "lib/bpf/irqs_off.bpf.h"

SEC("raw_tp/preempt_disable")
int preempt_disable(u64 *ctx)
{
	return irqs_off_begin(ctx, SECTION_PREEMPT, SECTION_PREEMPT);
}

SEC("raw_tp/preempt_enable")
int preempt_enable(u64 *ctx)
{
	return irqs_off_end(ctx, SECTION_PREEMPT, SECTION_PREEMPT);
}

SEC("raw_tp/cpu_idle")
int cpu_idle(u64 *ctx)
{
	return irqs_off_idle(ctx, SECTION_PREEMPT);
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

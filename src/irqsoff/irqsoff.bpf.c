/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections with interrupts off: exactly by tracepoints, or by how late a timer is. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/irqs_off.bpf.h"
#include "lib/bpf/lateness.bpf.h"

SEC("raw_tp/irq_disable")
int irq_disable(u64 *ctx)
{
	return irqs_off_begin(ctx, SECTION_IRQS, SECTION_IRQS);
}

SEC("raw_tp/irq_enable")
int irq_enable(u64 *ctx)
{
	return irqs_off_end(ctx, SECTION_IRQS, SECTION_IRQS);
}

SEC("raw_tp/cpu_idle")
int cpu_idle(u64 *ctx)
{
	return irqs_off_idle(ctx, SECTION_IRQS);
}

SEC("raw_tp/hrtimer_expire_entry")
int hrtimer_expire_entry(u64 *ctx)
{
	return lateness_at_expiry(ctx);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

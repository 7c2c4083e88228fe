/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time between irq_handler_entry and irq_handler_exit, by interrupt line and handler.  Handlers run with interrupts off and do
 * not nest, so the begin is kept in the CPU's own cell (by thread it would be wrong: all idle CPUs are thread 0).
 *
 * The kernel asks every handler of a shared line; those whose device it was not return 0 (IRQ_NONE), and count as filtered.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "hardirqs.h"

struct irqaction___part {
	const char *name;
} __attribute__((preserve_access_index));

COUNTS(struct hardirq_counts, 1);
TABLE(struct hardirq_key, struct hist_rough, HARDIRQ_KEYS);

const volatile bool with_times = true;
const volatile bool per_cpu = false;

/* The arguments: the number of the line, the action, and at the exit what its handler returned (include/trace/events/irq.h). */
SEC("raw_tp/irq_handler_entry")
int irq_handler_entry(u64 *ctx)
{
	struct hardirq_counts *counts;

	if (event_is_over())
		return 0;
	counts = counts_at(1, 0);
	if (!counts)
		return 0;
	counts->begun_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("raw_tp/irq_handler_exit")
int irq_handler_exit(u64 *ctx)
{
	const struct irqaction___part *action = (const struct irqaction___part *)ctx[1];
	struct hardirq_key key = { .irq = (u32)ctx[0] };
	struct hardirq_counts *counts;
	struct hist_rough *hist;
	const char *name;
	u64 time = 0;

	if (event_is_over())
		return 0;
	counts = counts_at(1, 0);
	if (!counts)
		return 0;
	if (with_times) {
		/* it had begun before the tool did */
		if (!counts->begun_ns)
			return 0;
		time = bpf_ktime_get_ns() - counts->begun_ns;
		counts->begun_ns = 0;
	}
	if (!(int)ctx[2]) {
		event_count_filtered();
		return 0;
	}
	name = BPF_CORE_READ(action, name);
	if (bpf_probe_read_kernel_str(key.name, sizeof(key.name), name) == sizeof(key.name))
		bpf_probe_read_kernel(&key.name[sizeof(key.name) - 1], 1, name + sizeof(key.name) - 1);
	if (per_cpu)
		key.cpu = bpf_get_smp_processor_id();
	hist = table_at(&key);
	hist_rough_add(hist ? hist : &counts->others, time);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time between softirq_entry and softirq_exit, by vector.  A CPU runs one softirq at a time, and what begins on a CPU ends
 * there; on PREEMPT_RT too, where they run in threads that hold the CPU's softirq lock.  So the begin is kept in the CPU's own
 * cell, and nothing can be full.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "softirqs.h"

COUNTS(struct softirq_counts, SOFTIRQS);

SEC("raw_tp/softirq_entry")
int softirq_entry(u64 *ctx)
{
	struct softirq_counts *counts;

	if (event_is_over())
		return 0;
	counts = counts_at(SOFTIRQS, (u32)ctx[0]);
	if (!counts)
		return 0;
	counts->begun_ns = bpf_ktime_get_ns();
	count_begin();
	return 0;
}

SEC("raw_tp/softirq_exit")
int softirq_exit(u64 *ctx)
{
	struct softirq_counts *counts;
	u64 begun_ns;

	if (event_is_over())
		return 0;
	counts = counts_at(SOFTIRQS, (u32)ctx[0]);
	/* it had begun before the tool did */
	if (!counts || !counts->begun_ns)
		return 0;
	begun_ns = counts->begun_ns;
	counts->begun_ns = 0;
	count_end();
	hist_add(&counts->time, bpf_ktime_get_ns() - begun_ns);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

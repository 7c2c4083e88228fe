/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time between softirq_entry and softirq_exit, by vector.  A CPU runs one softirq at a time, and what begins on a CPU ends
 * there; on PREEMPT_RT too, where they run in threads that hold the CPU's softirq lock.  So the begin is kept in the CPU's own
 * cell, and nothing can be full.
 *
 * With -L it is the time between softirq_raise and softirq_entry: a softirq runs on the CPU that raises it, once for all raises before.
 * One that is raised again after the kernel has taken what is pending (__do_softirq()) and before it comes to that vector runs once
 * more; only the first of the two raises is kept, so the second run is counted as not raised.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/tp_prog.bpf.h"
#include "softirqs.h"

COUNTS(struct softirq_counts, SOFTIRQS);

static __always_inline struct softirq_counts *counts_of_vector(u32 vector)
{
	return event_is_over() ? NULL : counts_at(SOFTIRQS, vector);
}

/* The argument of all raw tracepoints here: the vector (include/trace/events/irq.h). */
static __always_inline struct softirq_counts *counts_of(const u64 *ctx)
{
	return counts_of_vector((u32)ctx[0]);
}

SEC("raw_tp/softirq_entry")
int softirq_entry(u64 *ctx)
{
	struct softirq_counts *counts = counts_of(ctx);

	if (counts)
		counts->since_ns = bpf_ktime_get_ns();
	return 0;
}

/* Counts the time since then, or nothing where that was before the tool began. */
static __always_inline bool count_time(struct softirq_counts *counts)
{
	u64 since_ns = counts->since_ns;

	if (!since_ns)
		return false;
	counts->since_ns = 0;
	hist_add(&counts->time, bpf_ktime_get_ns() - since_ns);
	return true;
}

SEC("raw_tp/softirq_exit")
int softirq_exit(u64 *ctx)
{
	struct softirq_counts *counts = counts_of(ctx);

	if (counts)
		count_time(counts);
	return 0;
}

/* as ctxgen writes it */
struct tp_irq__softirq_raise {
	__u32 vec;				/* at 8: unsigned int */
} __attribute__((preserve_access_index));

/*
 * -L.  No raw tracepoint: when a program on one ends, the kernel calls rcu_read_unlock(), which in an interrupt may raise
 * RCU_SOFTIRQ, and so run the program again without end ("rcu: Fix rcu_read_unlock() deadloop due to softirq").  perf's
 * tracepoints do not enter themselves (perf_swevent_get_recursion_context()).
 */
SEC("tp/irq/softirq_raise")
int TP_PROG(softirq_raise, struct tp_irq__softirq_raise *ctx)
{
	struct softirq_counts *counts = counts_of_vector(ctx->vec);

	if (counts && !counts->since_ns)
		counts->since_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("raw_tp/softirq_entry")
int softirq_raised(u64 *ctx)
{
	struct softirq_counts *counts = counts_of(ctx);

	if (counts && !count_time(counts))
		count_add(&counts->no_raise, 1);
	return 0;
}

/* -C */
SEC("raw_tp/softirq_entry")
int softirq_counted(u64 *ctx)
{
	struct softirq_counts *counts = counts_of(ctx);

	if (counts)
		count_add(&counts->count, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

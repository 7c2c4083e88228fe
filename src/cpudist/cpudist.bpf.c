/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long tasks run on a CPU at a time, from one hook: when a CPU is switched away from a task, the scheduler's own last_arrival
 * tells when it got the CPU, and the run queue's clock what time it is.  Nothing is kept between events, so nothing can be full.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/other.bpf.h"
#include "lib/bpf/sched.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "cpudist.h"

COUNTS(struct cpudist_counts, 1);
TABLE(struct cpudist_key, struct hist_rough, CPUDIST_KEYS);

const volatile bool by_process = false;
const volatile bool by_thread = false;

static __always_inline struct hist_rough *hist_of_key(const struct task_struct___part *task)
{
	struct task_struct___part *named = (struct task_struct___part *)task;
	struct cpudist_key key = { .pid = task_process(task) };

	if (by_thread)
		key.tid = task_thread(task);
	else
		named = BPF_CORE_READ(task, group_leader);
	bpf_probe_read_kernel_str(key.comm, sizeof(key.comm), &named->comm);
	return table_at(&key);
}

/* prev and next: include/trace/events/sched.h, the same on all kernels */
SEC("raw_tp/sched_switch")
int sched_switch(u64 *ctx)
{
	const struct task_struct___part *prev = (const struct task_struct___part *)ctx[1];
	struct cpudist_counts *counts;
	struct hist_rough *hist;
	u64 arrival, time;

	if (event_is_over())
		return 0;
	arrival = BPF_CORE_READ(prev, sched_info.last_arrival);
	/* the idle task has none */
	if (!arrival || other_filtered(prev))
		return 0;
	counts = counts_at(1, 0);
	if (!counts)
		return 0;
	time = sched_clock_of(prev, &counts->queue) - arrival;
	if (!by_process && !by_thread) {
		hist_add(&counts->times, time);
		return 0;
	}
	hist = hist_of_key(prev);
	hist_rough_add(hist ? hist : &counts->others, time);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

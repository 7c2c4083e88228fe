/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long tasks wait for a CPU, from one hook: when a CPU is switched to a task, the scheduler's own numbers tell how long that one
 * waited, also on other CPUs' run queues.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/other.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "lib/bpf/task_key.bpf.h"
#include "lib/bpf/wait.bpf.h"
#include "runqlat.h"

COUNTS(struct runqlat_counts, 1);
TABLE(struct task_key, struct hist_rough, RUNQLAT_KEYS);

/* The number of the pid namespace that the task is in: the last one in which it has a pid. */
static __always_inline u32 pidns_of(const struct task_struct___part *task)
{
	const struct pid___part *pid = BPF_CORE_READ(task, thread_pid);
	u32 level = BPF_CORE_READ(pid, level);

	return level < PID_NS_LEVELS_MAX ? BPF_CORE_READ(&pid->numbers[0] + level, ns, ns.inum) : 0;
}

static __always_inline struct hist_rough *hist_of_key(const struct task_struct___part *task, bool by_pidns)
{
	struct task_key key = {};

	if (by_pidns)
		key.pidns = pidns_of(task);
	else
		task_key_set(&key, task);
	return table_at(&key);
}

/* prev and next: include/trace/events/sched.h, the same on all kernels */
static __always_inline int switched(const struct task_struct___part *next, bool by_pidns)
{
	struct runqlat_counts *counts;
	struct hist_rough *hist;
	u64 queued, wait;

	if (event_is_over())
		return 0;
	queued = BPF_CORE_READ(next, sched_info.last_queued);
	/* the idle task does not wait */
	if (!queued || other_filtered(next))
		return 0;
	counts = counts_at(1, 0);
	if (!counts)
		return 0;
	wait = wait_of(next, queued, &counts->queue);
	if (task_key_kind == TASK_KEY_NONE) {
		hist_add(&counts->waits, wait);
		return 0;
	}
	hist = hist_of_key(next, by_pidns);
	hist_rough_add(hist ? hist : &counts->others, wait);
	return 0;
}

SEC("raw_tp/sched_switch")
int sched_switch(u64 *ctx)
{
	return switched((const struct task_struct___part *)ctx[2], false);
}

/* --pidnss: a program of its own, as what it reads costs each start of the other one */
SEC("raw_tp/sched_switch")
int sched_switch_pidns(u64 *ctx)
{
	return switched((const struct task_struct___part *)ctx[2], true);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

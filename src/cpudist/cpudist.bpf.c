/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long tasks run on a CPU at a time, from one hook: when a CPU is switched away from a task, the scheduler's own last_arrival
 * tells when it got the CPU, and the run queue's clock what time it is.  Nothing is kept between events, so nothing can be full.
 *
 * The time off a CPU (-O) the kernel does not keep: there it is kept when a task leaves.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/call.bpf.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/other.bpf.h"
#include "lib/bpf/sched.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "lib/bpf/task_key.bpf.h"
#include "cpudist.h"

COUNTS(struct cpudist_counts, 1);
TABLE(struct task_key, struct hist_rough, CPUDIST_KEYS);

/*
 * -O: when tasks left their CPU, by the task's address: numbers are those of all idle tasks, and a thread that execs takes another's.  A
 * task that has ended is never back, and is not kept.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CPUDIST_TASKS);
	__type(key, u64);
	__type(value, u64);
} away SEC(".maps");

static __always_inline void count_time(const struct task_struct___part *task, struct cpudist_counts *counts, u64 time)
{
	struct task_key key = {};
	struct hist_rough *hist;

	if (task_key_kind == TASK_KEY_NONE) {
		hist_add(&counts->times, time);
		return;
	}
	task_key_set(&key, task);
	hist = table_at(&key);
	hist_rough_add(hist ? hist : &counts->others, time);
}

/* prev and next: include/trace/events/sched.h, the same on all kernels */
SEC("raw_tp/sched_switch")
int sched_switch(u64 *ctx)
{
	const struct task_struct___part *prev = (const struct task_struct___part *)ctx[1];
	struct cpudist_counts *counts;
	u64 arrival;

	if (event_is_over())
		return 0;
	arrival = BPF_CORE_READ(prev, sched_info.last_arrival);
	/* the idle task has none */
	if (!arrival || other_filtered(prev))
		return 0;
	counts = counts_at(1, 0);
	if (!counts)
		return 0;
	count_time(prev, counts, sched_clock_of(prev, &counts->queue) - arrival);
	return 0;
}

static __always_inline void leave(const struct task_struct___part *task, u64 now_ns)
{
	u64 key = (u64)task;

	/* the idle task is not kept off a CPU */
	if (BPF_CORE_READ(task, pid) && !(sched_state_of(task) & SCHED_DEAD) && !other_filtered(task))
		call_begin(&away, &key, &now_ns);
}

static __always_inline void come_back(const struct task_struct___part *task, u64 now_ns)
{
	u64 key = (u64)task, *since_ns = bpf_map_lookup_elem(&away, &key), time;
	struct cpudist_counts *counts = counts_at(1, 0);

	if (!since_ns || !counts)
		return;
	time = now_ns - *since_ns;
	call_end(&away, &key);
	/* two CPUs' clocks may differ a little where they are not synchronized */
	count_time(task, counts, (s64)time < 0 ? 0 : time);
}

SEC("raw_tp/sched_switch")
int sched_switch_off(u64 *ctx)
{
	u64 now_ns = bpf_ktime_get_ns();

	if (event_is_over())
		return 0;
	leave((const struct task_struct___part *)ctx[1], now_ns);
	come_back((const struct task_struct___part *)ctx[2], now_ns);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two counters on each CPU, which count all the time, are read whenever the CPU switches to another task.  What they have counted since
 * they were last read is the task's that leaves, so that nothing is sampled, and what tasks have adds up to what the CPUs have.  Interrupts
 * count for the task that they interrupt, as in perf.
 *
 * event_is_over() is not asked: the counters say when counting begins and ends.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/filter.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "lib/bpf/task_key.bpf.h"
#include "llcstat.h"

COUNTS(struct llcstat_cpu, 1);
TABLE(struct llcstat_key, struct llcstat_counts, LLCSTAT_KEYS);

const volatile bool by_cpu = true;

/* The user side puts an event into each on each CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
} first_events SEC(".maps"), second_events SEC(".maps");

/* What a counter has counted since it was at *at, which is set. */
static __always_inline u64 read_on(void *events, u64 *at)
{
	struct bpf_perf_event_value now = {};
	u64 before = *at;

	/* a CPU that has none, or one that is going offline */
	if (bpf_perf_event_read_value(events, BPF_F_CURRENT_CPU, &now, sizeof(now)))
		return 0;
	*at = now.counter;
	return now.counter - before;
}

/* Nothing nests in it on its CPU: interrupts are off at a switch, and the user side runs it in an interrupt. */
static __always_inline int count(void)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct llcstat_cpu *cells = counts_at_of(cpu, 1, 0);
	struct llcstat_counts *counts;
	struct llcstat_key key = {};
	u64 first, second;

	if (!cells)
		return 0;
	first = read_on(&first_events, &cells->at.first);
	second = read_on(&second_events, &cells->at.second);
	if (!first && !second)
		return 0;
	count_add(&cells->looks, 1);
	if (!task_wanted(task_pid_tgid(), NULL)) {
		counts = &cells->filtered;
	} else {
		if (task_key_kind != TASK_KEY_NONE)
			task_key_set_current(&key.task);
		if (by_cpu)
			key.cpu = cpu;
		counts = table_at(&key);
		if (!counts)
			counts = &cells->others;
	}
	count_add(&counts->first, first);
	count_add(&counts->second, second);
	return 0;
}

/*
 * The current task is still the one that leaves.  The user side runs it on each CPU before an interval is cut, too: what has not left yet
 * has its part.
 */
SEC("raw_tp/sched_switch")
int on_switch(void *ctx)
{
	return count();
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

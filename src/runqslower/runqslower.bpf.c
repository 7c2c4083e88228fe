/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The waits for a CPU that take long, one by one.  As in runqlat one hook tells them: when a CPU is switched to a task, the
 * scheduler's own numbers tell how long that one waited, also on other CPUs' run queues.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define EVENTS_SIZE (256 * 1024)	/* 2,900 waits */

#include "lib/bpf/other.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "lib/bpf/wait.bpf.h"
#include "runqslower.h"

#define MAX_RT_PRIO 100		/* include/linux/sched/prio.h; deadline tasks are at -1 */

const volatile __u64 min_ns = RUNQSLOWER_MIN_US * 1000ULL;
const volatile bool wakeups;	/* only waits that begin with one */
const volatile bool rt;		/* only those of real-time and deadline tasks, as they are when they get the CPU */
const volatile bool longest;	/* only those that are longer than all before on their CPU */

struct cpu_waits {
	u64 queue;		/* where its run queue is */
	u64 longest_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cpu);
} cpus SEC(".maps");

static __always_inline void deliver(struct cpu_waits *cpu, const struct task_struct___part *prev, const struct task_struct___part *next,
				    u64 wait)
{
	u32 pid = task_process(next);
	struct runqslower_event *event;

	/* the tool's own waits have no rows, as each row may be the cause of the next one */
	if (pid == filter.self || other_filtered(next))
		return;
	if (longest) {
		if (wait <= cpu->longest_ns)
			return;
		cpu->longest_ns = wait;
	}
	event = event_reserve_as(sizeof(*event), (u64)pid << 32 | task_thread(next));
	if (!event)
		return;
	event->task.uid = BPF_CORE_READ(next, cred, uid.val);
	bpf_probe_read_kernel(event->task.comm, sizeof(event->task.comm), &next->comm);
	event->task.cgroup_id = task_cgroup_id(next);
	event->wait_ns = wait;
	event->cpu = bpf_get_smp_processor_id();
	event->prev_pid = task_process(prev);
	event->prev_tid = task_thread(prev);
	event->prio = (s16)BPF_CORE_READ(next, prio);
	event->prev_prio = (s16)BPF_CORE_READ(prev, prio);
	bpf_probe_read_kernel(event->prev_comm, sizeof(event->prev_comm), &prev->comm);
	event_submit(event);
}

/* prev and next: include/trace/events/sched.h, the same on all kernels */
SEC("raw_tp/sched_switch")
int sched_switch(u64 *ctx)
{
	const struct task_struct___part *next = (const struct task_struct___part *)ctx[2];
	u64 queued = BPF_CORE_READ(next, sched_info.last_queued), wait;
	struct cpu_waits *cpu;
	bool woken = true;
	u32 first = 0;

	/* the idle task does not wait */
	if (!queued)
		return 0;
	cpu = bpf_map_lookup_elem(&cpus, &first);
	if (!cpu)
		return 0;
	wait = wait_of_kind(next, queued, &cpu->queue, wakeups ? &woken : NULL);
	if (wait < min_ns || !woken || (rt && BPF_CORE_READ(next, prio) >= MAX_RT_PRIO))
		return 0;
	deliver(cpu, (const struct task_struct___part *)ctx[1], next, wait);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

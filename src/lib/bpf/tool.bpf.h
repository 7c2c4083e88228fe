/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the programs of every event tool share: the ring buffer, the accounting, the filters.
 *
 * A program is: if (task_filtered()) return 0; e = event_reserve(sizeof(*e)); if (!e) return 0; fill *e in place;
 * event_submit(e).  Every event that reaches task_filtered() or event_reserve() is then delivered, or counted.
 * Include it once in a tool, after vmlinux.h.
 */
#ifndef PROBELIGHT_TOOL_BPF_H
#define PROBELIGHT_TOOL_BPF_H

#include <bpf/bpf_helpers.h>

#include "lib/shared/event.h"

#ifndef EVENTS_SIZE
#define EVENTS_SIZE (1 << 20)
#endif

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, EVENTS_SIZE);
} events SEC(".maps");

/* -c; made only where it is asked for.  Works in a cgroup namespace too, where the depth in the hierarchy is hidden. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cgroup SEC(".maps");

const volatile struct task_filter filter = {};

/* A map of its own, so that lib/tool finds it by name and reads it without a system call. */
struct event_stats event_stats[EVENT_STATS_SLOTS] SEC(".data.stats") = {};

/*
 * When the reader was last woken.  Read by every event, written once in EVENT_WAKE_INTERVAL_NS: in the line of a CPU that
 * few machines have.  (A variable of its own would be one more map to make at every start.)
 */
static __always_inline __u64 *event_wake_ns(void)
{
	return &event_stats[EVENT_STATS_SLOTS - 1].wake_ns;
}

/*
 * Events may nest (an interrupt's program inside a task's), and on PREEMPT_RT a program can be preempted by another
 * one on the same CPU: hence atomic, on a line that no other CPU writes.
 */
static __always_inline struct event_stats *event_stats_slot(void)
{
	return &event_stats[bpf_get_smp_processor_id() & (EVENT_STATS_SLOTS - 1)];
}

static __always_inline void event_count_lost(void)
{
	__sync_fetch_and_add(&event_stats_slot()->lost, 1);
}

static __always_inline void event_count_filtered(void)
{
	__sync_fetch_and_add(&event_stats_slot()->filtered, 1);
}

/* struct bpf_pidns_info of the UAPI; that of vmlinux.h would have the accesses relocated, which costs at every start. */
struct pidns_ids {
	__u32 pid, tgid;
};

/*
 * pid << 32 | tid of the current task in the caller's pid namespace.  A task that is not in it gives 0, as pid_vnr()
 * does in the kernel.
 */
static __always_inline __u64 task_pid_tgid(void)
{
	struct pidns_ids ns = {};

	if (!filter.pidns_ino)
		return bpf_get_current_pid_tgid();
	/* since 5.7; fails where the task's own pid namespace is another one */
	if (bpf_get_ns_current_pid_tgid(filter.pidns_dev, filter.pidns_ino, (void *)&ns, sizeof(ns)))
		return 0;
	return (__u64)ns.tgid << 32 | ns.pid;
}

static __always_inline bool task_filter_has(const volatile __u32 *ids, __u32 count, __u32 id)
{
	for (__u32 i = 0; i < count && i < TASK_FILTER_IDS_MAX; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* Whether pid (of the caller's namespace) passes -p; for events about a task that is not the current one. */
static __always_inline bool pid_wanted(__u32 pid)
{
	return !filter.pids_count || task_filter_has(filter.pids, filter.pids_count, pid);
}

/* Whether tid passes -t. */
static __always_inline bool tid_wanted(__u32 tid)
{
	return !filter.tids_count || task_filter_has(filter.tids, filter.tids_count, tid);
}

/* Whether a name of TASK_COMM_LEN bytes, zero padded and 8-byte aligned, passes -n. */
static __always_inline bool comm_wanted(const char *comm)
{
	const __u64 *word = (const __u64 *)comm;

	return !filter.by_comm || ((word[0] & filter.comm_mask[0]) == filter.comm[0] &&
				   (word[1] & filter.comm_mask[1]) == filter.comm[1]);
}

/* id: pid << 32 | tid; comm: NULL for the name that the task has now. */
static __always_inline bool task_wanted(__u64 id, const char *comm)
{
	/* one jump over all of it, which the verifier then takes out in one piece */
	if (!filter.active)
		return true;
	if (!pid_wanted(id >> 32) || !tid_wanted((__u32)id))
		return false;
	if (filter.by_uid && (__u32)bpf_get_current_uid_gid() != filter.uid)
		return false;
	if (filter.by_cgroup && bpf_current_task_under_cgroup(&cgroup, 0) != 1)
		return false;
	if (filter.by_comm && !comm) {
		__u64 current_comm[TASK_COMM_LEN / 8] = {};

		bpf_get_current_comm(current_comm, sizeof(current_comm));
		return comm_wanted((const char *)current_comm);
	}
	return !filter.by_comm || comm_wanted(comm);
}

/*
 * task_filtered() for an event that is the current task's under another thread's id or name than it has now: one that
 * it had before an exec, or that of its process.  comm as for comm_wanted(), or NULL.
 */
static __always_inline bool task_filtered_as(__u64 id, const char *comm)
{
	if (id >> 32 == filter.self)
		return true;
	if (task_wanted(id, comm))
		return false;
	event_count_filtered();
	return true;
}

/* Whether the current task's events are not wanted; counts the event as filtered then, unless it is the tool's own. */
static __always_inline bool task_filtered(void)
{
	return task_filtered_as(task_pid_tgid(), NULL);
}

/* The same for -x: result is a return value of the kernel, negative on failure. */
static __always_inline bool result_filtered(long result)
{
	if (!filter.failed_only || result < 0)
		return false;
	/* whichever of the two a program asks first, the tool's own events are not counted */
	if (task_pid_tgid() >> 32 != filter.self)
		event_count_filtered();
	return true;
}

/* id: of task_pid_tgid(). */
static __always_inline void event_fill_task_as(struct event_task *task, __u64 id)
{
	task->ts_ns = bpf_ktime_get_ns();
	task->pid = id >> 32;
	task->tid = (__u32)id;
	task->uid = (__u32)bpf_get_current_uid_gid();
	task->reserved = 0;
	bpf_get_current_comm(task->comm, sizeof(task->comm));
}

static __always_inline void event_fill_task(struct event_task *task)
{
	event_fill_task_as(task, task_pid_tgid());
}

/*
 * Room for an event of size bytes (a constant, also one out of rodata) in the ring buffer, its struct event_task
 * filled in; NULL where there is none, and the event is counted as lost.  The rest is not zeroed.  id is that of
 * task_pid_tgid().
 */
static __always_inline void *event_reserve_as(__u64 size, __u64 id)
{
	struct event_task *task = bpf_ringbuf_reserve(&events, size, 0);

	if (!task) {
		event_count_lost();
		return NULL;
	}
	event_fill_task_as(task, id);
	return task;
}

/* The same where the id is not at hand. */
static __always_inline void *event_reserve(__u64 size)
{
	return event_reserve_as(size, task_pid_tgid());
}

/* Hands the event over; wakes the reader if it may be asleep.  The time is the one that the reservation took. */
static __always_inline void event_submit(void *event)
{
	__u64 ts_ns = ((struct event_task *)event)->ts_ns;

	/* signed: another CPU may have woken the reader since */
	if ((__s64)(ts_ns - *event_wake_ns()) < (__s64)EVENT_WAKE_INTERVAL_NS) {
		bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
		return;
	}
	*event_wake_ns() = ts_ns;
	bpf_ringbuf_submit(event, BPF_RB_FORCE_WAKEUP);
}

/* Gives the room back: the event turned out to be none, or a larger record takes its place. */
static __always_inline void event_discard(void *event)
{
	bpf_ringbuf_discard(event, BPF_RB_NO_WAKEUP);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring buffer of a tool that prints events: room for an event, handing it over, waking the reader.  Include it once in a
 * tool, after vmlinux.h.
 */
#ifndef PROBELIGHT_RING_BPF_H
#define PROBELIGHT_RING_BPF_H

#include <bpf/bpf_helpers.h>

#include "filter.bpf.h"

#ifndef EVENTS_SIZE
#define EVENTS_SIZE (1 << 20)
#endif

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, EVENTS_SIZE);
} events SEC(".maps");

/* id: of task_pid_tgid(). */
static __always_inline void event_fill_task_as(struct event_task *task, __u64 id)
{
	task->ts_ns = bpf_ktime_get_ns();
	task->pid = id >> 32;
	task->tid = (__u32)id;
	task->uid = filter.wants_uid ? (__u32)bpf_get_current_uid_gid() : 0;
	task->reserved = 0;
	bpf_get_current_comm(task->comm, sizeof(task->comm));
	task->cgroup_id = filter.wants_cgroup ? bpf_get_current_cgroup_id() : 0;
}

static __always_inline void event_fill_task(struct event_task *task)
{
	event_fill_task_as(task, task_pid_tgid());
}

/* Room for an event of size bytes (a constant, also one out of rodata) in the ring buffer; NULL where there is none, and it is lost. */
static __always_inline void *event_reserve_room(__u64 size)
{
	void *event;

	if (event_is_over())
		return NULL;
	event = bpf_ringbuf_reserve(&events, size, 0);
	/* not event_count_lost(), which would ask once more whether the run is over */
	if (!event)
		__sync_fetch_and_add(&event_stats_slot()->lost, 1);
	return event;
}

/*
 * Room for an event of size bytes (a constant, also one out of rodata) in the ring buffer, its struct event_task
 * filled in; NULL where there is none, and the event is counted as lost.  The rest is not zeroed.  id is that of
 * task_pid_tgid().
 */
static __always_inline void *event_reserve_as(__u64 size, __u64 id)
{
	struct event_task *task = event_reserve_room(size);

	if (task)
		event_fill_task_as(task, id);
	return task;
}

/* The same where the id is not at hand. */
static __always_inline void *event_reserve(__u64 size)
{
	return event_reserve_as(size, task_pid_tgid());
}

/* The flag for an event of that time: wakes the reader if it may be asleep. */
static __always_inline __u64 event_wake_flag(__u64 ts_ns)
{
	/* signed: another CPU may have woken the reader since */
	if ((__s64)(ts_ns - event_stats_common()->wake_ns) < (__s64)EVENT_WAKE_INTERVAL_NS)
		return BPF_RB_NO_WAKEUP;
	event_stats_common()->wake_ns = ts_ns;
	return BPF_RB_FORCE_WAKEUP;
}

/* Hands the event over.  The time is the one that the reservation took. */
static __always_inline void event_submit(void *event)
{
	bpf_ringbuf_submit(event, event_wake_flag(((struct event_task *)event)->ts_ns));
}

/*
 * For an event whose size shows only when it is made: copies one of size bytes, made in a map, with event_fill_task().  Where there is
 * no room it is counted as lost.
 */
static __always_inline void event_output(void *event, __u64 size)
{
	if (event_is_over())
		return;
	if (bpf_ringbuf_output(&events, event, size, event_wake_flag(((struct event_task *)event)->ts_ns)))
		event_count_lost();
}

/* Gives the room back: the event turned out to be none, or a larger record takes its place. */
static __always_inline void event_discard(void *event)
{
	bpf_ringbuf_discard(event, BPF_RB_NO_WAKEUP);
}

#endif

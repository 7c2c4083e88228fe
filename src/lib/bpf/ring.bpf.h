/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring buffers of a tool that prints events: room for an event, handing it over, waking the reader.  Include it once in a
 * tool, after vmlinux.h.
 *
 * A machine with one CPU has one ring, `events`.  With more, each CPU or group of CPUs has its own: no CPU waits for another one's
 * lock, and there is more room where more CPUs write.  The user side (lib/run/rings.h) decides how many; the reader merges them by
 * what each record begins with, its time.  A tool whose records do not begin so defines EVENTS_ONE_RING before.
 */
#ifndef PROBELIGHT_RING_BPF_H
#define PROBELIGHT_RING_BPF_H

#include <bpf/bpf_helpers.h>

#include "atomic.bpf.h"
#include "filter.bpf.h"

#ifndef EVENTS_SIZE
#define EVENTS_SIZE (1 << 20)
#endif

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, EVENTS_SIZE);
} events SEC(".maps");

#ifndef EVENTS_ONE_RING
/* One less than the number of rings, which is a power of two. */
const volatile __u32 event_rings_mask = 0;

/* Made only where there is more than one; `events` is the first of them. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} event_rings SEC(".maps");
#endif

/*
 * This CPU's ring; for the verifier it may be NULL.  The mask is frozen read-only data: with one ring the verifier removes the lookup.
 */
static __always_inline void *event_ring(void)
{
#ifndef EVENTS_ONE_RING
	if (event_rings_mask) {
		__u32 index = bpf_get_smp_processor_id() & event_rings_mask;

		return bpf_map_lookup_elem(&event_rings, &index);
	}
#endif
	return &events;
}

/* Room for size bytes (a constant, also one out of rodata) in this CPU's ring; NULL where there is none, which is not counted. */
static __always_inline void *event_ring_reserve(__u64 size)
{
	void *ring = event_ring();

	return ring ? bpf_ringbuf_reserve(ring, size, 0) : NULL;
}

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

/* Room for an event of size bytes (a constant, also one out of rodata) in this CPU's ring; NULL where there is none, and it is lost. */
static __always_inline void *event_reserve_room(__u64 size)
{
	void *event;

	if (event_is_over())
		return NULL;
	event = event_ring_reserve(size);
	/* not event_count_lost(), which would ask once more whether the run is over */
	if (!event)
		atomic_add(&event_stats_slot()->lost, 1);
	return event;
}

/*
 * Room for an event of size bytes (a constant, also one out of rodata) in this CPU's ring, its struct event_task
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
	void *ring;

	if (event_is_over())
		return;
	ring = event_ring();
	if (!ring || bpf_ringbuf_output(ring, event, size, event_wake_flag(((struct event_task *)event)->ts_ns)))
		event_count_lost();
}

/* Gives the room back: the event turned out to be none, or a larger record takes its place. */
static __always_inline void event_discard(void *event)
{
	bpf_ringbuf_discard(event, BPF_RB_NO_WAKEUP);
}

#endif

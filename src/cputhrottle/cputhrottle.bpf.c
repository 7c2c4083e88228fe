/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups of tasks that a CPU did not run, because their cgroup had used up its quota (cpu.max).  A group's part of a CPU, a cfs_rq, is
 * throttled by throttle_cfs_rq() and released by unthrottle_cfs_rq(), which adds the time to the group's throttled_time.  The release has
 * all that is known: since when (throttled_clock), until when (rq->clock, which the function updates), who waits.  The first function may
 * find that quota has come in time, and the second one that none is left: what counts is the mark of the cfs_rq before and after.
 *
 * Both functions run with the run queue's lock held and interrupts off, so what the first program finds is kept for each CPU.
 *
 * Up to 6.17 tasks wait in the run queue.  Since 6.18 each is taken off it when it returns to user space, and put on a list of its group
 * (throttled_limbo_list); tg_unthrottle_up() empties that of the group and of each group below it.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EVENTS_SIZE (256 * 1024)	/* a CPU has ten of these a second and group */

#include "lib/bpf/cgroup.bpf.h"
#include "lib/bpf/loop.bpf.h"
#include "lib/bpf/other.bpf.h"
#include "lib/bpf/role.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "cputhrottle.h"

#define LEVELS_MAX 16	/* of groups within each other */

const volatile __u64 min_ns = 0;

struct list_head___part {
	struct list_head___part *next;
} __attribute__((preserve_access_index));

struct rq___throttle {
	u64 clock;
	int cpu;
	struct list_head___part cfs_tasks;
} __attribute__((preserve_access_index));

struct task_group___part {
	struct cgroup_subsys_state___part css;
	/* an array with a pointer for each CPU; on 7.3 an object of each CPU */
	void *cfs_rq;
	struct {
		s64 period;
		u64 quota;
		int nr_throttled;
	} cfs_bandwidth;
} __attribute__((preserve_access_index));

/* as long as that is an array */
struct task_group___pointers {
	void **se;
} __attribute__((preserve_access_index));

struct cfs_rq___throttle {
	struct rq___throttle *rq;
	struct task_group___part *tg;
	u64 throttled_clock;
} __attribute__((preserve_access_index));

struct cfs_rq___mark {
	int throttled;
} __attribute__((preserve_access_index));

struct cfs_rq___bit {
	bool throttled: 1;
} __attribute__((preserve_access_index));

/* since 6.18 */
struct cfs_rq___limbo {
	struct list_head___part throttled_limbo_list;
} __attribute__((preserve_access_index));

struct sched_entity___part {
	struct list_head___part group_node;
	struct sched_entity___part *parent;
	struct cfs_rq___throttle *cfs_rq;
} __attribute__((preserve_access_index));

/* since 6.12: a task that sleeps, and is in the queue until its turn comes */
struct sched_entity___delayed {
	unsigned char sched_delayed;
} __attribute__((preserve_access_index));

struct task_struct___queued {
	struct sched_entity___part se;
} __attribute__((preserve_access_index));

struct task_struct___limbo {
	struct list_head___part throttle_node;
} __attribute__((preserve_access_index));

struct release {
	struct cputhrottle_event event;
	u64 cfs_rq;		/* 0: none is being released */
	u64 since;		/* by the run queue's clock; 0: nobody waited */
	u64 is_wanted;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct release);
} releases SEC(".maps");

static __always_inline struct release *this_release(void)
{
	u32 first = 0;

	return bpf_map_lookup_elem(&releases, &first);
}

static __always_inline bool is_throttled(u64 cfs_rq)
{
	struct cfs_rq___limbo *since_6_18 = (struct cfs_rq___limbo *)cfs_rq;

	if (bpf_core_field_exists(since_6_18->throttled_limbo_list))
		return BPF_CORE_READ_BITFIELD_PROBED((struct cfs_rq___bit *)cfs_rq, throttled);
	return BPF_CORE_READ((struct cfs_rq___mark *)cfs_rq, throttled);
}

/* Whether the queued task is of the group, or of one below it.  Global functions: the verifier goes through each once. */
__noinline int is_of_group(u64 task, u64 cfs_rq)
{
	struct sched_entity___part *se = &((struct task_struct___queued *)task)->se;

	if (bpf_core_field_exists(struct sched_entity___delayed, sched_delayed) &&
	    BPF_CORE_READ((struct sched_entity___delayed *)se, sched_delayed))
		return false;
	for (int i = 0; i < LEVELS_MAX && se; i++) {
		if ((u64)BPF_CORE_READ(se, cfs_rq) == cfs_rq)
			return true;
		se = BPF_CORE_READ(se, parent);
	}
	return false;
}

static __always_inline void fill_task(struct event_task *to, const struct task_struct___part *task)
{
	to->pid = task_process(task);
	to->tid = task_thread(task);
	to->uid = filter.wants_uid ? BPF_CORE_READ(task, cred, uid.val) : 0;
	to->cgroup_id = task_cgroup_id(task);
	bpf_probe_read_kernel(to->comm, sizeof(to->comm), &task->comm);
}

__noinline int add_waiter(u64 address)
{
	const struct task_struct___part *task = (const struct task_struct___part *)address;
	struct release *release = this_release();
	u32 index;

	if (!release)
		return 0;
	index = release->event.waiters_count++;
	if (index < WAITERS_MAX) {
		struct cputhrottle_waiter *waiter = &release->event.waiters[index];

		waiter->tid = task_thread(task);
		bpf_probe_read_kernel(waiter->comm, sizeof(waiter->comm), &task->comm);
	}
	if (!release->is_wanted && other_wanted(task)) {
		release->is_wanted = true;
		fill_task(&release->event.task, task);
	}
	return 0;
}

struct queue_walk {
	struct list_head___part *head, *node;
	u64 cfs_rq;
};

/* One task of the queue.  Whether it was the last one. */
static __always_inline bool queue_step(struct queue_walk *walk)
{
	struct list_head___part *node = walk->node;
	u64 task = (u64)container_of(node, struct task_struct___queued, se.group_node);

	if (!node || node == walk->head)
		return true;
	if (is_of_group(task, walk->cfs_rq))
		add_waiter(task);
	walk->node = BPF_CORE_READ(node, next);
	return false;
}

/* For bpf_loop(). */
static long queue_round(u32 i, struct queue_walk *walk)
{
	return queue_step(walk);
}

static __noinline void add_queued_by_loop(u64 cfs_rq, struct list_head___part *head)
{
	struct queue_walk walk = { .head = head, .node = BPF_CORE_READ(head, next), .cfs_rq = cfs_rq };

	bpf_loop(WAITERS_LOOKED_AT, queue_round, &walk, 0);
}

static __noinline void add_queued_in_place(u64 cfs_rq, struct list_head___part *head)
{
	struct queue_walk walk = { .head = head, .node = BPF_CORE_READ(head, next), .cfs_rq = cfs_rq };

	for (int i = 0; i < WAITERS_LOOKED_AT; i++)
		if (queue_step(&walk))
			break;
}

static __always_inline void add_list(struct list_head___part *head)
{
	struct list_head___part *node = BPF_CORE_READ(head, next);

	for (int i = 0; i < WAITERS_LOOKED_AT && node && node != head; i++) {
		add_waiter((u64)container_of(node, struct task_struct___limbo, throttle_node));
		node = BPF_CORE_READ(node, next);
	}
}

static __always_inline void fill_group(struct release *release, struct task_group___part *group)
{
	struct cgroup___part *cgroup = BPF_CORE_READ(group, css.cgroup);
	struct cputhrottle_event *event = &release->event;

	event->quota_ns = BPF_CORE_READ(group, cfs_bandwidth.quota);
	event->period_ns = BPF_CORE_READ(group, cfs_bandwidth.period);
	event->nr_throttled = BPF_CORE_READ(group, cfs_bandwidth.nr_throttled);
	event->names_size = 0;
	event->names_are_cut = !cgroup_names(event->names, &event->names_size, cgroup);
}

SEC("kprobe") SEES_BEGIN
int release_begins(struct pt_regs *ctx)
{
	struct cfs_rq___throttle *cfs_rq = (struct cfs_rq___throttle *)PT_REGS_PARM1(ctx);
	struct release *release = this_release();
	struct rq___throttle *rq;

	if (!release)
		return 0;
	release->cfs_rq = 0;
	if (event_is_over() || !is_throttled((u64)cfs_rq))
		return 0;
	rq = BPF_CORE_READ(cfs_rq, rq);
	release->cfs_rq = (u64)cfs_rq;
	release->since = BPF_CORE_READ(cfs_rq, throttled_clock);
	release->is_wanted = false;
	release->event.waiters_count = 0;
	release->event.task.tid = 0;
	release->event.cpu = BPF_CORE_READ(rq, cpu);
	if (bpf_core_field_exists(struct cfs_rq___limbo, throttled_limbo_list))
		return 0;
	if (has_loop)
		add_queued_by_loop((u64)cfs_rq, &rq->cfs_tasks);
	else
		add_queued_in_place((u64)cfs_rq, &rq->cfs_tasks);
	return 0;
}

/* Since 6.18, for the group and each below it, before its tasks are queued again. */
SEC("kprobe") SEES_NO_EVENT
int group_is_released(struct pt_regs *ctx)
{
	struct task_group___part *group = (struct task_group___part *)PT_REGS_PARM1(ctx);
	struct release *release = this_release();
	struct cfs_rq___throttle *released;
	u64 cfs_rq;

	if (!bpf_core_field_exists(struct cfs_rq___limbo, throttled_limbo_list) || !release || !release->cfs_rq)
		return 0;
	released = (struct cfs_rq___throttle *)release->cfs_rq;
	if (bpf_core_field_exists(struct task_group___pointers, se)) {
		u64 *queues = (u64 *)BPF_CORE_READ(group, cfs_rq);

		if (bpf_probe_read_kernel(&cfs_rq, sizeof(cfs_rq), queues + release->event.cpu))
			return 0;
	} else {
		/* objects of a CPU are as far from their templates */
		cfs_rq = (u64)released - (u64)BPF_CORE_READ(released, tg, cfs_rq) + (u64)BPF_CORE_READ(group, cfs_rq);
	}
	add_list(&((struct cfs_rq___limbo *)cfs_rq)->throttled_limbo_list);
	return 0;
}

/* Where nobody waited the filters of tasks drop the event, and that of cgroups asks for the group. */
static __always_inline bool wanted_without_task(struct task_group___part *group)
{
	if (!filter.active)
		return true;
	if (filter.by_comm || filter.pids_count || filter.tids_count || filter.by_uid)
		return false;
	return cgroup_is_wanted(BPF_CORE_READ(group, css.cgroup));
}

SEC("kretprobe") SEES_END
int release_ends(struct pt_regs *ctx)
{
	struct release *release = this_release();
	struct cfs_rq___throttle *cfs_rq;
	struct cputhrottle_event *event;
	struct task_group___part *group;
	u64 throttled_ns;

	if (!release || !release->cfs_rq)
		return 0;
	cfs_rq = (struct cfs_rq___throttle *)release->cfs_rq;
	release->cfs_rq = 0;
	if (event_is_over() || is_throttled((u64)cfs_rq))
		return 0;
	group = BPF_CORE_READ(cfs_rq, tg);
	throttled_ns = release->since ? BPF_CORE_READ(cfs_rq, rq, clock) - release->since : 0;
	if (throttled_ns < min_ns || (!release->is_wanted && (release->event.waiters_count || !wanted_without_task(group)))) {
		event_count_filtered();
		return 0;
	}
	event = event_reserve_room(sizeof(*event));
	if (!event)
		return 0;
	fill_group(release, group);
	release->event.task.ts_ns = bpf_ktime_get_ns();
	release->event.throttled_ns = throttled_ns;
	bpf_probe_read_kernel(event, sizeof(*event), &release->event);
	event_submit(event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

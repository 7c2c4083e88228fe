/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The task that an event is of, kept from where it was the current one: a packet or a disk's interrupt ends later what the task
 * began, in whichever task it hits.
 */
#ifndef PROBELIGHT_OWNER_BPF_H
#define PROBELIGHT_OWNER_BPF_H

#include "tool.bpf.h"

/* What is kept of it. */
struct owner {
	__u64 since_ns;		/* of what the tool times; 0: not known */
	__u32 pid;
	__u32 tid;
	__u32 uid;
	__u8 known;		/* the task is */
	__u8 wanted;		/* it passes -p, -t, -u, -n and -c */
	__u8 own;		/* the tool's */
	__u8 reserved;
	char comm[TASK_COMM_LEN] __attribute__((aligned(8)));
	__u64 cgroup_id;	/* as in event_task */
};

/*
 * Whether the current task passes the filters; id and comm as for task_wanted().  A function of its own, which the user side leaves out
 * without a filter: tools fill a owner at several places.
 */
static __noinline bool owner_passes(__u64 id, const char *comm)
{
	return task_wanted(id, comm);
}

/*
 * Whether events that the current task owns are not wanted, before anything is kept for them; nothing is counted.  Without a filter all
 * are.  NULL: the name is the one that the task has now.
 */
static __always_inline bool owner_is_unwanted(void)
{
	return filter.active && !owner_passes(task_pid_tgid(), NULL);
}

/* The current task as the owner; since_ns is left as it is. */
static __always_inline void owner_fill(struct owner *owner)
{
	__u64 id = task_pid_tgid();

	owner->pid = id >> 32;
	owner->tid = (__u32)id;
	owner->uid = filter.wants_uid ? (__u32)bpf_get_current_uid_gid() : 0;
	owner->known = true;
	owner->own = owner->pid == filter.self;
	bpf_get_current_comm(owner->comm, sizeof(owner->comm));
	owner->cgroup_id = filter.wants_cgroup ? bpf_get_current_cgroup_id() : 0;
	owner->wanted = !filter.active || owner_passes(id, owner->comm);
}

/*
 * Whether an event of the owner, which may be NULL, is not wanted; counts it as filtered then.  Where a filter is set, a task
 * that nobody knows does not pass it.
 */
static __always_inline bool owner_filtered(const struct owner *owner)
{
	if (owner && owner->own)
		return true;
	if (!filter.active || (owner && owner->known && owner->wanted))
		return false;
	event_count_filtered();
	return true;
}

/* As event_reserve(), for an event of the owner's, which is known. */
static __always_inline void *event_reserve_of(__u64 size, const struct owner *owner)
{
	struct event_task *task = event_reserve_room(size);

	if (!task)
		return NULL;
	task->ts_ns = bpf_ktime_get_ns();
	task->pid = owner->pid;
	task->tid = owner->tid;
	task->uid = owner->uid;
	task->reserved = 0;
	__builtin_memcpy(task->comm, owner->comm, sizeof(task->comm));
	task->cgroup_id = owner->cgroup_id;
	return task;
}

/* The same for a owner that may be NULL, or not known. */
static __always_inline void *event_reserve_for(__u64 size, const struct owner *owner)
{
	struct event_task *task;

	if (owner && owner->known)
		return event_reserve_of(size, owner);
	task = event_reserve_as(size, 0);
	if (task)
		task->reserved = TASK_UNKNOWN;
	return task;
}

#endif

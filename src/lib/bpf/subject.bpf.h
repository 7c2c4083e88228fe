/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The task that an event is of, kept from where it was the current one: a packet or a disk's interrupt ends later what the task
 * began, in whichever task it hits.
 */
#ifndef PROBELIGHT_SUBJECT_BPF_H
#define PROBELIGHT_SUBJECT_BPF_H

#include "tool.bpf.h"

/* What is kept of it. */
struct subject {
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
 * without a filter: tools fill a subject at several places.
 */
static __noinline bool subject_passes(__u64 id, const char *comm)
{
	return task_wanted(id, comm);
}

/* The current task as the subject; since_ns is left as it is. */
static __always_inline void subject_fill(struct subject *subject)
{
	__u64 id = task_pid_tgid();

	subject->pid = id >> 32;
	subject->tid = (__u32)id;
	subject->uid = filter.wants_uid ? (__u32)bpf_get_current_uid_gid() : 0;
	subject->known = true;
	subject->own = subject->pid == filter.self;
	bpf_get_current_comm(subject->comm, sizeof(subject->comm));
	subject->cgroup_id = filter.wants_cgroup ? bpf_get_current_cgroup_id() : 0;
	subject->wanted = !filter.active || subject_passes(id, subject->comm);
}

/*
 * Whether an event of the subject, which may be NULL, is not wanted; counts it as filtered then.  Where a filter is set, a task
 * that nobody knows does not pass it.
 */
static __always_inline bool subject_filtered(const struct subject *subject)
{
	if (subject && subject->own)
		return true;
	if (!filter.active || (subject && subject->known && subject->wanted))
		return false;
	event_count_filtered();
	return true;
}

/* As event_reserve(), for an event of the subject's, which is known. */
static __always_inline void *event_reserve_of(__u64 size, const struct subject *subject)
{
	struct event_task *task = event_reserve_room(size);

	if (!task)
		return NULL;
	task->ts_ns = bpf_ktime_get_ns();
	task->pid = subject->pid;
	task->tid = subject->tid;
	task->uid = subject->uid;
	task->reserved = 0;
	__builtin_memcpy(task->comm, subject->comm, sizeof(task->comm));
	task->cgroup_id = subject->cgroup_id;
	return task;
}

/* The same for a subject that may be NULL, or not known. */
static __always_inline void *event_reserve_for(__u64 size, const struct subject *subject)
{
	struct event_task *task;

	if (subject && subject->known)
		return event_reserve_of(size, subject);
	task = event_reserve_as(size, 0);
	if (task)
		task->reserved = TASK_UNKNOWN;
	return task;
}

#endif

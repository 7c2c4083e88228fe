/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The filters of the shared options -p, -f, -t, -u, -n, -c and -x, and what is no result.  Include it once in a tool,
 * after vmlinux.h.
 */
#ifndef PROBELIGHT_FILTER_BPF_H
#define PROBELIGHT_FILTER_BPF_H

#include <bpf/bpf_helpers.h>

#include "children.bpf.h"
#include "pidns.bpf.h"
#include "stats.bpf.h"

/* -c; made only where it is asked for.  Works in a cgroup namespace too, where the depth in the hierarchy is hidden. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cgroup SEC(".maps");

/* Whether pid (of the caller's namespace) is one of -p, or there is no -p. */
static __always_inline bool pid_wanted(__u32 pid)
{
	return !filter.pids_count || task_filter_has(filter.pids, filter.pids_count, pid);
}

/*
 * Whether a process passes -p with -f: pid is its number in the caller's namespace, number that of the process or one of
 * its threads in the initial one.
 */
static __always_inline bool followed_wanted(__u32 pid, __u32 number)
{
	/* in another pid namespace the processes of -p itself have no bits (lib/run/children.bpf.c) */
	return is_followed(number) || (filter.pidns_ino && pid_wanted(pid));
}

/* Whether the current process, which has this number in the caller's namespace, passes -p and -f. */
static __always_inline bool process_wanted(__u32 pid)
{
	return filter.follows ? followed_wanted(pid, bpf_get_current_pid_tgid() >> 32) : pid_wanted(pid);
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

/* The cgroup of -c, for tasks that are not the current one. */
static __always_inline __u64 cgroup_wanted_id(void)
{
	return filter.cgroup_level ? *(volatile __u64 *)&event_stats_common()->cgroup_id : filter.cgroup_id;
}

/* Whether the current task passes -c. */
static __always_inline bool cgroup_wanted(void)
{
	if (filter.cgroup_level)
		return bpf_get_current_ancestor_cgroup_id(filter.cgroup_level) == cgroup_wanted_id();
	return bpf_current_task_under_cgroup(&cgroup, 0) == 1;
}

/*
 * id: pid << 32 | tid; comm: NULL for the name that the task has now.  Inline, though a function of its own could be left
 * out where there is no filter (lib/layout/uncalled.h), which saves up to 1.2 M instructions at the start: each event that
 * a filter drops would cost 25 more.
 */
static __always_inline bool task_wanted(__u64 id, const char *comm)
{
	/* frozen read-only data: without filters the verifier knows that this branch is taken, and removes what follows */
	if (!filter.active)
		return true;
	if (!process_wanted(id >> 32) || !tid_wanted((__u32)id))
		return false;
	if (filter.by_uid && (__u32)bpf_get_current_uid_gid() != filter.uid)
		return false;
	if (filter.by_cgroup && !cgroup_wanted())
		return false;
	if (filter.by_comm && !comm) {
		__u64 current_comm[TASK_COMM_LEN / 8] = {};

		bpf_get_current_comm(current_comm, sizeof(current_comm));
		return comm_wanted((const char *)current_comm);
	}
	return !filter.by_comm || comm_wanted(comm);
}

/*
 * Whether -p or -t rules the current task out for as long as it lives: nothing can be kept for it, so nothing has to be looked for.
 * Its user, name and cgroup may change, and so may what it is a child of.
 */
static __always_inline bool task_is_never_wanted(void)
{
	__u64 id;

	if (filter.follows || filter.pidns_ino || (!filter.pids_count && !filter.tids_count))
		return false;
	id = bpf_get_current_pid_tgid();
	return !pid_wanted(id >> 32) || !tid_wanted((__u32)id);
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
	__u64 own_task = filter.own_task;

	/* ten instructions less, where the kernel has no call for it */
	if (own_task)
		return bpf_get_current_task() == own_task;
	return task_filtered_as(task_pid_tgid(), NULL);
}

/*
 * Whether a call that returns this has not ended: ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND or ERESTART_RESTARTBLOCK
 * (include/linux/errno.h).  A signal has interrupted it.  The kernel restarts the call, and it returns again; or, where a
 * handler without SA_RESTART runs, the process gets EINTR, and no program sees that.
 */
static __always_inline bool is_restart(long result)
{
	return result == -512 || result == -513 || result == -514 || result == -516;
}

/* task_filtered() for -x: result is a return value of the kernel, negative on failure. */
static __always_inline bool result_filtered(long result)
{
	if (!filter.failed_only || result < 0)
		return false;
	/* whichever of the two a program asks first, the tool's own events are not counted */
	if (task_pid_tgid() >> 32 != filter.self)
		event_count_filtered();
	return true;
}

#endif

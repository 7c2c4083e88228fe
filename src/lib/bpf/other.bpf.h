/* SPDX-License-Identifier: BSD-2-Clause */
/* The filters -p, -f, -t, -u, -n and -c for a task that need not be the current one.  Include it after vmlinux.h. */
#ifndef PROBELIGHT_OTHER_BPF_H
#define PROBELIGHT_OTHER_BPF_H

#include "task.bpf.h"

#define CGROUP_LEVELS_MAX 32	/* deeper ones count as not below it */

/* Whether the cgroup is that of -c, or below it.  A function of its own, which the user side leaves out without -c. */
static __noinline bool cgroup_is_wanted(struct cgroup___part *cgroup)
{
	__u64 wanted = cgroup_wanted_id();

	for (int i = 0; i < CGROUP_LEVELS_MAX && cgroup; i++) {
		if (BPF_CORE_READ(cgroup, kn, id) == wanted)
			return true;
		/* self is the first member */
		cgroup = (struct cgroup___part *)BPF_CORE_READ(cgroup, self.parent);
	}
	return false;
}

/* Whether its process passes -p and -f. */
static __always_inline bool other_process_wanted(const struct task_struct___part *task)
{
	__u32 pid = task_process(task);

	return filter.follows ? followed_wanted(pid, BPF_CORE_READ(task, tgid)) : pid_wanted(pid);
}

static __always_inline bool other_wanted(const struct task_struct___part *task)
{
	/* frozen read-only data: without filters the verifier removes what follows */
	if (!filter.active)
		return true;
	if (filter.by_comm) {
		__u64 comm[TASK_COMM_LEN / 8] = {};

		bpf_probe_read_kernel(comm, sizeof(comm), &task->comm);
		if (!comm_wanted((const char *)comm))
			return false;
	}
	if (filter.pids_count && !other_process_wanted(task))
		return false;
	if (filter.tids_count && !tid_wanted(task_thread(task)))
		return false;
	if (filter.by_uid && BPF_CORE_READ(task, cred, uid.val) != filter.uid)
		return false;
	return !filter.by_cgroup || cgroup_is_wanted(BPF_CORE_READ(task, cgroups, dfl_cgrp));
}

/* The same; an event that is not wanted counts as filtered. */
static __always_inline bool other_filtered(const struct task_struct___part *task)
{
	if (other_wanted(task))
		return false;
	event_count_filtered();
	return true;
}

#endif

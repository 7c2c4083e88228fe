/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers that a task has in the caller's pid namespace.  Include it after vmlinux.h; it has the variable `filter`, which the
 * user side sets.
 */
#ifndef PROBELIGHT_PIDNS_BPF_H
#define PROBELIGHT_PIDNS_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/shared/event.h"

#define PID_NS_LEVELS_MAX 33	/* MAX_PID_NS_LEVEL + 1, include/linux/pid_namespace.h */

/* The user side sets it (tool__opened); frozen at load. */
const volatile struct task_filter filter = {};

/* What is read of the kernel's structs (task.bpf.h says why not these themselves). */
struct pid_namespace___part {
	struct {
		unsigned int inum;
	} ns;
} __attribute__((preserve_access_index));

struct upid___part {
	int nr;
	struct pid_namespace___part *ns;
} __attribute__((preserve_access_index));

struct pid___part {
	unsigned int level;
	struct upid___part numbers[1];	/* level + 1 of them */
} __attribute__((preserve_access_index));

struct signal_struct___pids {
	struct pid___part *pids[PIDTYPE_MAX];
} __attribute__((preserve_access_index));

struct task_struct___pids {
	struct pid___part *thread_pid;
	struct signal_struct___pids *signal;
} __attribute__((preserve_access_index));

/*
 * The number of a pid in the caller's pid namespace, which is not the initial one; 0 where it has none there, as pid_nr_ns() does in
 * the kernel.
 *
 * This and the next two are functions of their own, so that lib/run leaves them out where they are not needed, and static: a global
 * function is verified even if nothing calls it (up to 6.7).
 */
static __noinline __u32 pid_number_in_namespace(const struct pid___part *pid)
{
	const struct upid___part *numbers = pid->numbers;
	__u32 level;

	level = BPF_CORE_READ(pid, level);
	for (__u32 i = 0; i < PID_NS_LEVELS_MAX && i <= level; i++) {
		/*
		 * Else clang 19 counts down from the smaller of the two, and to the verifier of 6.1, which does not learn from
		 * "is not 0" that the count is above it, that loop never ends.
		 */
		barrier_var(level);
		if (BPF_CORE_READ(&numbers[i], ns, ns.inum) == filter.pidns_ino)
			return BPF_CORE_READ(&numbers[i], nr);
	}
	return 0;
}

/* The same in whichever namespace the caller is: what the rows' PID has. */
static __always_inline __u32 pid_number(const struct pid___part *pid)
{
	return filter.pidns_ino ? pid_number_in_namespace(pid) : BPF_CORE_READ(&pid->numbers[0], nr);
}

/* struct bpf_pidns_info of the UAPI; that of vmlinux.h would have the accesses relocated, which costs at every start. */
struct pidns_ids {
	__u32 pid, tgid;
};

/* The numbers of a task that is in a namespace below the caller's, out of the kernel's own record, which takes BTF. */
static __noinline __u64 pidns_numbers_below(void)
{
	struct task_struct___pids *task = (struct task_struct___pids *)bpf_get_current_task();

	return (__u64)pid_number_in_namespace(BPF_CORE_READ(task, signal, pids[PIDTYPE_TGID])) << 32 |
	       pid_number_in_namespace(BPF_CORE_READ(task, thread_pid));
}

/*
 * The same as task_pid_tgid(), where the caller's pid namespace is not the initial one.  The helper (since 5.7) fails unless the
 * namespace is the task's own.
 */
static __noinline __u64 pidns_numbers(void)
{
	struct pidns_ids ns = {};

	if (!bpf_get_ns_current_pid_tgid(filter.pidns_dev, filter.pidns_ino, (void *)&ns, sizeof(ns)))
		return (__u64)ns.tgid << 32 | ns.pid;
	return filter.pidns_below ? pidns_numbers_below() : 0;
}

/*
 * pid << 32 | tid of the current task in the caller's pid namespace; 0 where it is not in it, nor in one below.  Without BTF
 * tasks in namespaces below give 0 as well.
 */
static __always_inline __u64 task_pid_tgid(void)
{
	return filter.pidns_ino ? pidns_numbers() : bpf_get_current_pid_tgid();
}

/* Whether a list of -p or -t has the number. */
static __always_inline bool task_filter_has(const volatile __u32 *ids, __u32 count, __u32 id)
{
	for (__u32 i = 0; i < count && i < TASK_FILTER_IDS_MAX; i++)
		if (ids[i] == id)
			return true;
	return false;
}

#endif

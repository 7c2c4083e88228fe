/* SPDX-License-Identifier: BSD-2-Clause */
/* What tools read of the kernel's own record of a task. Include it after vmlinux.h. */
#ifndef PROBELIGHT_TASK_BPF_H
#define PROBELIGHT_TASK_BPF_H

#include <bpf/bpf_core_read.h>

#include "arch.bpf.h"
#include "filter.bpf.h"

/*
 * Of the kernel's structs, the members that are read.  With vmlinux.h's own the object's BTF has 145 structs, all that
 * task_struct is made of, which libbpf and the kernel go through at every start: 1.2 million instructions.  NAME___part
 * is NAME to CO-RE and to lib/layout.
 */
struct signal_struct___part {
	struct {
		int counter;
	} live;
	int group_exit_code;
	unsigned int flags;
	struct pid___part *pids[PIDTYPE_MAX];
} __attribute__((preserve_access_index));

struct mm_struct___part {
	unsigned long start_stack;
	unsigned long arg_start;
	unsigned long arg_end;
} __attribute__((preserve_access_index));

struct rq___part {
	u64 clock;
} __attribute__((preserve_access_index));

struct cfs_rq___part {
	struct rq___part *rq;
} __attribute__((preserve_access_index));

struct cred___part {
	struct {
		unsigned int val;
	} uid;
} __attribute__((preserve_access_index));

struct kernfs_node___part {
	u64 id;
	const char *name;
} __attribute__((preserve_access_index));

struct cgroup___part;

/* The first member of struct cgroup; parent points to that of the cgroup above. */
struct cgroup_subsys_state___part {
	struct cgroup___part *cgroup;
	struct cgroup_subsys_state___part *parent;
} __attribute__((preserve_access_index));

struct cgroup___part {
	struct cgroup_subsys_state___part self;
	struct kernfs_node___part *kn;
} __attribute__((preserve_access_index));

struct css_set___part {
	struct cgroup___part *dfl_cgrp;
} __attribute__((preserve_access_index));

/* For the tools that read these to say what of them they read. */
struct fs_struct___part;
struct files_struct___part;
struct nsproxy___part;

struct task_struct___part {
	struct {
		ARCH_COMPAT_TYPE ARCH_COMPAT_MEMBER;
		ARCH_MORE_THREAD_INFO
		unsigned long syscall_work;
	} thread_info;
	void *stack;
	unsigned int flags;
	int exit_code;
	int prio;
	unsigned long nvcsw;
	pid_t pid;
	pid_t tgid;
	struct pid___part *thread_pid;
	struct task_struct___part *real_parent;
	struct task_struct___part *group_leader;
	u64 start_time;
	u64 start_boottime;
	char comm[TASK_COMM_LEN];
	struct signal_struct___part *signal;
	struct mm_struct___part *mm;
	struct fs_struct___part *fs;
	struct files_struct___part *files;
	struct nsproxy___part *nsproxy;
	struct cred___part *cred;
	struct css_set___part *cgroups;
	struct {
		unsigned long pcount;
		unsigned long long run_delay;
		unsigned long long last_arrival;
		unsigned long long last_queued;
	} sched_info;
	struct {
		struct cfs_rq___part *cfs_rq;
	} se;
} __attribute__((preserve_access_index));

static __always_inline struct task_struct___part *task_current(void)
{
	return (struct task_struct___part *)bpf_get_current_task();
}

/*
 * Whether the task is in a 32-bit call: the kernel's own mark (in_ia32_syscall() on x86).  For a task that the verifier lets
 * be read directly there is task_is_compat_btf().
 */
static __always_inline bool task_is_compat(const struct task_struct___part *task)
{
	return BPF_CORE_READ(task, thread_info.ARCH_COMPAT_MEMBER) & ARCH_COMPAT_BIT;
}

static __always_inline bool task_is_compat_btf(const struct task_struct___part *task)
{
	return task->thread_info.ARCH_COMPAT_MEMBER & ARCH_COMPAT_BIT;
}

/* The pid of the task's process in the caller's pid namespace; 0 where the process is not in it. */
static __always_inline __u32 task_process(const struct task_struct___part *task)
{
	if (!filter.pidns_ino)
		return BPF_CORE_READ(task, tgid);
	return pid_number_in_namespace(BPF_CORE_READ(task, signal, pids[PIDTYPE_TGID]));
}

/* The id of the task's cgroup v2, for events of a task that is not the current one. */
static __always_inline __u64 task_cgroup_id(const struct task_struct___part *task)
{
	return filter.wants_cgroup ? BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id) : 0;
}

/* The same of the thread: the rows' TID. */
static __always_inline __u32 task_thread(const struct task_struct___part *task)
{
	if (!filter.pidns_ino)
		return BPF_CORE_READ(task, pid);
	return pid_number_in_namespace(BPF_CORE_READ(task, thread_pid));
}

/*
 * The task's parent, as getppid() gives it: who forked the task, or who took it over when that one ended; not the debugger.
 * Read without the lock: a parent that ends at this very moment may be the old one still.
 */
static __always_inline __u32 task_parent_process(const struct task_struct___part *task)
{
	return task_process(BPF_CORE_READ(task, real_parent));
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of a key that says whose the event is (lib/shared/task_key.h), as --by asks for it; the user side sets what that is
 * (lib/run/task_keys.h).
 */
#ifndef PROBELIGHT_TASK_KEY_BPF_H
#define PROBELIGHT_TASK_KEY_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/shared/task_key.h"
#include "task.bpf.h"

/* enum task_key_kind.  Frozen: the verifier removes the ways that are not taken. */
const volatile __u8 task_key_kind = TASK_KEY_NONE;

/* Fills a key that is all 0. */
static __always_inline void task_key_set(struct task_key *key, const struct task_struct___part *task)
{
	const struct task_struct___part *named = task;

	if (task_key_kind == TASK_KEY_CGROUP) {
		key->cgroup_id = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
		return;
	}
	if (task_key_kind != TASK_KEY_COMM)
		key->pid = task_process(task);
	if (task_key_kind == TASK_KEY_THREAD)
		key->tid = task_thread(task);
	else if (task_key_kind == TASK_KEY_PROCESS)
		named = BPF_CORE_READ(task, group_leader);
	bpf_probe_read_kernel_str(key->comm, sizeof(key->comm), &named->comm);
}

/* The same of the current task, whose numbers cost less. */
static __always_inline void task_key_set_current(struct task_key *key)
{
	u64 id = task_pid_tgid();

	if (task_key_kind == TASK_KEY_CGROUP) {
		key->cgroup_id = bpf_get_current_cgroup_id();
		return;
	}
	if (task_key_kind != TASK_KEY_COMM)
		key->pid = id >> 32;
	if (task_key_kind == TASK_KEY_THREAD)
		key->tid = (u32)id;
	if (task_key_kind == TASK_KEY_PROCESS) {
		const struct task_struct___part *leader = BPF_CORE_READ(task_current(), group_leader);

		bpf_probe_read_kernel_str(key->comm, sizeof(key->comm), &leader->comm);
	} else {
		bpf_get_current_comm(key->comm, sizeof(key->comm));
	}
}

#endif

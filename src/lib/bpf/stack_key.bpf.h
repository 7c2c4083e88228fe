/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The key of a tool that counts by stack: the current task and its stacks, or with --by (lib/run/stack_tasks.h) whatever of the task that
 * asks for.  Includes stack.bpf.h, so that the same holds for it.
 */
#ifndef PROBELIGHT_STACK_KEY_BPF_H
#define PROBELIGHT_STACK_KEY_BPF_H

#include "stack.bpf.h"
#include "task_key.bpf.h"

/* Which stacks are wanted; lib/run/stack_report.c sets them. */
const volatile bool no_kernel = false;
const volatile bool no_user = false;
/* The tag is counted apart, and the task.  Frozen, as all of these. */
const volatile bool with_tag = true;
const volatile bool no_task = false;

/* Fills all of it but the tag.  id: task_pid_tgid().  The key is 0 or was filled here before. */
static __always_inline void stack_key_set(void *ctx, struct stack_key *key, u64 id)
{
	if (no_task)
		return;
	if (task_key_kind != TASK_KEY_NONE) {
		task_key_set_current(&key->task);
		return;
	}
	key->pid = id >> 32;
	bpf_get_current_comm(key->comm, sizeof(key->comm));
	key->hashes[STACK_KERNEL] = no_kernel ? 0 : stack_take(ctx, STACK_KERNEL, key);
	key->hashes[STACK_USER] = no_user ? 0 : stack_take(ctx, STACK_USER, key);
}

/* Sets it to a task that is not known, whose name says so. */
static __always_inline void stack_key_set_unknown(struct stack_key *key, const char name[TASK_COMM_LEN])
{
	*key = (struct stack_key){};
	if (no_task || task_key_kind == TASK_KEY_CGROUP)
		return;
	__builtin_memcpy(task_key_kind == TASK_KEY_NONE ? key->comm : key->task.comm, name, TASK_COMM_LEN);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stacks of a owner (owner.bpf.h), for --stack and --ustack: sent where it begins what is an event only later, in whichever task.
 * Include it once in a tool, after vmlinux.h; the tool has ROW_STACKS_BEFORE() (lib/stacks/row_stacks.h).
 */
#ifndef PROBELIGHT_OWNER_STACK_BPF_H
#define PROBELIGHT_OWNER_STACK_BPF_H

#include "row_stack.bpf.h"
#include "owner.bpf.h"

/*
 * Sends the current task's stacks, which the owner is, under the time since_ns, by which the row has them.  A function of its own, whose
 * calls the user side takes out where no stack is asked for.
 */
static __noinline int owner_send_stacks(void *ctx, const struct owner *owner, __u64 since_ns)
{
	struct event_task task;

	if (!owner || !owner->wanted || owner->own)
		return 0;
	task.ts_ns = since_ns;
	task.tid = owner->tid;
	return row_stack_send(ctx, &task, 0);
}

#endif

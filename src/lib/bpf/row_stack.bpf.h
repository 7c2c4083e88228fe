/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stacks of rows, for --stack and --ustack.  A program that hands an event over with
 *
 *	event_submit_from(ctx, event);
 *
 * instead of event_submit() sends the current task's stacks with it, where they are asked for; the user side prints them below the row
 * (lib/stacks/row_stacks.h), where ROW_STACKS() says which of them the tool's rows can have.
 *
 * They have a ring buffer of their own: no event is lost because its stack takes the room.  A stack without room is left out, and the
 * user side notices that.  Include it once in a tool, after vmlinux.h.
 */
#ifndef PROBELIGHT_ROW_STACK_BPF_H
#define PROBELIGHT_ROW_STACK_BPF_H

#include <bpf/bpf_helpers.h>

#include "lib/shared/row_stack.h"
#include "arch.bpf.h"
#include "ring.bpf.h"
#include "stack_program.bpf.h"

/* Made only where a stack is asked for. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} row_stacks SEC(".maps");

const volatile __u32 row_stack_kinds = 0;	/* ROW_STACK_KERNEL, ROW_STACK_USER */

/*
 * Sends the stacks that are asked for; user_caller: as in struct row_stack.  Where none is, the user side takes the calls out
 * (layout__stub_out()): a branch around them would cost the verifier more than 0.4 million instructions in some tools, which go through a
 * call's end on many ways.
 */
static __noinline int row_stack_send(void *ctx, const struct event_task *task, __u64 user_caller)
{
	/* constants, as frozen read-only data is: which kinds, the room that they take */
	const __u32 kinds = row_stack_kinds;
	const __u64 size = kinds == (ROW_STACK_KERNEL | ROW_STACK_USER) ? sizeof(struct row_stack) :
		sizeof(struct row_stack) - sizeof(((struct row_stack *)0)->frames[0]);
	struct row_stack *stack;

	/* called by a subprogram, whose calls stay */
	if (!kinds)
		return 0;
	stack = bpf_ringbuf_reserve(&row_stacks, size, 0);
	if (!stack)
		return 0;
	stack->ts_ns = task->ts_ns;
	stack->tid = task->tid;
	stack->pid = task_pid_tgid() >> 32;
	stack->program.code_end = stack->program.stack = 0;
	if (stack_programs_sent)
		stack_program_read(&stack->program);
	stack->sizes[STACK_KERNEL] = stack->sizes[STACK_USER] = 0;
	stack->link = arch_probe_link(ctx);
	stack->user_caller = user_caller;
	if (kinds & ROW_STACK_KERNEL)
		stack->sizes[STACK_KERNEL] = bpf_get_stack(ctx, stack->frames[0], sizeof(stack->frames[0]), 0);
	/* where both are wanted the user's is the second one */
	if (kinds == ROW_STACK_USER)
		stack->sizes[STACK_USER] = bpf_get_stack(ctx, stack->frames[0], sizeof(stack->frames[0]), BPF_F_USER_STACK);
	else if (kinds & ROW_STACK_USER)
		stack->sizes[STACK_USER] = bpf_get_stack(ctx, stack->frames[1], sizeof(stack->frames[1]), BPF_F_USER_STACK);
	/* whoever reads the row reads its stack before it */
	bpf_ringbuf_submit(stack, BPF_RB_NO_WAKEUP);
	return 0;
}

/* event_submit() for an event of the program whose context this is. */
static __always_inline void event_submit_from(void *ctx, void *event)
{
	row_stack_send(ctx, event, 0);
	event_submit(event);
}

/* event_output(), likewise. */
static __always_inline void event_output_from(void *ctx, void *event, __u64 size)
{
	row_stack_send(ctx, event, 0);
	event_output(event, size);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks (stack.bpf.h) for programs that may nest on a CPU: an interrupt's in a task's, and on uprobes, where programs can be preempted,
 * another task's.
 *
 *	u64 *place;
 *	u32 nest = stack_place_take(&place);
 *
 *	key.hashes[STACK_KERNEL] = stack_take_nested(ctx, STACK_KERNEL + STACK_KINDS * nest, &key, 0);
 *	stack_place_leave(place);
 *
 * Without a free place the hash is STACK_NO_PLACE, a stack that nobody knows.
 */
#ifndef PROBELIGHT_STACK_NESTED_BPF_H
#define PROBELIGHT_STACK_NESTED_BPF_H

#define STACK_NESTS 4
#include "atomic.bpf.h"
#include "stack.bpf.h"

#define STACK_NO_PLACE 1	/* in place of a hash */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STACK_NESTS);
	__type(key, __u32);
	__type(value, __u64);
} stack_places SEC(".maps");

/*
 * Takes a place of this CPU, *place; STACK_NESTS: there is none.  Who adds one and finds it alone has it: whoever comes in between finds
 * more, and tries the next one.  (An exchange would be shorter; the kernel has it since 5.12.)
 */
static __always_inline __u32 stack_place_take(__u64 **place)
{
#pragma unroll
	for (__u32 i = 0; i < STACK_NESTS; i++) {
		__u32 index = i;
		__u64 *at = bpf_map_lookup_elem(&stack_places, &index);

		if (!at)
			break;
		atomic_add_ordered(at, 1);
		if (*(volatile __u64 *)at == 1) {
			*place = at;
			return i;
		}
		atomic_add_ordered(at, -1);
	}
	return STACK_NESTS;
}

static __always_inline void stack_place_leave(__u64 *place)
{
	atomic_add_ordered(place, -1);
}

/*
 * stack_take() at the place that index has.  caller: at a program's function, at its first instruction, at its ret, or where the kernel's
 * return probe is, where it was called from (arch_user_caller() at the first one); a stack by frame pointers lacks that, or has the probe's
 * own code instead.  The function itself is left out then.  Else 0.
 */
static __noinline __u64 stack_take_nested(void *ctx, __u32 index, const struct stack_key *key, __u64 caller)
{
	const __u64 is_user = index % STACK_KINDS == STACK_USER;
	struct stack_sent *stack = bpf_map_lookup_elem(&stack_scratch, &index);
	const __u32 room = (STACK_FRAMES_MAX - 1) * sizeof(__u64);
	long size;

	if (!stack)
		return 0;
	if (caller) {
		stack->frames[0] = caller;
		size = bpf_get_stack(ctx, &stack->frames[1], room, BPF_F_USER_STACK | 1);
		if (size < 0)
			size = 0;
		/* where the kernel knows it already (since 6.1, at a push of the frame pointer) */
		if (size && stack->frames[1] == caller)
			size = bpf_get_stack(ctx, stack->frames, room, BPF_F_USER_STACK | 1);
		else
			size += sizeof(__u64);
	} else {
		size = bpf_get_stack(ctx, stack->frames, room, is_user ? BPF_F_USER_STACK : 0);
	}
	if (size <= 0)
		return 0;
	return stack_finish(index, size, is_user ? key->pid : 0, is_user ? stack_user_salt(key) : STACK_SEED);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks of calls.  A program takes the frames, hashes them and counts by the hash; each new stack is sent once through the ring
 * buffer, while its process lives, so that the user side (lib/run/stacks.h) can name its frames.
 *
 *	struct stack_key key = { .pid = …, .comm = … };
 *
 *	key.hashes[STACK_KERNEL] = stack_take(ctx, STACK_KERNEL, &key);
 *	key.hashes[STACK_USER] = stack_take(ctx, STACK_USER, &key);
 *	value = table_at(&key);
 *
 * The kernel has a map for stacks, BPF_MAP_TYPE_STACK_TRACE: two stacks that fall into the same of its slots shut each other out.
 *
 * Only for programs that do not nest on a CPU: those of perf events (bpf_prog_active guards them) and of sched_switch, where
 * interrupts are off.  Include it once in a tool, after vmlinux.h.
 */
#ifndef PROBELIGHT_STACK_BPF_H
#define PROBELIGHT_STACK_BPF_H

#include <bpf/bpf_helpers.h>

#include "lib/shared/stack.h"
#include "ring.bpf.h"

#define STACKS_TOLD_MAX 16384	/* older ones are forgotten, and sent again when they come again */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STACK_KINDS);
	__type(key, __u32);
	__type(value, struct stack_told);
} stack_scratch SEC(".maps");

/* By hash: the stacks that the user side has. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, STACKS_TOLD_MAX);
	__type(key, __u64);
	__type(value, __u8);
} stacks_told SEC(".maps");

/* In the scratch of a kind, what has no frames: never equal to a hash of some. */
#define STACK_SEED 0x9e3779b97f4a7c15ull

static __always_inline __u64 stack_mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0xff51afd7ed558ccdull;
	return hash ^ hash >> 32;
}

/*
 * The hash of the frames in the scratch.  A global function: it is verified once, by itself.  (In line, the verifier would follow
 * each of the 127 ways out of the loop.)
 */
__attribute__((noinline)) __u64 stack_hash(__u32 kind, __u32 count)
{
	struct stack_told *stack = bpf_map_lookup_elem(&stack_scratch, &kind);
	__u64 hash = STACK_SEED;

	if (!stack)
		return 0;
	for (__u32 i = 0; i < STACK_FRAMES_MAX; i++) {
		if (i >= count)
			break;
		hash = stack_mix(hash, stack->frames[i]);
	}
	return hash;
}

/* Sends the stack in the scratch, unless the user side has it. */
static __always_inline void stack_tell(struct stack_told *stack, __u64 size)
{
	__u64 hash = stack->hash;
	__u8 told = 1;
	long err;

	if (bpf_map_lookup_elem(&stacks_told, &hash))
		return;
	/* EEXIST, -17: another CPU sends it; another error: no room to keep that it was sent */
	err = bpf_map_update_elem(&stacks_told, &hash, &told, BPF_NOEXIST);
	if (err == -17)
		return;
	/* without room the next one that comes is sent; until then the count stands under a stack that nobody knows */
	if (bpf_ringbuf_output(&events, stack, __builtin_offsetof(struct stack_told, frames) + size, 0))
		bpf_map_delete_elem(&stacks_told, &hash);
}

/*
 * The hash of the current task's stack of a kind, for key->hashes[kind]; 0: it has none.  Sends the stack if it is new.  key->pid and
 * key->comm are set.  Not in line: clang makes one piece of code of two calls, with an index that the verifier cannot follow.
 */
static __noinline __u64 stack_take(void *ctx, __u32 kind, const struct stack_key *key)
{
	__u32 index = kind;
	struct stack_told *stack = bpf_map_lookup_elem(&stack_scratch, &index);
	__u64 hash;
	long size;

	if (!stack)
		return 0;
	size = bpf_get_stack(ctx, stack->frames, sizeof(stack->frames), kind == STACK_USER ? BPF_F_USER_STACK : 0);
	/* a task in user mode has no kernel stack, a thread of the kernel no user stack */
	if (size <= 0 || size > (long)sizeof(stack->frames))
		return 0;
	hash = stack_hash(kind, (__u32)size / sizeof(*stack->frames));
	if (kind == STACK_USER) {
		/* the same addresses are other functions in another process; the name tells of most execs */
		hash = stack_mix(hash, key->pid);
		hash = stack_mix(hash, ((const __u64 *)key->comm)[0]);
		hash = stack_mix(hash, ((const __u64 *)key->comm)[1]);
	}
	hash |= !hash;
	stack->hash = hash;
	stack->pid = kind == STACK_USER ? key->pid : 0;
	stack->kind = kind;
	stack->count = size / sizeof(*stack->frames);
	stack_tell(stack, size);
	return hash;
}

/* ---- names of kernel addresses, on request of the user side */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack_names);
} stack_names SEC(".maps");

/* B: the address is where a call returns to, which may be the first byte of the next function. */
const char stack_name_format[] = "%pB";

/* Not loaded where the kernel has no such programs, or no bpf_snprintf(): before 5.14. */
SEC("syscall")
int stack_name_addresses(void *ctx)
{
	__u32 first = 0;
	struct stack_names *batch = bpf_map_lookup_elem(&stack_names, &first);

	if (!batch)
		return 0;
	for (__u32 i = 0; i < STACK_NAMES_BATCH; i++) {
		if (i >= batch->count)
			break;
		bpf_snprintf(batch->names[i], STACK_NAME_SIZE, stack_name_format, &batch->addresses[i], sizeof(__u64));
	}
	return 0;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks of calls.  A program takes the frames, hashes them and counts by the hash; each new stack is sent once through the ring
 * buffer, while its process lives, so that the user side (lib/stacks/stacks.h) can name its frames.
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
 * interrupts are off; others have stack_nested.bpf.h.  Include it once in a tool, after vmlinux.h.
 */
#ifndef PROBELIGHT_STACK_BPF_H
#define PROBELIGHT_STACK_BPF_H

#include <bpf/bpf_helpers.h>

#include "lib/shared/stack.h"

#ifndef EVENTS_SIZE
#define EVENTS_SIZE (256 * 1024)	/* each new stack passes once; zeroing and mapping more costs each start */
#endif
#define EVENTS_ONE_RING		/* a new stack has no time */
#include "ring.bpf.h"
#include "stack_names.bpf.h"
#include "stack_program.bpf.h"

#ifndef STACK_NESTS
#define STACK_NESTS 1		/* programs that may be in the middle of a stack on a CPU (stack_nested.bpf.h) */
#endif

/* Kind by kind, for each of those programs. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STACK_KINDS * STACK_NESTS);
	__type(key, __u32);
	__type(value, struct stack_sent);
} stack_scratch SEC(".maps");

/*
 * The hashes of stacks that the user side has, each in the set that its hash names.  A new one takes the place of any: what
 * is forgotten is sent again when it comes again, whether the user side still knows it or not.  (An LRU hash of as many
 * would take 2.3 million instructions of each start, as its elements are allocated and linked.)
 */
#define STACK_SENT_SETS 2048
#define STACK_SENT_WAYS 8
struct stack_sent_set {
	__u64 hashes[STACK_SENT_WAYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);	/* stacks__forget() clears it */
	__uint(max_entries, STACK_SENT_SETS);
	__type(key, __u32);
	__type(value, struct stack_sent_set);
} stacks_sent SEC(".maps");

/*
 * Room for the frames of most stacks, in whole blocks; a deeper one is taken a second time.  bpf_get_stack() zeroes what is
 * left of the room it is given.
 */
#define STACK_FRAMES_USUAL_KERNEL 32
#define STACK_FRAMES_USUAL_USER 64

/* In the scratch of a kind, what has no frames: never equal to a hash of some. */
#define STACK_SEED 0x9e3779b97f4a7c15ull

static __always_inline __u64 stack_mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0xff51afd7ed558ccdull;
	return hash ^ hash >> 32;
}

/*
 * Goes on with a hash for the frames from number `from` on that are in the scratch; from is a whole number of blocks.  A
 * global function: it is verified once, by itself, and not for each of the blocks that a stack may have.
 *
 * A load costs some 2,000 instructions for each instruction of a program, and as many for each state that a loop makes the
 * verifier keep.  Four frames a turn are the least of both: 7.1 million until profile is ready, 7.6 with the loops unrolled
 * (6.1).
 */
__attribute__((noinline)) __u64 stack_hash_block(__u32 index, __u32 from, __u32 count, __u64 hash)
{
	struct stack_sent *stack = bpf_map_lookup_elem(&stack_scratch, &index);

	if (!stack || from >= count || from > STACK_FRAMES_ROOM - STACK_HASH_BLOCK)
		return hash;
#pragma clang loop unroll_count(4)
	for (__u32 i = 0; i < STACK_HASH_BLOCK; i++)
		hash = stack_mix(hash, stack->frames[from + i]);
	return hash;
}

/* 1 if a and b are the same, else 0; without a branch, each of which the verifier follows both ways. */
static __always_inline __u64 stack_same(__u64 a, __u64 b)
{
	__u64 differ = a ^ b;

	asm volatile("" : "+r"(differ));
	return ((differ | -differ) >> 63) ^ 1;
}

/* Sends the stack in the scratch, unless the user side has it. */
static __always_inline void stack_tell(struct stack_sent *stack, __u32 size)
{
	__u32 index = (__u32)(stack->hash >> 32) & (STACK_SENT_SETS - 1);
	struct stack_sent_set *set = bpf_map_lookup_elem(&stacks_sent, &index);
	__u64 *sent, is_sent = 0, sent_size = __builtin_offsetof(struct stack_sent, frames) + size;

	if (!set)
		return;
#pragma unroll
	for (__u32 i = 0; i < STACK_SENT_WAYS; i++)
		is_sent |= stack_same(set->hashes[i], stack->hash);
	if (is_sent)
		return;
	if (stack_programs_sent && stack->kind == STACK_USER)
		stack_program_read(&stack->program);
	/* another CPU may send the same at this moment, or take the same place: then it is sent twice */
	sent = &set->hashes[bpf_get_prandom_u32() & (STACK_SENT_WAYS - 1)];
	*sent = stack->hash;
	/* without room the next one that comes is sent; until then the count stands under a stack that nobody knows */
	/* the bound was checked; but a verifier does not know the number any more after it lay on the stack */
	asm volatile("" : "+r"(sent_size));
	if (sent_size > sizeof(*stack) || bpf_ringbuf_output(&events, stack, sent_size, 0))
		*sent = 0;
}

/*
 * Hashes the size bytes of frames that are in the scratch at an index, and sends the stack if it is new.  salt: what else distinguishes it.
 * A global function as well: what calls it is verified without it.
 */
__attribute__((noinline)) __u64 stack_finish(__u32 index, __u32 size, __u32 pid, __u64 salt)
{
	struct stack_sent *stack = bpf_map_lookup_elem(&stack_scratch, &index);
	__u32 count = size / sizeof(*stack->frames);
	__u64 hash = salt;

	if (!stack || size > STACK_FRAMES_MAX * sizeof(*stack->frames))
		return 0;
	/* bpf_get_stack() has zeroed what is behind the last frame */
#pragma clang loop unroll(disable)
	for (__u32 from = 0; from < STACK_FRAMES_ROOM; from += STACK_HASH_BLOCK)
		hash = stack_hash_block(index, from, count, hash);
	hash |= !hash;
	stack->hash = hash;
	stack->pid = pid;
	stack->kind = index % STACK_KINDS;
	stack->count = count;
	stack_tell(stack, size);
	return hash;
}

/*
 * What else distinguishes a user stack than its frames.  The same addresses are other functions in another process, and in another program,
 * which the name tells apart, or the addresses: what tells for certain (stack_program.bpf.h) would be two reads more for each stack that
 * comes.
 */
static __always_inline __u64 stack_user_salt(const struct stack_key *key)
{
	__u64 salt = stack_mix(STACK_SEED, key->pid);

	salt = stack_mix(salt, ((const __u64 *)key->comm)[0]);
	return stack_mix(salt, ((const __u64 *)key->comm)[1]);
}

#if STACK_NESTS == 1
/*
 * The hash of the current task's stack of a kind, for key->hashes[kind]; 0: it has none.  Sends the stack if it is new.  key->pid and
 * key->comm are set.  Not in line: clang makes one piece of code of two calls, with an index that the verifier cannot follow.
 */
static __noinline __u64 stack_take(void *ctx, __u32 kind, const struct stack_key *key)
{
	const __u32 usual = (kind == STACK_USER ? STACK_FRAMES_USUAL_USER : STACK_FRAMES_USUAL_KERNEL) * sizeof(__u64);
	const __u64 flags = kind == STACK_USER ? BPF_F_USER_STACK : 0;
	__u32 index = kind, pid = 0;
	struct stack_sent *stack = bpf_map_lookup_elem(&stack_scratch, &index);
	__u64 salt = STACK_SEED;
	long size;

	if (!stack)
		return 0;
	size = bpf_get_stack(ctx, stack->frames, usual, flags);
	if (size == usual)
		size = bpf_get_stack(ctx, stack->frames, STACK_FRAMES_MAX * sizeof(*stack->frames), flags);
	/* a task in user mode has no kernel stack, a thread of the kernel no user stack */
	if (size <= 0)
		return 0;
	if (kind == STACK_USER) {
		pid = key->pid;
		salt = stack_user_salt(key);
	}
	return stack_finish(kind, size, pid, salt);
}
#endif

#endif

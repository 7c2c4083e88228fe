/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of functions under way, for programs that see them begin and return.  A thread has a stack of them, so recursion and
 * nested calls are told apart: a call is known by the address of its frame on the kernel's stack, which its begin and its return
 * have in common.  Include it once in a tool, after vmlinux.h.
 *
 *	frame_begin(frame_of_probe(ctx), number);
 *
 *	if (frame_end(frame_of_return(ctx), number, &ns, NULL))
 *		…
 *
 * Where no program saw a return, its call is found when the same thread calls from further out, and counted as unended; calls of a
 * thread that is gone stay in flight, for they never returned.  The name of the map makes lib/run/calls count what was missed.
 */
#ifndef PROBELIGHT_FRAMES_BPF_H
#define PROBELIGHT_FRAMES_BPF_H

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "arch.bpf.h"
#include "lib/shared/frame.h"
#include "stats.bpf.h"

/*
 * By task: a thread that runs an exec may get another number meanwhile.  An entry stays when the last call has returned, for the
 * thread's next one, which saves an insertion and a deletion for each; it goes then only while more than half of the table is used.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FRAMES_THREADS);
	__type(key, __u64);
	__type(value, struct frames);
} calls SEC(".maps");

/* Entries of the table. */
__u64 frames_kept SEC(".bss.kept") = 0;

const volatile struct frames frames_none = {};

/* Both of a kprobe's or kprobe.multi's call: where the return address lies, which x86 has taken off when it returns. */
static __always_inline __u32 frame_of_probe(struct pt_regs *ctx)
{
	return (__u32)PT_REGS_SP(ctx);
}

static __always_inline __u32 frame_of_return(struct pt_regs *ctx)
{
	return (__u32)PT_REGS_SP(ctx) - ARCH_RETURN_SIZE;
}

/*
 * The stack pointer that a program in section kretprobe.multi gets is good up to 6.13.  Since fprobe was put on function graph (6.14) it
 * was first not set, then that of the handler, then that before the return (x86, return_to_handler in arch/x86/kernel/ftrace_64.S).
 * Frames are not known at returns then, and a return is that of the innermost call of its function.
 */
const volatile bool frames_at_multi_return = false;

static __always_inline __u32 frame_of_multi_return(struct pt_regs *ctx)
{
	return frames_at_multi_return ? frame_of_return(ctx) : 0;
}

/*
 * Both of a fentry's or fexit's call: the trampoline's own frame, which holds what ctx points to for both.  A 32-bit move is the
 * only way to make a number of a context that every verifier takes, from 5.10 on.
 */
static __always_inline __u32 frame_of_trampoline(void *ctx)
{
	__u64 address;

	asm volatile("r1 = %[ctx]\n\tw1 = w1\n\t%[address] = r1" : [address] "=r"(address) : [ctx] "r"(ctx) : "r1");
	return (__u32)address;
}

/* The call that is under way has not returned as far as anybody saw, and cannot be any more. */
static __always_inline void frame_count_unended(__u64 number)
{
	struct event_stats *stats = event_stats_slot();

	__sync_fetch_and_add(&stats->in_flight, -number);
	__sync_fetch_and_add(&stats->unended, number);
}

/*
 * Whether a call is over when another one begins at an address: its frame is on the same stack and not around that one.  A call at
 * the very same place is over unless it is of another function: then that one may have jumped here instead of calling.
 */
static __always_inline bool frame_is_over(const struct frame *frame, __u32 address, __u32 function)
{
	/* where stacks are larger than that, fewer unended calls are noticed */
	return (frame->address ^ address) < ARCH_STACK_SIZE &&
	       (frame->address < address || (frame->address == address && frame->function == function));
}

static __always_inline struct frames *frames_make(const __u64 *task)
{
	if (!bpf_map_update_elem(&calls, task, (const void *)&frames_none, BPF_NOEXIST))
		__sync_fetch_and_add(&frames_kept, 1);
	return bpf_map_lookup_elem(&calls, task);
}

/* A call begins: its frame, whose words are the caller's to fill.  NULL where there is no room for it; it is counted as lost. */
static __always_inline struct frame *frame_begin(__u32 address, __u32 function)
{
	__u64 task = bpf_get_current_task(), depth;
	struct frames *frames = bpf_map_lookup_elem(&calls, &task);
	struct frame *frame;

	if (!frames)
		frames = frames_make(&task);
	if (!frames) {
		event_count_no_room();
		return NULL;
	}
	depth = frames->depth;
	for (int i = 0; i < FRAMES_MAX && depth; i++) {
		if (!frame_is_over(&frames->calls[(depth - 1) & (FRAMES_MAX - 1)], address, function))
			break;
		depth--;
		frame_count_unended(1);
	}
	/* taken before it is filled: an interrupt's calls come and go above it */
	*(volatile __u64 *)&frames->depth = depth < FRAMES_MAX ? depth + 1 : depth;
	if (depth >= FRAMES_MAX) {
		event_count_no_room();
		return NULL;
	}
	frame = &frames->calls[depth & (FRAMES_MAX - 1)];
	frame->address = address;
	frame->function = function;
	__sync_fetch_and_add(&event_stats_slot()->in_flight, 1);
	frame->begin_ns = bpf_ktime_get_ns();
	return frame;
}

/*
 * A call returns, after ns: false where it was not seen to begin, or was not wanted then.  address: 0 where it is not known.  words:
 * room for FRAME_WORDS, or NULL.
 */
static __always_inline bool frame_end(__u32 address, __u32 function, __u64 *ns, __u64 *words)
{
	__u64 now_ns = bpf_ktime_get_ns(), task = bpf_get_current_task(), depth, above = 0;
	struct frames *frames = bpf_map_lookup_elem(&calls, &task);
	const struct frame *frame = NULL;
	__u32 mask = address ? ~0u : 0;

	if (!frames)
		return false;
	depth = frames->depth;
	/* one branch for each turn, and what comes after the loop only once: older verifiers walk all paths */
	for (; above < FRAMES_MAX && depth; above++) {
		depth--;
		frame = &frames->calls[depth & (FRAMES_MAX - 1)];
		if (!(((frame->address ^ address) & mask) | (frame->function ^ function)))
			break;
		frame = NULL;
	}
	if (!frame)
		return false;
	/* the clocks of two CPUs may differ a little where they are not synchronized */
	*ns = (__s64)(now_ns - frame->begin_ns) < 0 ? 0 : now_ns - frame->begin_ns;
	for (int i = 0; i < FRAME_WORDS; i++)
		words[i] = frame->words[i];
	frames->depth = depth;
	if (!depth && frames_kept > FRAMES_THREADS / 2 && !bpf_map_delete_elem(&calls, &task))
		__sync_fetch_and_add(&frames_kept, -1);
	/* what returns when the run is over was in flight at its end */
	if (!event_is_over()) {
		__sync_fetch_and_add(&event_stats_slot()->in_flight, -1);
		if (above)
			frame_count_unended(above);
	}
	return true;
}

/* The kernel gives a task back: nothing runs as it any more. */
static __always_inline void frames_free(__u64 task)
{
	if (!bpf_map_delete_elem(&calls, &task))
		__sync_fetch_and_add(&frames_kept, -1);
}

#endif

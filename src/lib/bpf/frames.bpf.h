/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of functions under way, for programs that see them begin and return.  A thread has a stack of them, so recursion and
 * nested calls are told apart: a call is known by the address of its frame on the kernel's stack, which its begin and its return
 * have in common.  Include it once in a tool, after vmlinux.h.
 *
 *	frame_begin(frame_of_probe(ctx), number);
 *
 *	if (frame_end(bpf_get_smp_processor_id(), frame_of_return(ctx), number, &ns, NULL))
 *		…
 *
 * Where no program saw a return, its call is found when the same thread calls from further out, and counted as unmatched; calls of a
 * thread that is gone never returned.  The name of the map makes lib/run/missed_calls count what was missed.
 */
#ifndef PROBELIGHT_FRAMES_BPF_H
#define PROBELIGHT_FRAMES_BPF_H

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "arch.bpf.h"
#include "atomic.bpf.h"
#include "call.bpf.h"
#include "lib/shared/frame.h"
#include "lib/shared/stack_end.h"
#include "role.bpf.h"
#include "stats.bpf.h"

/*
 * A thread's calls are in a place of its own.  The place is found without a search where the thread has the first one that it may have, by
 * its task (a thread that runs an exec may get another number meanwhile); with a hash, which was looked into at both ends, a call took 240
 * instructions more.  It keeps the place when the last call has returned, for its next one, until it ends, or until more than half of the
 * places are taken.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FRAMES_THREADS);
	__type(key, __u32);
	__type(value, struct frames);
} frames_places SEC(".maps");

/*
 * Who has which place: of two threads that want one at the same time only one can insert its number.  And where a task's place is, if it is
 * not the first one that it may have.  Tasks are addresses, so no key of theirs is the number of a place.
 */
CALLS_BY(__u64, 2 * FRAMES_THREADS, __u64);

struct frames_kept frames_kept SEC(".bss.kept") = {};

#define FRAMES_TRIES 16		/* places that a thread may have */

#if FRAME_WORDS_APART
struct frame_words {
	__u64 words[FRAME_WORDS_APART];
};

/* By the numbers of calls (frame_begin_numbered()). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FRAMES_THREADS * FRAMES_MAX);
	__type(key, __u32);
	__type(value, struct frame_words);
} frames_words SEC(".maps");

/* The words of a call that has begun, to fill. */
static __always_inline struct frame_words *frame_words(__u32 number)
{
	return bpf_map_lookup_elem(&frames_words, &number);
}

static __always_inline void frame_words_read(__u32 number, __u64 *words)
{
	const struct frame_words *from = frame_words(number);

	for (int i = 0; i < FRAME_WORDS_APART; i++)
		words[i] = from ? from->words[i] : 0;
}
#else
static __always_inline void frame_words_read(__u32 number, __u64 *words)
{
	(void)number;
	(void)words;
}
#endif

static __always_inline __u32 frame_number(const struct frames *frames, __u64 depth)
{
	return (__u32)(frames->place * FRAMES_MAX + depth);
}

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

/* Both of a fentry's or fexit's call: the trampoline's own frame, which holds what ctx points to for both. */
static __always_inline __u32 frame_of_trampoline(void *ctx)
{
	return arch_low_half(ctx);
}

/*
 * The call that is under way has not returned as far as anybody saw, and cannot be any more.  A tool that sends an event when a call begins
 * defines FRAMES_SEND_BEGINS: the call is shown, so it was not missed.
 */
static __always_inline void frame_count_unmatched(__u64 number)
{
#ifndef FRAMES_SEND_BEGINS
	struct event_stats *stats = event_stats_slot();

	atomic_add(&stats->in_flight, -number);
	atomic_add(&stats->unmatched, number);
#endif
}

/*
 * Whether a call is over when another one begins at an address: its frame is on the same stack and not around that one.  A call at
 * the very same place is over unless it is of another function: then that one may have jumped here instead of calling.
 */
static __always_inline bool frame_is_over(const struct frame *frame, __u32 address, __u32 function)
{
	/* where stacks are larger than that, fewer unmatched calls are noticed */
	return stack_is_one(frame->address, address, ARCH_STACK_SIZE) &&
	       (frame->address < address || (frame->address == address && frame->function == function));
}

/* The places that a thread may have, from 0 on: spread by the upper bits of a product, as task structures lie in rows. */
static __always_inline __u64 frames_place(__u64 task, __u64 attempt)
{
	__u64 mixed = task * 0x9e3779b97f4a7c15ull;

	/* an odd step goes through all of them */
	return ((mixed >> 40) + attempt * (mixed >> 16 | 1)) & (FRAMES_THREADS - 1);
}

static __always_inline struct frames *frames_at(__u64 place)
{
	__u32 index = (__u32)place;

	return bpf_map_lookup_elem(&frames_places, &index);
}

/* A thread's calls; NULL: it has no place. */
static __always_inline struct frames *frames_of(__u64 task)
{
	struct frames *frames = frames_at(frames_place(task, 0));
	__u64 *place;

	if (!frames || *(volatile __u64 *)&frames->task == task)
		return frames;
	if (!*(volatile __u64 *)&frames_kept.displaced)
		return NULL;
	place = bpf_map_lookup_elem(&calls, &task);
	return place ? frames_at(*place) : NULL;
}

/*
 * Takes a place for a thread; NULL: there is none.  An interrupt's call that comes before `task` is set takes another one, which is empty
 * again when it is over, and is given back with the first.
 */
static __noinline struct frames *frames_take(__u64 task)
{
	struct frames *frames;

	for (__u64 attempt = 0; attempt < FRAMES_TRIES; attempt++) {
		__u64 place = frames_place(task, attempt);

		if (bpf_map_update_elem(&calls, &place, &task, BPF_NOEXIST))
			continue;
		atomic_add(&frames_kept.taken, 1);
		if (attempt) {
			atomic_add(&frames_kept.displaced, 1);
			bpf_map_update_elem(&calls, &task, &place, BPF_ANY);
		}
		frames = frames_at(place);
		if (frames) {
			frames->depth = 0;
			frames->place = place;
			*(volatile __u64 *)&frames->task = task;
		}
		return frames;
	}
	return NULL;
}

/* The thread needs no place any more. */
static __noinline int frames_give_back(__u64 task)
{
	__u64 first = frames_place(task, 0), other, *moved;
	struct frames *frames = frames_at(first);

	if (frames && frames->task == task) {
		*(volatile __u64 *)&frames->task = 0;
		if (!bpf_map_delete_elem(&calls, &first))
			atomic_add(&frames_kept.taken, -1);
	}
	moved = frames_kept.displaced ? bpf_map_lookup_elem(&calls, &task) : NULL;
	if (!moved)
		return 0;
	other = *moved;
	frames = frames_at(other);
	if (frames)
		*(volatile __u64 *)&frames->task = 0;
	bpf_map_delete_elem(&calls, &task);
	atomic_add(&frames_kept.displaced, -1);
	if (!bpf_map_delete_elem(&calls, &other))
		atomic_add(&frames_kept.taken, -1);
	return 0;
}

/*
 * How deep a thread is in calls when another one begins at an address: those that are over are taken off, and counted as unmatched.  A
 * function that the verifier looks at by itself, as the one below: where their loops were in each program, funclatency was ready after 131
 * M instructions instead of 63 (6.12).
 */
__noinline __u64 frames_take_off(__u64 place, __u32 address, __u32 function)
{
	struct frames *frames = frames_at(place);
	__u64 depth;

	if (!frames)
		return 0;
	depth = frames->depth;
	for (int i = 0; i < FRAMES_MAX && depth; i++) {
		if (!frame_is_over(&frames->calls[(depth - 1) & (FRAMES_MAX - 1)], address, function))
			break;
		depth--;
		frame_count_unmatched(1);
	}
	return depth;
}

/* Whether a return is this call's; address: 0 where it is not known. */
static __always_inline bool frame_is(const struct frame *frame, __u32 address, __u32 function)
{
	return frame->function == function && (frame->address == address || !address);
}

/* How many calls of a thread are inside of the one that returns; FRAMES_MAX: it is not among them. */
__noinline __u64 frames_above(__u64 place, __u32 address, __u32 function)
{
	struct frames *frames = frames_at(place);
	__u64 depth;

	if (!frames)
		return FRAMES_MAX;
	depth = frames->depth;
	for (__u64 above = 0; above < FRAMES_MAX && above < depth; above++)
		if (frame_is(&frames->calls[(depth - 1 - above) & (FRAMES_MAX - 1)], address, function))
			return above;
	return FRAMES_MAX;
}

/*
 * A call begins: its frame, whose words are the caller's to fill.  NULL where there is no room for it; it is counted as lost.  *number:
 * where its words are if they are apart.
 */
static __always_inline struct frame *frame_begin_numbered(__u32 address, __u32 function, __u32 *number)
{
	__u64 task = bpf_get_current_task(), depth;
	struct frames *frames = frames_of(task);
	struct frame *frame;

	if (!frames)
		frames = frames_take(task);
	if (!frames) {
		event_count_no_room();
		return NULL;
	}
	depth = frames->depth;
	if (depth && frame_is_over(&frames->calls[(depth - 1) & (FRAMES_MAX - 1)], address, function))
		depth = frames_take_off(frames->place, address, function);
	/* taken before it is filled: an interrupt's calls come and go above it */
	*(volatile __u64 *)&frames->depth = depth < FRAMES_MAX ? depth + 1 : depth;
	if (depth >= FRAMES_MAX) {
		event_count_no_room();
		return NULL;
	}
	frame = &frames->calls[depth & (FRAMES_MAX - 1)];
	frame->address = address;
	frame->function = function;
	atomic_add(&event_stats_slot()->in_flight, 1);
	frame->begin_ns = bpf_ktime_get_ns();
	*number = frame_number(frames, depth);
	return frame;
}

static __always_inline struct frame *frame_begin(__u32 address, __u32 function)
{
	__u32 number;

	return frame_begin_numbered(address, function, &number);
}

/*
 * A call returns, after ns: false where it was not seen to begin, or was not wanted then, or the run is over: it was in flight at its end.
 * cpu: the current one's number; address: 0 where it is not known; words: room for FRAME_WORDS or FRAME_WORDS_APART, or NULL.
 */
static __always_inline bool frame_end(__u32 cpu, __u32 address, __u32 function, __u64 *ns, __u64 *words)
{
	__u64 now_ns = bpf_ktime_get_ns(), task = bpf_get_current_task(), depth, above = 0;
	struct frames *frames = frames_of(task);
	const struct frame *frame;

	depth = frames ? frames->depth : 0;
	if (!depth)
		return false;
	depth--;
	frame = &frames->calls[depth & (FRAMES_MAX - 1)];
	if (!frame_is(frame, address, function)) {
		above = frames_above(frames->place, address, function);
		if (above >= FRAMES_MAX)
			return false;
		depth -= above;
		frame = &frames->calls[depth & (FRAMES_MAX - 1)];
	}
	/* the clocks of two CPUs may differ a little where they are not synchronized */
	*ns = (__s64)(now_ns - frame->begin_ns) < 0 ? 0 : now_ns - frame->begin_ns;
	for (int i = 0; i < FRAME_WORDS; i++)
		words[i] = frame->words[i];
	if (words)
		frame_words_read(frame_number(frames, depth), words);
	/* not before: an interrupt's calls take its place */
	frames->depth = depth;
	if (!depth && frames_kept.taken > FRAMES_THREADS / 2)
		frames_give_back(task);
	if (event_is_over())
		return false;
	atomic_add(&event_stats_of(cpu)->in_flight, -1);
	if (above)
		frame_count_unmatched(above);
	return true;
}

/* A task is gone, which may have had calls under way.  A tool that defines FRAMES_SEND_BEGINS has a function of its own. */
#ifdef FRAMES_SEND_BEGINS
static void frames_ended(struct frames *frames);
#else
static __always_inline void frames_ended(struct frames *frames)
{
	atomic_add(&event_stats_slot()->in_flight, -frames->depth);
	atomic_add(&frames_kept.never_returned, frames->depth);
}
#endif

/* The kernel gives a task back: nothing runs as it any more. */
static __always_inline void frames_free(__u64 task)
{
	struct frames *frames = frames_of(task);

	if (!frames)
		return;
	if (!event_is_over())
		frames_ended(frames);
	frames_give_back(task);
}

/* For runs whose programs keep calls here.  Its own run is no event's. */
SEC("?raw_tp/sched_process_free") SEES_NO_EVENT
int thread_free(__u64 *ctx)
{
	frames_free(ctx[0]);
	return 0;
}

#endif

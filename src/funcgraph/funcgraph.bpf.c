/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of ROOTs, and what they call: an event when a call begins, and one when it returns.  One program sees both ends of all functions,
 * where the kernel has sessions; else each of a few functions has a pair.  No program runs inside another one: the kernel disables
 * preemption around it, and skips what an interrupt would run meanwhile.  So a thread's events are in the ring in their order.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EVENTS_SIZE (4 << 20)
#define FRAMES_SEND_BEGINS

#include "funcgraph.h"
#include "lib/bpf/call_args.bpf.h"
#include "lib/bpf/frames.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "lib/bpf/traced_ends.bpf.h"

const volatile bool with_args = false;
const volatile __u32 levels = 0;		/* -D, or 0 */
const volatile __u32 roots_count = 0;		/* 0: all functions are ROOTs */
const volatile __u64 roots[FUNCGRAPH_ROOTS] = {};

/* The ROOTs, where they are more than FUNCGRAPH_ROOTS. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);	/* the user side says how many */
	__type(key, __u64);
	__type(value, __u8);
} root_functions SEC(".maps");

/* frame.words[0] has the thread's number in its lower half, and these. */
#define CALL_UNWANTED (1ull << 32)	/* a ROOT that a filter drops, with all that it calls */
#define CALL_UNSENT (1ull << 33)	/* its begin found no room: its return is not sent */
#define CALL_TOLD (1ull << 34)		/* the tree's task was sent */
#define CALL_UNRETURNED (1ull << 35)	/* a ROOT that has returned, which found no room */

static __always_inline bool is_root(u64 function)
{
	if (roots_count > FUNCGRAPH_ROOTS)
		return bpf_map_lookup_elem(&root_functions, &function);
	for (u32 i = 0; i < roots_count && i < FUNCGRAPH_ROOTS; i++)
		if (roots[i] == function)
			return true;
	return !roots_count;
}

/* How many calls a thread is in when another one begins; those that are over are taken off. */
static __always_inline u64 depth_at(struct frames *frames, u32 address, u64 function)
{
	u64 depth = frames ? frames->depth : 0;

	if (depth && frame_is_over(&frames->calls[(depth - 1) & (FRAMES_MAX - 1)], address, (u32)function)) {
		depth = frames_take_off(frames->place, address, (u32)function);
		frames->depth = depth;
	}
	return depth;
}

/* Keeps a call that begins; NULL: there is no room for it. */
static __always_inline struct frame *push(struct frames *frames, u64 depth, u32 address, u64 function, u64 word)
{
	struct frame *frame;

	if (!frames)
		frames = frames_take(bpf_get_current_task());
	if (!frames || depth >= FRAMES_MAX)
		return NULL;
	frame = &frames->calls[depth & (FRAMES_MAX - 1)];
	frames->depth = depth + 1;
	frame->address = address;
	frame->function = (u32)function;
	frame->words[0] = word;
	frame->words[1] = 0;
	return frame;
}

static __always_inline void fill_begin(struct pt_regs *ctx, struct graph_event_begin *begin, u64 word, bool has_task)
{
	if (has_task)
		event_fill_task(&begin->task);
	if (with_args)
		call_args_fill(ctx, begin->args);
	begin->event.thread = (u32)word;
	begin->event.has_task = has_task;
	begin->event.lost = 0;
}

static __always_inline void submit(struct graph_event *event, u64 function, u64 depth, u8 kind, u64 now_ns)
{
	event->ts_ns = now_ns;
	event->function = function;
	event->cpu = bpf_get_smp_processor_id();
	event->depth = (u16)depth;
	event->kind = kind;
	event_submit(event);
}

/* Sends the begin of a call that is kept, or marks that it found no room. */
static __always_inline void send_begin(struct pt_regs *ctx, struct frame *frame, struct frame *outer, u64 function, u64 depth)
{
	bool has_task = !(frame->words[0] & CALL_TOLD);
	struct graph_event_begin *begin;

	if (with_args)
		begin = event_reserve_room(sizeof(*begin));
	else if (has_task)
		begin = event_reserve_room(offsetof(struct graph_event_begin, args));
	else
		begin = event_reserve_room(sizeof(begin->event));
	if (!begin) {
		frame->words[0] |= CALL_UNSENT;
		if (outer)
			outer->words[1]++;
		return;
	}
	fill_begin(ctx, begin, frame->words[0], has_task);
	frame->words[0] |= CALL_TOLD;
	frame->begin_ns = bpf_ktime_get_ns();
	submit(&begin->event, function, depth, GRAPH_EVENT_BEGIN, frame->begin_ns);
}

/* A ROOT of a thread that is in none; whether its return is wanted. */
static __always_inline int begin_root(struct pt_regs *ctx, struct frames *frames, u32 address, u64 function)
{
	u64 id = task_pid_tgid();
	struct frame *frame;

	if (id >> 32 == filter.self)
		return 0;
	if (!task_wanted(id, NULL)) {
		event_count_filtered();
		/* what it calls is filtered, too, and counted */
		return levels != 1 && push(frames, 0, address, function, CALL_UNWANTED);
	}
	frame = push(frames, 0, address, function, (u32)bpf_get_current_pid_tgid());
	if (!frame) {
		event_count_no_room();
		return 0;
	}
	send_begin(ctx, frame, NULL, function, 0);
	return 1;
}

/* These two are functions, so that the object has them once and not in each of the programs.  Whether the call's return is wanted, too. */
static __noinline int begin(struct pt_regs *ctx, u64 function)
{
	u32 address = frame_of_probe(ctx);
	struct frame *frame, *outer;
	struct frames *frames;
	u64 depth;

	if (event_is_over())
		return 0;
	frames = frames_of(bpf_get_current_task());
	depth = depth_at(frames, address, function);
	if (!frames || !depth)
		return is_root(function) ? begin_root(ctx, frames, address, function) : 0;
	outer = &frames->calls[(depth - 1) & (FRAMES_MAX - 1)];
	if (outer->words[0] & CALL_UNWANTED || (levels && depth >= levels)) {
		event_count_filtered();
		return 0;
	}
	frame = push(frames, depth, address, function, outer->words[0] & ~CALL_UNSENT);
	if (!frame) {
		event_count_no_room();
		outer->words[1]++;
		return 0;
	}
	send_begin(ctx, frame, outer, function, depth);
	return 1;
}

/* Takes off a call that returns, with those inside of it that were not seen to; NULL: it is not kept. */
static __always_inline struct frame *pop(struct frames *frames, u32 address, u64 function)
{
	u64 depth = frames->depth, above = 0;
	struct frame *frame;

	if (!depth)
		return NULL;
	frame = &frames->calls[(depth - 1) & (FRAMES_MAX - 1)];
	if (!frame_is(frame, address, (u32)function)) {
		above = frames_above(frames->place, address, (u32)function);
		if (above >= FRAMES_MAX || above >= depth)
			return NULL;
		frame = &frames->calls[(depth - 1 - above) & (FRAMES_MAX - 1)];
	}
	frames->depth = depth - 1 - above;
	return frame;
}

/* Whether the return found room. */
static __always_inline bool send_return(struct pt_regs *ctx, const struct frame *frame, u64 function, u64 depth)
{
	u64 now_ns = bpf_ktime_get_ns();
	/* one without room is no lost call: its begin is there */
	struct graph_event_return *event = event_ring_reserve(sizeof(*event));

	if (!event)
		return false;
	event->event.thread = (u32)frame->words[0];
	event->event.has_task = 0;
	event->event.lost = (u32)frame->words[1];
	/* the clocks of two CPUs may differ a little where they are not synchronized */
	event->ns = (s64)(now_ns - frame->begin_ns) < 0 ? 0 : now_ns - frame->begin_ns;
	event->result = PT_REGS_RC(ctx);
	submit(&event->event, function, depth, GRAPH_EVENT_RETURN, now_ns);
	return true;
}

static __noinline int end(struct pt_regs *ctx, u32 address, u64 function)
{
	u64 task = bpf_get_current_task(), depth;
	struct frames *frames = frames_of(task);
	struct frame *frame = frames ? pop(frames, address, function) : NULL;

	if (!frame)
		return 0;
	depth = frames->depth;
	if (!(frame->words[0] & CALL_UNWANTED) && !event_is_over() &&
	    (frame->words[0] & CALL_UNSENT || !send_return(ctx, frame, function, depth))) {
		if (depth)
			/* told with the return of the call around it */
			frames->calls[(depth - 1) & (FRAMES_MAX - 1)].words[1] += frame->words[1];
		else
			/* its tree is complete when the thread calls the next ROOT, or is gone */
			frame->words[0] |= CALL_UNRETURNED;
	}
	if (!depth && !(frame->words[0] & CALL_UNRETURNED) && frames_kept.taken > FRAMES_THREADS / 2)
		frames_give_back(task);
	return 0;
}

/* A task is gone: its tree is complete, if it has one.  Without room the tree waits for the end of the run. */
static void frames_ended(struct frames *frames)
{
	u64 depth = frames->depth;
	struct frame *frame = &frames->calls[(depth ? depth - 1 : 0) & (FRAMES_MAX - 1)];
	u64 word = frame->words[0];
	struct graph_event *event;

	/* the next thread that has this place did not mark it */
	frame->words[0] = 0;
	if (!(word & CALL_TOLD) || (!depth && !(word & CALL_UNRETURNED)))
		return;
	event = event_ring_reserve(sizeof(*event));
	if (!event)
		return;
	event->thread = (u32)word;
	event->has_task = 0;
	event->lost = 0;
	submit(event, 0, depth, GRAPH_EVENT_TASK_END, bpf_ktime_get_ns());
}

TRACED_ENDS(begin, end)

char LICENSE[] SEC("license") = "GPL";

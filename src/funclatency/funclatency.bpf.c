/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long calls of functions take.  One program on all functions, where the kernel has sessions; else one pair of programs, where it has
 * kprobe.multi; or a pair for each of a few, on the kernel's trampolines (fentry, fexit), which see every return, or on kprobes.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EVENTS_SIZE (256 * 1024)

#include "funclatency.h"
#include "lib/bpf/alone.bpf.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/frames.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/session.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "lib/bpf/traced.bpf.h"

COUNTS(struct funclatency_counts, 1);
TABLE(struct funclatency_key, struct hist_rough, FUNCLATENCY_KEYS);

const volatile bool by_function = false;
const volatile bool with_rows = false;		/* --slower */
const volatile __u64 slower_ns = 0;

static __always_inline int begin_here(u32 frame, u64 function)
{
	if (!event_is_over() && !task_filtered())
		frame_begin(frame, (u32)function);
	return 0;
}

static __always_inline void send_row(u32 cpu, u64 ns, u64 function)
{
	struct funclatency_event *event = event_reserve(sizeof(*event));

	if (!event)
		return;
	event->ns = ns;
	event->function = function;
	event->cpu = cpu;
	event->reserved = 0;
	event_submit(event);
}

static __always_inline void count_call(u32 cpu, u64 ns, u64 function)
{
	struct funclatency_counts *counts = counts_at_of(cpu, 1, 0);
	struct funclatency_key key = { .function = function };
	struct hist_rough *hist;

	if (!counts)
		return;
	if (!by_function) {
		hist_add(&counts->times, ns);
		return;
	}
	count_add(&counts->calls, 1);
	hist = table_at(&key);
	hist_rough_add(hist ? hist : &counts->others, ns);
}

static __always_inline void take(u32 cpu, u64 ns, u64 function)
{
	if (!with_rows)
		count_call(cpu, ns, function);
	else if (ns >= slower_ns)
		send_row(cpu, ns, function);
}

static __always_inline int end_here(u32 frame, u64 function)
{
	u32 cpu = bpf_get_smp_processor_id();
	u64 ns;

	if (frame_end(cpu, frame, (u32)function, &ns, NULL))
		take(cpu, ns, function);
	return 0;
}

/* Functions, so that the object has them once and not in each of the programs on kprobes, which cost more than such a call. */
static __noinline int begin(u32 frame, u64 function)
{
	return begin_here(frame, function);
}

static __noinline int end(u32 frame, u64 function)
{
	return end_here(frame, function);
}

/* The call's value is when it began, and 1 where nobody wants it. */
#define UNWANTED 1

static __always_inline u64 session_begin(void)
{
	if (event_is_over() || task_filtered())
		return UNWANTED;
	count_begin();
	return bpf_ktime_get_ns();
}

static __always_inline void session_end(u64 began_ns, void *ctx)
{
	u64 ns = bpf_ktime_get_ns() - began_ns;
	u32 cpu;

	if (began_ns == UNWANTED || event_is_over())
		return;
	if (!began_ns) {
		event_count_unended();
		return;
	}
	cpu = bpf_get_smp_processor_id();
	count_end_of(cpu);
	/* the clocks of two CPUs may differ a little where they are not synchronized */
	take(cpu, (s64)ns < 0 ? 0 : ns, by_function || with_rows ? bpf_get_func_ip(ctx) : 0);
}

static __always_inline int session(void *ctx, int answer_if_unwanted)
{
	u64 *began_ns = session_value(ctx);

	if (session_is_return(ctx)) {
		session_end(*began_ns, ctx);
		return 0;
	}
	*began_ns = session_begin();
	return *began_ns == UNWANTED ? answer_if_unwanted : 0;
}

/* An answer of 1 keeps the kernel from running the program at the return. */
SEC("?session_probe")
int session_probe(void *ctx)
{
	return session(ctx, 1);
}

SEC("?session_function")
int session_function(void *ctx)
{
	return session(ctx, 0);
}

SEC("?kprobe.multi")
int begin_multi(struct pt_regs *ctx)
{
	return begin(frame_of_probe(ctx), bpf_get_func_ip(ctx));
}

SEC("?kretprobe.multi")
int end_multi(struct pt_regs *ctx)
{
	return end(frame_of_multi_return(ctx), bpf_get_func_ip(ctx));
}

static __always_inline int begin_probe(struct pt_regs *ctx, u64 function)
{
	return begin(frame_of_probe(ctx), function);
}

static __always_inline int end_probe(struct pt_regs *ctx, u64 function)
{
	return end(frame_of_return(ctx), function);
}

static __always_inline int begin_call(void *ctx, u64 function)
{
	return begin_here(frame_of_trampoline(ctx), function);
}

static __always_inline int end_call(void *ctx, u64 function)
{
	return end_here(frame_of_trampoline(ctx), function);
}

/* The same where the kernel does not keep programs from running inside each other. */
static __always_inline int begin_alone(void *ctx, u64 function)
{
	u64 *running = alone_begin();

	if (running)
		begin(frame_of_trampoline(ctx), function);
	else if (!event_is_over())
		event_count_unended();
	alone_end(running);
	return 0;
}

/* A return that is not taken: its call is found to be over when the thread calls again. */
static __always_inline int end_alone(void *ctx, u64 function)
{
	u64 *running = alone_begin();

	if (running)
		end(frame_of_trampoline(ctx), function);
	alone_end(running);
	return 0;
}

TRACED_PROGRAMS("?kprobe", begin_probe)
TRACED_PROGRAMS("?kretprobe", end_probe)
TRACED_PROGRAMS("?fentry_id", begin_call)
TRACED_PROGRAMS("?fexit_id", end_call)
TRACED_PROGRAMS("?fentry_id", begin_alone)
TRACED_PROGRAMS("?fexit_id", end_alone)

/* Its run is no event's: hint_ keeps it out of what was missed. */
SEC("?raw_tp/sched_process_free")
int hint_thread_free(u64 *ctx)
{
	frames_free(ctx[0]);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long calls of functions take.  One program on all functions, where the kernel has sessions; else one pair of programs, where it has
 * kprobe.multi; or a pair for each of a few, on the kernel's trampolines (fentry, fexit), which see every return, or on kprobes.  Functions
 * of programs have programs on uprobes.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EVENTS_SIZE (256 * 1024)

#include "funclatency.h"
#include "lib/bpf/alone.bpf.h"
#include "lib/bpf/call_args.bpf.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/frames.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/session.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "lib/bpf/traced.bpf.h"
#include "lib/bpf/user_calls.bpf.h"

COUNTS(struct funclatency_counts, 1);
TABLE(struct funclatency_key, struct hist_rough, FUNCLATENCY_KEYS);

const volatile bool by_function = false;
const volatile __u64 slower_ns = 0;		/* --slower */

static __always_inline int begin_here(u32 frame, u64 function)
{
	if (!event_is_over() && !task_filtered())
		frame_begin(frame, (u32)function);
	return 0;
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

static __always_inline int end_here(u32 frame, u64 function)
{
	u32 cpu = bpf_get_smp_processor_id();
	u64 ns;

	if (frame_end(cpu, frame, (u32)function, &ns, NULL))
		count_call(cpu, ns, function);
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

/* ---- --slower: rows.  They have programs of their own, so that the histograms pay nothing for them. */

/* NULL: the call was not slow enough, or there is no room. */
static __always_inline struct funclatency_event *reserve_row(u32 cpu, u64 ns, u64 function)
{
	struct funclatency_event *event = ns >= slower_ns ? event_reserve(sizeof(*event)) : NULL;

	if (!event)
		return NULL;
	event->ns = ns;
	event->function = function;
	event->cpu = cpu;
	event->reserved = 0;
	return event;
}

/* Keeps the arguments, which probes do not have at the return.  Whether the call's return is wanted. */
static __noinline int begin_with_args(struct pt_regs *ctx, u64 function)
{
	struct frame_words *args;
	u32 number;

	if (event_is_over() || task_filtered() || !frame_begin_numbered(frame_of_probe(ctx), (u32)function, &number))
		return 0;
	args = frame_words(number);
	if (args)
		call_args_fill(ctx, args->words);
	return 1;
}

static __noinline int end_with_args(u32 frame, u64 function)
{
	u32 cpu = bpf_get_smp_processor_id();
	u64 args[CALL_ARGS], ns;
	struct funclatency_event *event;

	if (!frame_end(cpu, frame, (u32)function, &ns, args))
		return 0;
	event = reserve_row(cpu, ns, function);
	if (!event)
		return 0;
	for (int i = 0; i < CALL_ARGS; i++)
		event->args[i] = args[i];
	event_submit(event);
	return 0;
}

/*
 * The arguments are the first words of a trampoline's context, also at the return.  The verifier lets a program read them by the number and
 * the types that the function has (5.10 no pointer to a number), and bpf_get_func_arg() came with 5.17.  So the address of the context goes
 * through memory, which makes a plain number of it, to a helper.  Behind the arguments the trampoline's frame has words of its own.
 */
static __always_inline void send_row_of_trampoline(void *ctx, u32 cpu, u64 ns, u64 function)
{
	struct funclatency_event *event = reserve_row(cpu, ns, function);

	if (!event)
		return;
	*(void *volatile *)event->args = ctx;
	bpf_probe_read_kernel(event->args, sizeof(event->args), *(void *volatile *)event->args);
	event_submit(event);
}

static __noinline int end_row(void *ctx, u64 function)
{
	u32 cpu = bpf_get_smp_processor_id();
	u64 ns;

	if (frame_end(cpu, frame_of_trampoline(ctx), (u32)function, &ns, NULL))
		send_row_of_trampoline(ctx, cpu, ns, function);
	return 0;
}

/* ---- programs */

/* The call's value is when it began, and 1 where nobody wants it. */
#define UNWANTED 1

static __always_inline u64 session_begin(void)
{
	if (event_is_over() || task_filtered())
		return UNWANTED;
	count_begin();
	return bpf_ktime_get_ns();
}

static __always_inline void session_end(u64 began_ns, void *ctx, bool rows)
{
	u64 ns = bpf_ktime_get_ns() - began_ns;
	u32 cpu;

	if (began_ns == UNWANTED || event_is_over())
		return;
	if (!began_ns) {
		event_count_unmatched();
		return;
	}
	cpu = bpf_get_smp_processor_id();
	count_end_of(cpu);
	/* the clocks of two CPUs may differ a little where they are not synchronized */
	ns = (s64)ns < 0 ? 0 : ns;
	if (rows)
		send_row_of_trampoline(ctx, cpu, ns, bpf_get_func_ip(ctx));
	else
		count_call(cpu, ns, by_function ? bpf_get_func_ip(ctx) : 0);
}

static __always_inline int session(void *ctx, int answer_if_unwanted, bool rows)
{
	u64 *began_ns = session_value(ctx);

	if (session_is_return(ctx)) {
		session_end(*began_ns, ctx, rows);
		return 0;
	}
	*began_ns = session_begin();
	return *began_ns == UNWANTED ? answer_if_unwanted : 0;
}

/* An answer of 1 keeps the kernel from running the program at the return. */
SEC("?session_probe")
int session_probe(void *ctx)
{
	return session(ctx, 1, false);
}

SEC("?session_function")
int session_function(void *ctx)
{
	return session(ctx, 0, false);
}

SEC("?session_function")
int session_function_row(void *ctx)
{
	return session(ctx, 0, true);
}

/* The call's value has no room for arguments: it is where its frame is. */
SEC("?session_probe")
int session_probe_row(struct pt_regs *ctx)
{
	u64 *frame = session_value(ctx), function = bpf_get_func_ip(ctx);

	if (!session_is_return(ctx)) {
		*frame = frame_of_probe(ctx);
		return !begin_with_args(ctx, function);
	}
	if (*frame)
		return end_with_args((u32)*frame, function);
	if (!event_is_over())
		event_count_unmatched();
	return 0;
}

SEC("?kprobe.multi")
int begin_multi(struct pt_regs *ctx)
{
	return begin(frame_of_probe(ctx), bpf_get_func_ip(ctx));
}

SEC("?kprobe.multi")
int begin_multi_row(struct pt_regs *ctx)
{
	begin_with_args(ctx, bpf_get_func_ip(ctx));
	return 0;
}

SEC("?kretprobe.multi")
int end_multi(struct pt_regs *ctx)
{
	return end(frame_of_multi_return(ctx), bpf_get_func_ip(ctx));
}

SEC("?kretprobe.multi")
int end_multi_row(struct pt_regs *ctx)
{
	return end_with_args(frame_of_multi_return(ctx), bpf_get_func_ip(ctx));
}

static __always_inline int begin_probe(struct pt_regs *ctx, u64 function)
{
	return begin(frame_of_probe(ctx), function);
}

static __always_inline int begin_probe_row(struct pt_regs *ctx, u64 function)
{
	begin_with_args(ctx, function);
	return 0;
}

static __always_inline int end_probe(struct pt_regs *ctx, u64 function)
{
	return end(frame_of_return(ctx), function);
}

static __always_inline int end_probe_row(struct pt_regs *ctx, u64 function)
{
	return end_with_args(frame_of_return(ctx), function);
}

static __always_inline int begin_call(void *ctx, u64 function)
{
	return begin_here(frame_of_trampoline(ctx), function);
}

static __always_inline int end_call(void *ctx, u64 function)
{
	return end_here(frame_of_trampoline(ctx), function);
}

static __always_inline int end_call_row(void *ctx, u64 function)
{
	return end_row(ctx, function);
}

/* The same where the kernel does not keep programs from running inside each other. */
static __always_inline int begin_alone(void *ctx, u64 function)
{
	u64 *running = alone_begin();

	if (running)
		begin(frame_of_trampoline(ctx), function);
	else if (!event_is_over())
		event_count_unmatched();
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

static __always_inline int end_alone_row(void *ctx, u64 function)
{
	u64 *running = alone_begin();

	if (running)
		end_row(ctx, function);
	alone_end(running);
	return 0;
}

/* Functions of programs. */
static __always_inline void user_ended(struct pt_regs *ctx, u32 behind, u32 function, u64 ns)
{
	(void)ctx;
	count_call(bpf_get_smp_processor_id(), ns, function);
}

USER_CALL_BEGINS
USER_CALL_ENDS(user_ended)

TRACED_PROGRAMS("?kprobe", begin_probe)
TRACED_PROGRAMS("?kprobe", begin_probe_row)
TRACED_PROGRAMS("?kretprobe", end_probe)
TRACED_PROGRAMS("?kretprobe", end_probe_row)
TRACED_PROGRAMS("?fentry_id", begin_call)
TRACED_PROGRAMS("?fexit_id", end_call)
TRACED_PROGRAMS("?fexit_id", end_call_row)
TRACED_PROGRAMS("?fentry_id", begin_alone)
TRACED_PROGRAMS("?fexit_id", end_alone)
TRACED_PROGRAMS("?fexit_id", end_alone_row)

char LICENSE[] SEC("license") = "GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts calls, in a cell for each function.  Each of a few has a program of its own, which knows its number, on a trampoline (fentry) or a
 * kprobe.  One program on many finds the cell by the function's address.  Where the kernel has fentry.multi, another one is on those that
 * its BTF has, and is told their numbers.  Functions of programs have one on uprobes.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "funccount.h"
#include "lib/bpf/addresses.bpf.h"
#include "lib/bpf/alone.bpf.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/filter.bpf.h"
#include "lib/bpf/traced.bpf.h"
#include "lib/bpf/user_calls.bpf.h"

COUNTS(struct funccount_counts, 1);
COUNTS_OF_FEW;

const volatile __u32 functions = 1;

static __always_inline int count(u32 function)
{
	struct funccount_counts *counts = counts_at(functions, function);

	if (counts)
		count_add(&counts->calls, 1);
	return 0;
}

SEC("?kprobe.multi")
int function_multi(struct pt_regs *ctx)
{
	u64 address = bpf_get_func_ip(ctx);
	u32 number;

	if (event_is_over() || task_filtered())
		return 0;
	if (address_number(address, &number))
		return count(number);
	event_count_no_room();
	return 0;
}

/* fentry.multi: the cookie is the function's number. */
SEC("?fentry_id")
int function_id(void *ctx)
{
	return event_is_over() || task_filtered() ? 0 : count((u32)bpf_get_attach_cookie(ctx));
}

static __always_inline int function(void *ctx, u32 number)
{
	if (!event_is_over() && !task_filtered())
		count_few(number);
	return 0;
}

static __always_inline int function_call(void *ctx, u32 number)
{
	return function(ctx, number);
}

/* The same where the kernel does not keep programs from running inside each other: what one of them calls itself is lost. */
static __always_inline int function_alone(void *ctx, u32 number)
{
	u64 *running = alone_begin();

	if (running)
		function(ctx, number);
	else
		event_count_lost();
	alone_end(running);
	return 0;
}

TRACED_PROGRAMS("?kprobe", function)
TRACED_PROGRAMS("?fentry_id", function_call)
TRACED_PROGRAMS("?fentry_id", function_alone)

/* Functions of programs: their calls, or those that return. */
SEC("?kprobe")
int user_call(struct pt_regs *ctx)
{
	u32 function;

	return user_call_is_wanted(ctx, &function) ? count(function) : 0;
}

static __always_inline void user_ended(struct pt_regs *ctx, u32 behind, u32 function, u64 ns)
{
	(void)ctx;
	(void)ns;
	count(function);
}

USER_CALL_BEGINS
USER_CALL_ENDS(user_ended)

char LICENSE[] SEC("license") = "GPL";

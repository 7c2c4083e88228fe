/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of many functions of programs, for programs on uprobes that traced/traced_user.h attaches.  Include it once in a tool, after
 * vmlinux.h.
 *
 *	SEC("?kprobe")
 *	int user_call(struct pt_regs *ctx)
 *	{
 *		u32 function;
 *
 *		if (user_call_is_wanted(ctx, &function))
 *			…
 *	}
 *
 *	USER_CALL_BEGINS			the program user_begins
 *	USER_CALL_ENDS(ended)			user_ends, user_ends_late: void ended(struct pt_regs *ctx, u32 behind,
 *					u32 function, u64 ns); behind: as of user_call_caller()
 *
 * A call is known by its function and the stack pointer, which is the same at its entry and at its ret.  One that is left by longjmp(3) is
 * found when the thread calls that function at the same place of the stack again, and counts as unmatched then.  A child that is forked
 * inside of a call has begun none.
 */
#ifndef PROBELIGHT_USER_CALLS_BPF_H
#define PROBELIGHT_USER_CALLS_BPF_H

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "arch.bpf.h"
#include "call.bpf.h"
#include "filter.bpf.h"
#include "user_site.bpf.h"
#include "lib/shared/returned.h"

/* When calls began that are under way, by task: a thread that runs an exec may get another number meanwhile. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RETURNED_CALLS);
	__type(key, struct returned_key);
	__type(value, __u64);
} user_calls SEC(".maps");

/* A call begins: whether the task filters let it pass. */
static __always_inline bool user_call_is_wanted(void *ctx, __u32 *function)
{
	return user_site_number(ctx, function) && !task_filtered();
}

static __always_inline struct returned_key user_call_key(struct pt_regs *ctx, __u32 function, __u32 behind)
{
	return (struct returned_key){ .task = bpf_get_current_task(), .event = function, .frame = (__u32)PT_REGS_SP(ctx) - behind };
}

static __always_inline void user_call_begin(struct pt_regs *ctx, __u32 function)
{
	struct returned_key key = user_call_key(ctx, function, 0);
	__u64 now_ns = bpf_ktime_get_ns();

	call_begin(&user_calls, &key, &now_ns);
}

/* behind: how far the stack pointer is behind the call's own.  Whether the call was seen to begin, and how long it took. */
static __always_inline bool user_call_end(struct pt_regs *ctx, __u32 behind, __u32 *function, __u64 *ns)
{
	__u64 now_ns = bpf_ktime_get_ns(), *begun_ns;
	struct returned_key key;

	if (!user_site_number(ctx, function))
		return false;
	key = user_call_key(ctx, *function, behind);
	begun_ns = bpf_map_lookup_elem(&user_calls, &key);
	if (!begun_ns)
		return false;
	/* the clocks of two CPUs may differ a little where they are not synchronized */
	*ns = (__s64)(now_ns - *begun_ns) < 0 ? 0 : now_ns - *begun_ns;
	call_end(&user_calls, &key);
	return true;
}

/* Where a call returns to, at its entry and at its ret (behind 0), and behind that. */
static __always_inline __u64 user_call_caller(struct pt_regs *ctx, __u32 behind)
{
	return behind ? PT_REGS_IP(ctx) : arch_user_caller(ctx);
}

#define USER_CALL_BEGINS                                       \
	SEC("?kprobe")                                         \
	int user_begins(struct pt_regs *ctx)                   \
	{                                                      \
		__u32 function;                                \
                                                               \
		if (user_call_is_wanted(ctx, &function))       \
			user_call_begin(ctx, function);        \
		return 0;                                      \
	}

/* At a ret, and behind it, where the kernel's return probe is. */
#define USER_CALL_ENDS(ended)                                               \
	static __always_inline int user_end(struct pt_regs *ctx, __u32 behind) \
	{                                                                   \
		__u32 function;                                             \
		__u64 ns;                                                   \
                                                                            \
		if (user_call_end(ctx, behind, &function, &ns))             \
			ended(ctx, behind, function, ns);                   \
		return 0;                                                   \
	}                                                                   \
                                                                            \
	SEC("?kprobe")                                                      \
	int user_ends(struct pt_regs *ctx)                                  \
	{                                                                   \
		return user_end(ctx, 0);                                    \
	}                                                                   \
                                                                            \
	SEC("?kprobe")                                                      \
	int user_ends_late(struct pt_regs *ctx)                             \
	{                                                                   \
		return user_end(ctx, ARCH_RETURN_SIZE);                     \
	}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look-ups of hosts by a C library, from the begin of its function to its end.  A call inside another one of the same thread is a part
 * of it.  The stack tells: what is called later has a lower stack pointer, and a function returns with the one that it began with; the
 * kernel's return probe is one address above.  A call that was left by longjmp(3) is found when the next one begins above it.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "gethostlatency.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/own_stack.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "lib/bpf/path.bpf.h"

const volatile __u64 min_ns = 0;

struct lookup {
	u64 begun_ns;
	u64 stack;		/* the stack pointer at the entry */
	const char *name;
	u64 *result;		/* where gethostbyname_r() writes what it has found; NULL: getaddrinfo() */
	u64 by_name;
};

CALLS(GETHOST_CALLS_MAX, struct lookup);

static __always_inline int begin(struct pt_regs *ctx, bool by_name, u64 result)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct lookup *outer, lookup = {
		.stack = PT_REGS_SP(ctx),
		.name = (const char *)PT_REGS_PARM1(ctx),
		.result = (u64 *)result,
		.by_name = by_name,
	};

	own_stack_ask(ctx);
	if (event_is_over())
		return 0;
	outer = bpf_map_lookup_elem(&calls, &tid);
	if (outer && lookup.stack < outer->stack)
		return 0;
	lookup.begun_ns = bpf_ktime_get_ns();
	call_begin(&calls, &tid, &lookup);
	return 0;
}

static __always_inline s32 result_of(const struct lookup *lookup, s32 returned)
{
	u64 host = 0;

	if (!lookup->by_name)
		return returned;
	if (returned)
		return -returned;
	return bpf_probe_read_user(&host, sizeof(host), lookup->result) || host ? 0 : GETHOST_NOT_FOUND;
}

/* The name is read now: the function has read it, too, so it is in memory. */
static __always_inline void send(const struct lookup *lookup, u64 latency_ns, s32 result)
{
	struct path_text name = { .from = lookup->name };
	struct gethost_event *event;
	u16 room;

	event = event_reserve_paths(sizeof(*event), 0, &name, 1, &room);
	if (!event)
		return;
	event->latency_ns = latency_ns;
	event->result = result;
	event->by_name = lookup->by_name;
	event->name_size = name.size;
	event->has_name = !!lookup->name;
	event_submit(event);
}

static __always_inline int end(struct pt_regs *ctx)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct lookup *found, lookup;
	u64 latency_ns;
	s32 result;

	own_stack_ask(ctx);
	found = bpf_map_lookup_elem(&calls, &tid);
	if (!found || event_is_over())
		return 0;
	lookup = *found;
	if (PT_REGS_SP(ctx) != lookup.stack && PT_REGS_SP(ctx) != lookup.stack + sizeof(long))
		return 0;
	call_end(&calls, &tid);
	latency_ns = bpf_ktime_get_ns() - lookup.begun_ns;
	result = result_of(&lookup, (s32)PT_REGS_RC(ctx));
	if (result_filtered(result) || task_filtered())
		return 0;
	if (latency_ns < min_ns)
		return 0;
	send(&lookup, latency_ns, result);
	return 0;
}

SEC("kprobe")
int getaddrinfo_begins(struct pt_regs *ctx)
{
	return begin(ctx, false, 0);
}

SEC("kprobe")
int gethostbyname_r_begins(struct pt_regs *ctx)
{
	return begin(ctx, true, PT_REGS_PARM5(ctx));
}

SEC("kprobe")
int gethostbyname2_r_begins(struct pt_regs *ctx)
{
	return begin(ctx, true, PT_REGS_PARM6(ctx));
}

SEC("kprobe")
int lookup_ends(struct pt_regs *ctx)
{
	return end(ctx);
}

/* A thread that ends takes what it left behind with it. */
CALL_THREAD_EXIT(call_thread_exit(&calls))

char LICENSE[] SEC("license") = "Dual BSD/GPL";

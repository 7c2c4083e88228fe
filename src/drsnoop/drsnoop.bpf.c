/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks that have to reclaim memory before they get some, from begin to end.  Both happen in the task itself, and there is no
 * reclaim within a reclaim.
 *
 * Before 7.0 the programs are on raw tracepoints, which are left at once: an event of perf waits for a grace period when it is closed,
 * and the four wait one after the other.  From 7.0 on raw programs can be preempted, and 7.2 has begin's arguments in another order,
 * while the record's fields keep their names: there the programs are on the events.
 *
 * No program looks at threads that exit, as other tools' do (call.bpf.h).  The kernel skips a program on these events only inside of
 * another program on the same CPU, and there nothing reclaims.  If an end were skipped all the same, the thread's next reclaim
 * would find the entry.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define EVENTS_SIZE (128 * 1024)	/* waits are no flood, and zeroing and mapping 1 MB would be a third of the start */

#include "drsnoop.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/row_stack.bpf.h"
#include "lib/bpf/role.bpf.h"
#include "lib/bpf/tool.bpf.h"

#define CALLS_MAX 1024	/* in flight at the same time; one more is counted as lost */

const volatile __u64 min_ns = 0;	/* -m: shorter ones are not wanted */

struct call {
	u64 start_ns;
	u64 gfp;
	s32 order;
	u32 kind;
};

CALLS(CALLS_MAX, struct call);

/* as ctxgen writes them; the flags have 4 bytes on 5.10.  The events of cgroups are of the same class, and have the same fields. */
struct tp_vmscan__mm_vmscan_direct_reclaim_begin {
	s32 order;
	u64 gfp_flags;
} __attribute__((preserve_access_index));

struct tp_vmscan__mm_vmscan_direct_reclaim_end {
	u64 nr_reclaimed;
} __attribute__((preserve_access_index));

/* A function of its own, so that the user side leaves it out where there is no filter.  This event is rare: a call does not matter. */
static __noinline bool filtered_out(void)
{
	return task_filtered();
}

static __always_inline int begin(u32 kind, s32 order, u64 gfp)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call call = { .order = order, .gfp = gfp, .kind = kind };

	if (filter.active && filtered_out()) {
		call_drop_stale(&calls, &tid);
		return 0;
	}
	if (!filter.active && task_pid_tgid() >> 32 == filter.self)
		return 0;
	call.start_ns = bpf_ktime_get_ns();
	call_begin(&calls, &tid, &call);
	return 0;
}

static __always_inline int end(void *ctx, u32 kind, u64 reclaimed)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct reclaim_event *event;
	struct call *call;
	u64 latency_ns;

	/* nothing: filtered, lost, or begun before the tool was attached */
	call = bpf_map_lookup_elem(&calls, &tid);
	if (!call || call->kind != kind)
		return 0;
	latency_ns = bpf_ktime_get_ns() - call->start_ns;
	if (latency_ns < min_ns) {
		event_count_filtered();
	} else {
		event = event_reserve(sizeof(*event));
		if (event) {
			event->latency_ns = latency_ns;
			event->reclaimed = reclaimed;
			event->gfp = call->gfp;
			event->order = call->order;
			event->kind = kind;
			event_submit_from(ctx, event);
		}
	}
	call_end(&calls, &tid);
	return 0;
}

/*
 * The user side attaches the programs.  All are in one section: libbpf goes through programs that are not loaded, too, which takes 40,000
 * instructions at each start for one with a section of its own.
 */

/*
 * Two programs for all events, which know by their links' cookies what they see.  It takes bpf_get_attach_cookie().  A start takes fewer
 * instructions than with four programs.
 */
SEC("tp") SEES_BEGIN
int TP_PROG(begin_any, struct tp_vmscan__mm_vmscan_direct_reclaim_begin *ctx)
{
	return begin(bpf_get_attach_cookie(ctx), ctx->order, ctx->gfp_flags);
}

SEC("tp") SEES_END
int TP_PROG(end_any, struct tp_vmscan__mm_vmscan_direct_reclaim_end *ctx)
{
	return end(ctx, bpf_get_attach_cookie(ctx), ctx->nr_reclaimed);
}

/* A program for each event, where there are no cookies.  They share their code. */
static __noinline int begin_shared(u32 kind, s32 order, u64 gfp)
{
	return begin(kind, order, gfp);
}

static __noinline int end_shared(void *ctx, u32 kind, u64 reclaimed)
{
	return end(ctx, kind, reclaimed);
}

SEC("tp") SEES_BEGIN
int TP_PROG(begin_direct, struct tp_vmscan__mm_vmscan_direct_reclaim_begin *ctx)
{
	return begin_shared(RECLAIM_MACHINE, ctx->order, ctx->gfp_flags);
}

SEC("tp") SEES_END
int TP_PROG(end_direct, struct tp_vmscan__mm_vmscan_direct_reclaim_end *ctx)
{
	return end_shared(ctx, RECLAIM_MACHINE, ctx->nr_reclaimed);
}

SEC("tp") SEES_BEGIN
int TP_PROG(begin_memcg, struct tp_vmscan__mm_vmscan_direct_reclaim_begin *ctx)
{
	return begin_shared(RECLAIM_CGROUP, ctx->order, ctx->gfp_flags);
}

SEC("tp") SEES_END
int TP_PROG(end_memcg, struct tp_vmscan__mm_vmscan_direct_reclaim_end *ctx)
{
	return end_shared(ctx, RECLAIM_CGROUP, ctx->nr_reclaimed);
}

/*
 * On the raw tracepoints, whose arguments are (order, gfp_flags) and (nr_reclaimed) up to 7.0.  Each program is for both kinds: a thread
 * has one call.  That it is for a cgroup shows when it ends: the end of those has a program before, which is attached first and so runs
 * first.  A start takes 0.25 million instructions less than with two that see them begin.
 */
SEC("raw_tp") SEES_BEGIN
int begin_raw(__u64 *args)
{
	return begin(RECLAIM_MACHINE, (s32)args[0], (u32)args[1]);
}

SEC("raw_tp") SEES_NO_EVENT
int mark_raw_memcg(__u64 *args)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call *call = bpf_map_lookup_elem(&calls, &tid);

	if (call)
		call->kind = RECLAIM_CGROUP;
	return 0;
}

SEC("raw_tp") SEES_END
int end_raw(__u64 *args)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call *call = bpf_map_lookup_elem(&calls, &tid);

	return call ? end(args, call->kind, args[0]) : 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

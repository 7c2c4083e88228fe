/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks that have to reclaim memory before they get some, from begin to end.  Both happen in the task itself, and there is no
 * reclaim within a reclaim.  Not raw tracepoints: begin's arguments are in another order on 7.2, the record's fields keep their
 * names.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define EVENTS_SIZE (128 * 1024)	/* waits are no flood, and zeroing and mapping 1 MB would be a third of the start */

#include "drsnoop.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/tool.bpf.h"

#define CALLS_MAX 1024	/* in flight at the same time; one more is counted as lost */

const volatile __u64 min_ns = 0;	/* -m: shorter ones are not wanted */

struct call {
	u64 start_ns;
	u64 gfp;
	s32 order;
	u32 kind;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CALLS_MAX);
	__type(key, u32);		/* the thread, as the initial pid namespace counts */
	__type(value, struct call);
} calls SEC(".maps");

/* as ctxgen writes them; the flags have 4 bytes on 5.10.  The events of cgroups are of the same class, and have the same fields. */
struct tp_vmscan__mm_vmscan_direct_reclaim_begin {
	s32 order;
	u64 gfp_flags;
} __attribute__((preserve_access_index));

struct tp_vmscan__mm_vmscan_direct_reclaim_end {
	u64 nr_reclaimed;
} __attribute__((preserve_access_index));

static __always_inline int begin(enum reclaim_kind kind, s32 order, u64 gfp)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call call = { .order = order, .gfp = gfp, .kind = kind };

	if (task_filtered()) {
		if (filter.active)
			call_drop_stale(&calls, &tid);
		return 0;
	}
	call.start_ns = bpf_ktime_get_ns();
	call_begin(&calls, &tid, &call);
	return 0;
}

static __always_inline int end(enum reclaim_kind kind, u64 reclaimed)
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
			event_submit(event);
		}
	}
	call_end(&calls, &tid);
	return 0;
}

SEC("tp/vmscan/mm_vmscan_direct_reclaim_begin")
int direct_begin(struct tp_vmscan__mm_vmscan_direct_reclaim_begin *ctx)
{
	return begin(RECLAIM_MACHINE, ctx->order, ctx->gfp_flags);
}

SEC("tp/vmscan/mm_vmscan_direct_reclaim_end")
int direct_end(struct tp_vmscan__mm_vmscan_direct_reclaim_end *ctx)
{
	return end(RECLAIM_MACHINE, ctx->nr_reclaimed);
}

SEC("tp/vmscan/mm_vmscan_memcg_reclaim_begin")
int memcg_begin(struct tp_vmscan__mm_vmscan_direct_reclaim_begin *ctx)
{
	return begin(RECLAIM_CGROUP, ctx->order, ctx->gfp_flags);
}

SEC("tp/vmscan/mm_vmscan_memcg_reclaim_end")
int memcg_end(struct tp_vmscan__mm_vmscan_direct_reclaim_end *ctx)
{
	return end(RECLAIM_CGROUP, ctx->nr_reclaimed);
}

SEC("tp/sched/sched_process_exit")
int thread_exit(void *ctx)
{
	call_thread_exit(&calls);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long block requests take: the driver gets one at block_rq_issue, and completes it at block_rq_complete.
 *
 * The time of the issue is kept by the request's address, which comes from a pool: so an entry stays when its request is done, with
 * the time 0, for the next request there.  That saves an insertion and a deletion for each.  Entries are deleted only while more
 * than half of the table is used, so that half of it is there for requests under way, whatever pools a machine has.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define REQUESTS_MAX 8192

#include "lib/bpf/block.bpf.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "biolatency.h"

COUNTS(struct biolatency_counts, 1);
TABLE(struct biolatency_key, struct hist_rough, BIOLATENCY_KEYS);

/*
 * When a request was issued, by its address; 0: it is not under way, NOT_WANTED: it is, and does not pass --disk.  The name makes
 * lib/run/calls take the programs begin_… and end_… for what sees a call begin and end.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, REQUESTS_MAX);
	__type(key, u64);
	__type(value, u64);
} calls SEC(".maps");

#define NOT_WANTED 1

/* Entries of the table. */
__u64 kept SEC(".bss.kept") = 0;

const volatile __u32 kept_max = REQUESTS_MAX / 2;
const volatile bool with_queue = false;		/* -Q: from when it was made */
const volatile bool queue_apart = false;	/* -A */
const volatile bool by_disk = false;
const volatile bool by_flags = false;

static __always_inline void request_issued(const struct request___part *rq)
{
	u64 key = (u64)rq, issued_ns, *found;

	if (event_is_over())
		return;
	issued_ns = block_is_wanted(rq) ? bpf_ktime_get_ns() : NOT_WANTED;
	found = bpf_map_lookup_elem(&calls, &key);
	if (found) {
		/* the end of the one before was missed */
		if (*found > NOT_WANTED) {
			count_end();
			__sync_fetch_and_add(&event_stats_slot()->unended, 1);
		}
		*found = issued_ns;
	} else if (bpf_map_update_elem(&calls, &key, &issued_ns, BPF_NOEXIST)) {
		if (issued_ns == NOT_WANTED)
			event_count_filtered();
		else
			event_count_no_room();
		return;
	} else {
		__sync_fetch_and_add(&kept, 1);
	}
	if (issued_ns != NOT_WANTED)
		count_begin();
}

SEC("raw_tp/block_rq_issue")
int begin_issue(u64 *ctx)
{
	request_issued(block_request(ctx));
	return 0;
}

SEC("kprobe")
int BPF_KPROBE(begin_start, const struct request___part *rq)
{
	request_issued(rq);
	return 0;
}

/* The driver gives it back: it will be issued once more. */
SEC("raw_tp/block_rq_requeue")
int hint_requeue(u64 *ctx)
{
	u64 key = (u64)block_request(ctx), *issued_ns = bpf_map_lookup_elem(&calls, &key);

	if (!issued_ns)
		return 0;
	if (*issued_ns > NOT_WANTED)
		count_end();
	*issued_ns = 0;
	return 0;
}

/* A function of its own, which the user side leaves out where nothing is counted by key. */
static __noinline struct hist_rough *hist_of_key(const struct request___part *rq)
{
	struct biolatency_key key = {};
	u32 cmd_flags;

	if (by_disk)
		block_disk_name(key.disk, rq);
	if (by_flags) {
		cmd_flags = BPF_CORE_READ(rq, cmd_flags);
		key.op = block_op(cmd_flags);
		key.flags = block_flags(cmd_flags);
	}
	return table_at(&key);
}

static __always_inline void count_request(const struct request___part *rq, u64 issued_ns)
{
	struct biolatency_counts *counts = counts_at(1, 0);
	u64 now_ns = bpf_ktime_get_ns(), from_ns = issued_ns, made_ns;
	struct hist_rough *hist;

	if (!counts)
		return;
	if (with_queue || queue_apart) {
		made_ns = BPF_CORE_READ(rq, start_time_ns);
		if (!made_ns)
			count_add(&counts->unmade, 1);
		/* since 6.9 the kernel may take one time for all requests of a plug: it is never later */
		if (!made_ns || made_ns > issued_ns)
			made_ns = issued_ns;
		if (queue_apart)
			hist_add(&counts->queued, issued_ns - made_ns);
		else
			from_ns = made_ns;
	}
	if (!by_disk && !by_flags) {
		hist_add(&counts->times, now_ns - from_ns);
		return;
	}
	hist = hist_of_key(rq);
	hist_rough_add(hist ? hist : &counts->others, now_ns - from_ns);
}

SEC("raw_tp/block_rq_complete")
int end_complete(u64 *ctx)
{
	const struct request___part *rq = (const struct request___part *)ctx[0];
	u64 key = (u64)rq, *found = bpf_map_lookup_elem(&calls, &key), issued_ns;

	/* it was issued before the tool began, or never (an empty request that asked for a flush); or it goes on */
	if (!found || !*found || (u32)ctx[2] < BPF_CORE_READ(rq, __data_len))
		return 0;
	issued_ns = *found;
	*found = 0;
	if (kept > kept_max && !bpf_map_delete_elem(&calls, &key))
		__sync_fetch_and_add(&kept, -1);
	if (issued_ns != NOT_WANTED)
		count_end();
	if (event_is_over())
		return 0;
	if (issued_ns == NOT_WANTED)
		event_count_filtered();
	else
		count_request(rq, issued_ns);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

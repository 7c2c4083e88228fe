/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long block requests take: the driver gets one at block_rq_issue, and completes it at block_rq_complete.
 *
 * The time of the issue is kept by the request's address, which comes from a pool: so an entry stays when its request is done, with
 * the time 0, for the next request there.  That saves an insertion and a deletion for each.  Entries are deleted only while more
 * than half of the table is used, so that half of it is there for requests under way, whatever pools a machine has.
 *
 * Most requests do not get into that table: each has a slot by a hash of its address, which it keeps once it has it (a look into the
 * table costs 100 instructions, 6.1).  Those whose slot is another one's are in the table.
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
#define NOT_KEPT (~0ULL)

#define SLOT_BITS 8

struct biolatency_slot slots[1 << SLOT_BITS] SEC(".bss.kept") = {};

/* Entries of the table. */
__u64 kept SEC(".bss.kept") = 0;

const volatile bool with_slots = true;

const volatile __u32 kept_max = REQUESTS_MAX / 2;
const volatile bool with_queue = false;		/* -Q: from when it was made */
const volatile bool queue_apart = false;	/* -A */
const volatile bool by_disk = false;
const volatile bool by_flags = false;

/* Its slot, which may be another one's. */
static __always_inline struct biolatency_slot *slot_of(u64 key)
{
	/* 2^64 divided by the golden ratio: what is a multiple of some size spreads over all slots (Knuth, 6.4) */
	return &slots[key * 0x9e3779b97f4a7c15 >> (64 - SLOT_BITS)];
}

/*
 * The next three give numbers and no pointers: else the verifier would go through all that follows once for a slot and once for the table.
 */

/* Sets the time of a request that has a slot, or an entry, and gives the one that it had; NOT_KEPT: it has neither. */
static __always_inline u64 exchange(u64 key, u64 time_ns)
{
	struct biolatency_slot *slot = slot_of(key);
	u64 *found, before;

	if (with_slots && slot->request == key) {
		before = slot->issued_ns;
		slot->issued_ns = time_ns;
		return before;
	}
	found = bpf_map_lookup_elem(&calls, &key);
	if (!found)
		return NOT_KEPT;
	before = *found;
	*found = time_ns;
	if (!time_ns && kept > kept_max && !bpf_map_delete_elem(&calls, &key))
		__sync_fetch_and_add(&kept, -1);
	return before;
}

/*
 * Takes a slot that is nobody's.  Of those who claim it at the same time at most one reads 1: each sees its own addition, and of two the
 * later one also the other's.
 */
static __always_inline void claim(u64 key)
{
	struct biolatency_slot *slot = slot_of(key);

	if (!with_slots || slot->request)
		return;
	__sync_fetch_and_add(&slot->claims, 1);
	if (*(volatile u64 *)&slot->claims == 1)
		slot->request = key;
	else
		__sync_fetch_and_add(&slot->claims, -1);
}

static __always_inline void request_issued(const struct request___part *rq)
{
	u64 key = (u64)rq, issued_ns, before;

	if (event_is_over())
		return;
	issued_ns = block_is_wanted(rq) ? bpf_ktime_get_ns() : NOT_WANTED;
	claim(key);
	before = exchange(key, issued_ns);
	if (before == NOT_KEPT) {
		if (bpf_map_update_elem(&calls, &key, &issued_ns, BPF_NOEXIST)) {
			if (issued_ns == NOT_WANTED)
				event_count_filtered();
			else
				event_count_no_room();
			return;
		}
		__sync_fetch_and_add(&kept, 1);
	} else if (before > NOT_WANTED) {
		/* the end of the one before was missed */
		count_end();
		__sync_fetch_and_add(&event_stats_slot()->unended, 1);
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
	u64 before = exchange((u64)block_request(ctx), 0);

	if (before != NOT_KEPT && before > NOT_WANTED)
		count_end();
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

static __always_inline int request_completed(const struct request___part *rq, u32 bytes)
{
	u64 issued_ns;

	/* it goes on */
	if (bytes < BPF_CORE_READ(rq, __data_len))
		return 0;
	issued_ns = exchange((u64)rq, 0);
	/* it was issued before the tool began, or never (an empty request that asked for a flush) */
	if (issued_ns == NOT_KEPT || !issued_ns)
		return 0;
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

SEC("raw_tp/block_rq_complete")
int end_complete(u64 *ctx)
{
	return request_completed((const struct request___part *)ctx[0], (u32)ctx[2]);
}

SEC("kprobe")
int BPF_KPROBE(end_update, const struct request___part *rq, u32 status, u32 bytes)
{
	return request_completed(rq, bytes);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long block requests take: the driver gets one at block_rq_issue, and completes it at block_rq_complete.
 *
 * The time of the issue is kept by the request's address.  That comes from a pool, so a request there is followed by others: the first
 * one whose hash is free takes a slot of an array for its address, for good.  Requests at other addresses with the same hash are in a
 * table while they are under way.  A look into the table costs 100 instructions (6.1), an entry there 64 more to make, and at the start
 * an entry costs four times what a slot does.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define REQUESTS_MAX 1024	/* in the table */
#define SLOT_BITS 11

#include "lib/bpf/atomic.bpf.h"
#include "lib/bpf/block.bpf.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/role.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "biolatency.h"

COUNTS(struct biolatency_counts, 1);
TABLE(struct biolatency_key, struct hist_rough, BIOLATENCY_KEYS);

/* When a request was issued, by its address; NOT_WANTED: it does not pass --disk. */
CALLS_BY(u64, REQUESTS_MAX, u64);

#define NOT_WANTED 1

struct request_slot {
	u64 request;		/* the address; 0: of none yet */
	u64 claims;		/* 1: somebody has it */
	u64 issued_ns;		/* as in the table; 0: no request is under way */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << SLOT_BITS);
	__type(key, u32);
	__type(value, struct request_slot);
} slots SEC(".maps");

const volatile bool with_slots = true;

const volatile bool with_queue = false;		/* -Q: from when it was made */
const volatile bool queue_apart = false;	/* -A */
const volatile bool by_disk = false;
const volatile bool by_flags = false;

/* The slot of its hash, which may be another one's; NULL: there are none. */
static __always_inline struct request_slot *slot_of(u64 key)
{
	/* 2^64 divided by the golden ratio: what is a multiple of some size spreads over all slots (Knuth, 6.4) */
	u32 index = key * 0x9e3779b97f4a7c15 >> (64 - SLOT_BITS);

	return with_slots ? bpf_map_lookup_elem(&slots, &index) : NULL;
}

/*
 * Takes a slot that is nobody's.  Of those who claim it at the same time at most one reads 1: each sees its own addition, and of two the
 * later one also the other's.
 */
static __always_inline void claim(struct request_slot *slot, u64 key)
{
	atomic_add_ordered(&slot->claims, 1);
	if (*(volatile u64 *)&slot->claims == 1)
		slot->request = key;
	else
		atomic_add_ordered(&slot->claims, -1);
}

/*
 * The next two give numbers and no pointers, and keep() none that the verifier knows: else it would go through all that follows once for
 * each of them.
 */

/*
 * Keeps the time of a request.  Gives the one that was kept of the request there before, whose end was missed; 0 if there is none; a
 * negative number if there is no room.
 */
static __always_inline s64 keep(u64 key, u64 issued_ns)
{
	struct request_slot *slot = slot_of(key);
	u64 *found, before;
	int err;

	if (slot && !slot->request)
		claim(slot, key);
	if (slot && slot->request == key) {
		before = slot->issued_ns;
		slot->issued_ns = issued_ns;
		return before;
	}
	found = bpf_map_lookup_elem(&calls, &key);
	if (!found) {
		/* int: before 6.4 a map's function is called directly, and leaves the upper half of the register 0 */
		err = bpf_map_update_elem(&calls, &key, &issued_ns, BPF_NOEXIST);
		before = key;
		barrier_var(before);
		return err ^ key ^ before;
	}
	before = *found;
	*found = issued_ns;
	return before;
}

/* Takes the time of a request out; 0: there is none. */
static __always_inline u64 take(u64 key)
{
	struct request_slot *slot = slot_of(key);
	u64 *found, issued_ns;

	if (slot && slot->request == key) {
		issued_ns = slot->issued_ns;
		slot->issued_ns = 0;
		return issued_ns;
	}
	found = bpf_map_lookup_elem(&calls, &key);
	if (!found)
		return 0;
	issued_ns = *found;
	bpf_map_delete_elem(&calls, &key);
	return issued_ns;
}

/*
 * What has to be looked up in the kernel's types is looked up at each start, in every program that is loaded.  So there are programs for
 * a run without the options that read more of a request, and others, …_any, for all options: any is known when they are compiled.
 */

/* What keep() kept of a request is of one that does not pass --disk.  Without the option the verifier knows that it is not. */
static __always_inline bool is_filtered(u64 issued_ns, bool any)
{
	return any && (block_wanted.by_part || block_wanted.by_disk) && issued_ns == NOT_WANTED;
}

static __always_inline void request_issued(const struct request___part *rq, bool any)
{
	u64 issued_ns;
	s64 before;

	if (event_is_over())
		return;
	issued_ns = !any || block_is_wanted(rq) ? bpf_ktime_get_ns() : NOT_WANTED;
	before = keep((u64)rq, issued_ns);
	if (before < 0) {
		if (is_filtered(issued_ns, any))
			event_count_filtered();
		else
			event_count_no_room();
		return;
	}
	if (before && !is_filtered(before, any)) {
		count_end();
		event_count_unmatched();
	}
	if (!is_filtered(issued_ns, any))
		count_begin();
}

/* The driver gives it back: it will be issued once more. */
SEC("raw_tp/block_rq_requeue") SEES_NO_EVENT
int requeue(u64 *ctx)
{
	if (take((u64)block_request(ctx)) > NOT_WANTED)
		count_end();
	return 0;
}

static __always_inline void count_by_key(const struct request___part *rq, struct biolatency_counts *counts, u64 time_ns)
{
	struct biolatency_key key = {};
	struct hist_rough *hist;
	u32 cmd_flags;

	if (by_disk)
		block_disk_name(key.disk, rq);
	if (by_flags) {
		cmd_flags = BPF_CORE_READ(rq, cmd_flags);
		key.op = block_op(cmd_flags);
		key.flags = block_flags(cmd_flags);
	}
	hist = table_at(&key);
	hist_rough_add(hist ? hist : &counts->others, time_ns);
}

/* -Q and -A: from when the request's time counts. */
static __always_inline u64 count_queued(const struct request___part *rq, struct biolatency_counts *counts, u64 issued_ns)
{
	u64 made_ns = BPF_CORE_READ(rq, start_time_ns);

	if (!made_ns)
		count_add(&counts->no_start, 1);
	/* since 6.9 the kernel may take one time for all requests of a plug: it is never later */
	if (!made_ns || made_ns > issued_ns)
		made_ns = issued_ns;
	if (!queue_apart)
		return made_ns;
	hist_add(&counts->queued, issued_ns - made_ns);
	return issued_ns;
}

static __always_inline void count_request(const struct request___part *rq, u64 issued_ns, bool any)
{
	struct biolatency_counts *counts = counts_at(1, 0);
	u64 now_ns = bpf_ktime_get_ns();

	if (!counts)
		return;
	if (any && (with_queue || queue_apart))
		issued_ns = count_queued(rq, counts, issued_ns);
	if (any && (by_disk || by_flags))
		count_by_key(rq, counts, now_ns - issued_ns);
	else
		hist_add(&counts->times, now_ns - issued_ns);
}

static __always_inline int request_completed(const struct request___part *rq, u32 bytes, bool any)
{
	u64 issued_ns;

	/* it goes on */
	if (bytes < BPF_CORE_READ(rq, __data_len))
		return 0;
	issued_ns = take((u64)rq);
	/* it was issued before the tool began, or never (an empty request that asked for a flush) */
	if (!issued_ns)
		return 0;
	if (!is_filtered(issued_ns, any))
		count_end();
	if (event_is_over())
		return 0;
	if (is_filtered(issued_ns, any))
		event_count_filtered();
	else
		count_request(rq, issued_ns, any);
	return 0;
}

SEC("raw_tp/block_rq_complete") SEES_END
int end_complete(u64 *ctx)
{
	return request_completed((const struct request___part *)ctx[0], (u32)ctx[2], false);
}

SEC("raw_tp/block_rq_complete") SEES_END
int end_complete_any(u64 *ctx)
{
	return request_completed((const struct request___part *)ctx[0], (u32)ctx[2], true);
}

SEC("kprobe") SEES_END
int BPF_KPROBE(end_update, const struct request___part *rq, u32 status, u32 bytes)
{
	return request_completed(rq, bytes, true);
}

/* The last ones, as programs are attached in this order: else a request that is done meanwhile would count as one whose end was missed. */

SEC("raw_tp/block_rq_issue") SEES_BEGIN
int begin_issue(u64 *ctx)
{
	request_issued(block_request(ctx), false);
	return 0;
}

SEC("raw_tp/block_rq_issue") SEES_BEGIN
int begin_issue_any(u64 *ctx)
{
	request_issued(block_request(ctx), true);
	return 0;
}

SEC("kprobe") SEES_BEGIN
int BPF_KPROBE(begin_start, const struct request___part *rq)
{
	request_issued(rq, true);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

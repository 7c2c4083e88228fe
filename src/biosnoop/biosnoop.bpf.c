/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Block requests when they are completed: whose they were, how long they waited and how long the disk took.
 *
 * The task that asks is the current one when its request is made.  It need not be any more when the driver gets the request (a
 * kworker, another task that flushes the queue), and is not when an interrupt completes it.  So it is kept by the request's
 * address, from the first of these:
 *
 *	block_io_start		since 6.5: each request, as it is made
 *	block_rq_insert		before: requests that go through a scheduler or a queue, in the context of who asked
 *	block_getrq		before: those that the flush machinery takes, whose parts kworkers issue; the request is not
 *				known there, but its bio
 *	block_rq_issue		what goes to the driver at once
 *
 * A flush that the machinery makes by itself is for whoever asked for one last.  (fsync() makes an empty request with the flag
 * PREFLUSH, which no driver sees.)
 *
 * Devices that make no requests are another layer: a bio that they get is an event, by its address, from when they get it until it is
 * done.  The requests that they have others make are events of these.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EVENTS_SIZE (128 * 1024)	/* 1,000 requests */
#define REQUESTS_MAX 1024

#include "lib/bpf/atomic.bpf.h"
#include "lib/bpf/bio.bpf.h"
#include "lib/bpf/block.bpf.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/role.bpf.h"
#include "lib/bpf/owner.bpf.h"
#include "lib/bpf/owner_stack.bpf.h"
#include "biosnoop.h"

/* The first bytes of struct request, on all kernels from 5.10 on with what is read of them by `first`. */
#define REQUEST_HEAD 64

struct kept {
	struct owner submitter;		/* since_ns: when the request was made; known: all of it is */
	u64 issued_ns;			/* 0: the driver does not have it */
	u32 has_head;
	u32 again;			/* the driver has given it back */
	u32 order;			/* enum block_order */
	u32 reserved;
	/*
	 * As the driver got it: when it is completed, sector, bytes and flags say what is left of it.  One copy takes fewer
	 * instructions than three reads, and fewer steps of the verifier, which refuses a field that lies behind it: it is
	 * the last member.
	 */
	char head[REQUEST_HEAD] __attribute__((aligned(8)));
};

#define first(kept) ((const struct request___part *)(kept)->head)

/* Of a bio that is in place of a head. */
struct bio_head {
	u64 sector;
	u32 bytes;
	u32 op;
	u64 disk;			/* the first one's address */
};
#define first_bio(kept) ((struct bio_head *)(kept)->head)

/* By address of the request, or of the bio. */
CALLS_BY(u64, REQUESTS_MAX, struct kept);

/*
 * Who asked for a flush last, by the queue of the disk; before 6.5 also by the bio of what the flush machinery takes.  Nobody takes an
 * entry out: of a bio that is merged or a disk that goes away none could.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 256);
	__type(key, u64);
	__type(value, struct owner);
} submitters SEC(".maps");

/* Where the last request of a disk ends, by its queue. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 256);
	__type(key, u64);
	__type(value, u64);
} ends SEC(".maps");

const volatile bool with_order = false;		/* somebody asks whether requests are sequential */

/* Whether block_io_start tells when a request is made; otherwise the request itself does. */
const volatile bool has_io_start = false;

/* What an entry begins with; on the stack the verifier would copy it at each branch. */
const volatile __u64 nothing_kept[sizeof(struct kept) / sizeof(__u64)] = {};

/* The entry of a request that has none; NULL without room. */
static __always_inline struct kept *keep(u64 key)
{
	bpf_map_update_elem(&calls, &key, (const void *)&nothing_kept, BPF_NOEXIST);
	return bpf_map_lookup_elem(&calls, &key);
}

/* The entry is of an earlier request there, whose end was missed: now it is of this one. */
static __always_inline void drop_stale(struct kept *kept)
{
	struct event_stats *stats = event_stats_slot();

	atomic_add(&stats->in_flight, -1);
	atomic_add(&stats->unmatched, 1);
	kept->submitter.known = false;
	kept->issued_ns = 0;
	kept->has_head = false;
}

/* The current task as the submitter of a request that was made at that time; 0: now. */
static __always_inline void submitter_fill(void *ctx, struct owner *submitter, u64 made_ns)
{
	u64 now_ns = bpf_ktime_get_ns();

	owner_fill(submitter);
	/* 0 - 1 is above any time */
	submitter->since_ns = made_ns - 1 < now_ns ? made_ns : now_ns;
	owner_send_stacks(ctx, submitter, submitter->since_ns);
}

/* Keeps who asks for a flush: of the queue, and before 6.5 of the bio. */
static __always_inline void keep_flush(u64 key, const struct owner *submitter)
{
	bpf_map_update_elem(&submitters, &key, submitter, BPF_ANY);
}

/* The current task asks for a request, made at that time; 0: now.  Gives its entry, or NULL. */
static __always_inline struct kept *request_asked(void *ctx, u64 key, u64 made_ns)
{
	struct kept *kept = bpf_map_lookup_elem(&calls, &key);

	/* a kworker puts it into the queue again */
	if (kept && kept->again)
		return NULL;
	if (kept && kept->issued_ns)
		drop_stale(kept);
	if (!kept)
		kept = keep(key);
	/* without room the begin finds none either, and counts it */
	if (kept)
		submitter_fill(ctx, &kept->submitter, made_ns);
	return kept;
}

SEC("raw_tp/block_io_start") SEES_NO_EVENT
int io_start(u64 *ctx)
{
	const struct request___part *rq = (const struct request___part *)ctx[0];
	struct kept *kept;

	if (event_is_over())
		return 0;
	kept = request_asked(ctx, (u64)rq, 0);
	if (kept && block_is_flushing(BPF_CORE_READ(rq, cmd_flags)))
		keep_flush((u64)BPF_CORE_READ(rq, q), &kept->submitter);
	return 0;
}

SEC("raw_tp/block_rq_insert") SEES_NO_EVENT
int insert(u64 *ctx)
{
	const struct request___part *rq = block_request(ctx);

	if (!event_is_over())
		request_asked(ctx, (u64)rq, BPF_CORE_READ(rq, start_time_ns));
	return 0;
}

struct gendisk___queue {
	struct request_queue___part *queue;
} __attribute__((preserve_access_index));

struct block_device___disk {
	struct gendisk___queue *bd_disk;
} __attribute__((preserve_access_index));

struct bio___part {
	struct block_device___disk *bi_bdev;	/* since 5.12 */
	unsigned int bi_opf;
} __attribute__((preserve_access_index));

struct request___bio {
	struct bio___part *bio;			/* the first one that is not done; NULL: it moves no data */
} __attribute__((preserve_access_index));

/*
 * The bio is the only argument since 5.11; before, the queue comes first.  5.11 has no bi_bdev, and is taken for an older one: a flush
 * is then the kworker's.
 */
SEC("raw_tp/block_getrq") SEES_NO_EVENT
int getrq(u64 *ctx)
{
	const struct bio___part *bio = (const struct bio___part *)ctx[0];
	struct owner submitter = {};
	u64 queue = ctx[0];

	if (bpf_core_field_exists(bio->bi_bdev)) {
		queue = (u64)BPF_CORE_READ(bio, bi_bdev, bd_disk, queue);
	} else {
		/* else clang adds to the context's address, and no verifier takes that */
		barrier();
		bio = (const struct bio___part *)ctx[1];
	}
	if (event_is_over() || !block_is_flushing(BPF_CORE_READ(bio, bi_opf)))
		return 0;
	owner_fill(&submitter);
	submitter.since_ns = bpf_ktime_get_ns();
	owner_send_stacks(ctx, &submitter, submitter.since_ns);
	keep_flush((u64)bio, &submitter);
	keep_flush(queue, &submitter);
	return 0;
}

/* Under which key the submitter of a request may be, that nobody was seen to ask for; 0: none. */
static __always_inline u64 submitter_key(const struct kept *kept)
{
	const struct bio___part *bio;

	if (block_op(first(kept)->cmd_flags) == BLOCK_FLUSH)
		return (u64)first(kept)->q;
	if (has_io_start)
		return 0;
	/* the request's own flags are taken off where the disk needs no flush */
	bio = ((const struct request___bio *)kept->head)->bio;
	return block_is_flushing(BPF_CORE_READ(bio, bi_opf)) ? (u64)bio : 0;
}

/* Who asked for a request, that nobody was seen to ask for. */
static __always_inline void submitter_find(void *ctx, struct kept *kept, const struct request___part *rq)
{
	u64 key = submitter_key(kept);
	struct owner *submitter = key ? bpf_map_lookup_elem(&submitters, &key) : NULL;

	if (submitter)
		kept->submitter = *submitter;
	else
		submitter_fill(ctx, &kept->submitter, has_io_start ? 0 : BPF_CORE_READ(rq, start_time_ns));
}

/* The order of a request to that queue, which may be one that moves no data. */
static __always_inline u32 order_of(u64 queue, u32 op, u64 sector, u32 bytes)
{
	u64 end = sector + (bytes >> 9), *last;
	u32 order;

	if (!with_order || op > BLOCK_WRITE || !bytes)
		return BLOCK_NO_ORDER;
	last = bpf_map_lookup_elem(&ends, &queue);
	if (!last) {
		bpf_map_update_elem(&ends, &queue, &end, BPF_ANY);
		return BLOCK_NO_ORDER;
	}
	order = *last == sector ? BLOCK_SEQUENTIAL : BLOCK_RANDOM;
	*last = end;
	return order;
}

static __always_inline void request_issued(void *ctx, const struct request___part *rq)
{
	u64 key = (u64)rq;
	struct kept *kept;

	if (event_is_over())
		return;
	kept = bpf_map_lookup_elem(&calls, &key);
	if (kept && kept->issued_ns)
		drop_stale(kept);
	if (!kept)
		kept = keep(key);
	if (!kept) {
		event_count_no_room();
		return;
	}
	if (!kept->has_head) {
		bpf_probe_read_kernel(kept->head, sizeof(kept->head), rq);
		kept->has_head = true;
		kept->order = order_of((u64)first(kept)->q, block_op(first(kept)->cmd_flags), first(kept)->__sector,
				       first(kept)->__data_len);
		if (!kept->submitter.known)
			submitter_find(ctx, kept, rq);
	}
	kept->again = false;
	kept->issued_ns = bpf_ktime_get_ns();
	atomic_add(&event_stats_slot()->in_flight, 1);
}

SEC("raw_tp/block_rq_requeue") SEES_NO_EVENT
int requeue(u64 *ctx)
{
	u64 key = (u64)block_request(ctx);
	struct kept *kept = bpf_map_lookup_elem(&calls, &key);

	if (!kept)
		return 0;
	if (kept->issued_ns) {
		kept->issued_ns = 0;
		atomic_add(&event_stats_slot()->in_flight, -1);
	}
	kept->again = 1;
	return 0;
}

/* Whether the request passes the filters; else it is counted, but for the tool's own.  any: there may be a --disk. */
static __always_inline bool is_wanted(const struct kept *kept, const struct request___part *rq, s32 status, bool any)
{
	if (owner_filtered(&kept->submitter))
		return false;
	if ((!filter.failed_only || status) && (!any || block_is_wanted(rq)))
		return true;
	event_count_filtered();
	return false;
}

/* An event of that submitter with its times; NULL: there is no room. */
static __always_inline struct biosnoop_event *reserve(const struct kept *kept, s32 status)
{
	struct biosnoop_event *event = event_reserve_of(sizeof(*event), &kept->submitter);

	if (!event)
		return NULL;
	event->queued_ns = kept->issued_ns - kept->submitter.since_ns;
	event->served_ns = event->task.ts_ns - kept->issued_ns;
	event->status = status;
	event->order = kept->order;
	return event;
}

static __always_inline void deliver(const struct kept *kept, const struct request___part *rq, s32 status, bool any)
{
	struct biosnoop_event *event;

	if (!is_wanted(kept, rq, status, any))
		return;
	event = reserve(kept, status);
	if (!event)
		return;
	event->sector = first(kept)->__sector;
	event->bytes = first(kept)->__data_len;
	event->op = block_op(first(kept)->cmd_flags);
	block_part_name(event->disk, rq);
	event_submit(event);
}

static __always_inline int request_completed(const struct request___part *rq, s32 status, u32 bytes, bool any)
{
	u64 key = (u64)rq;
	struct kept *kept = bpf_map_lookup_elem(&calls, &key);

	if (!kept || bytes < BPF_CORE_READ(rq, __data_len))
		return 0;
	if (kept->issued_ns) {
		deliver(kept, rq, status, any);
		call_end(&calls, &key);
	} else {
		/* an empty request that asked for a flush: its parts were issued */
		bpf_map_delete_elem(&calls, &key);
	}
	return 0;
}

/* The second argument: -errno before 5.11, a blk_status_t since, which is one byte. */
SEC("raw_tp/block_rq_complete") SEES_END
int end_complete(u64 *ctx)
{
	return request_completed((const struct request___part *)ctx[0], (s32)ctx[1], (u32)ctx[2], false);
}

/* With --disk: what it reads of a request would be looked up in the kernel's types at each start. */
SEC("raw_tp/block_rq_complete") SEES_END
int end_complete_any(u64 *ctx)
{
	return request_completed((const struct request___part *)ctx[0], (s32)ctx[1], (u32)ctx[2], true);
}

SEC("kprobe") SEES_END
int BPF_KPROBE(end_update, const struct request___part *rq, u8 status, u32 bytes)
{
	return request_completed(rq, status, bytes, true);
}

static __always_inline void deliver_bio(const struct kept *kept, const struct bio___layer *bio)
{
	struct biosnoop_event *event;
	u8 status = BPF_CORE_READ(bio, bi_status);

	if (owner_filtered(&kept->submitter))
		return;
	if ((filter.failed_only && !status) || !bio_is_wanted(bio)) {
		event_count_filtered();
		return;
	}
	event = reserve(kept, status);
	if (!event)
		return;
	event->sector = first_bio(kept)->op == BLOCK_FLUSH ? ~0ULL : first_bio(kept)->sector;
	event->bytes = first_bio(kept)->bytes;
	event->op = first_bio(kept)->op;
	bio_disk_name(event->disk, bio);
	event_submit(event);
}

static __always_inline int bio_completed(const struct bio___layer *bio)
{
	u64 key = (u64)bio;
	struct kept *kept = bpf_map_lookup_elem(&calls, &key);

	if (!kept)
		return 0;
	deliver_bio(kept, bio);
	call_end(&calls, &key);
	return 0;
}

/* The queue comes first on all kernels. */
SEC("raw_tp/block_bio_complete") SEES_END
int bio_complete(u64 *ctx)
{
	return bio_completed((const struct bio___layer *)ctx[1]);
}

SEC("kprobe") SEES_END
int BPF_KPROBE(bio_end, const struct bio___layer *bio)
{
	return bio_is_done(bio) ? bio_completed(bio) : 0;
}

/* It goes to another device itself, whose request has the time.  Of a copy that goes there nothing is kept. */
SEC("raw_tp/block_bio_remap") SEES_NO_EVENT
int bio_remap(u64 *ctx)
{
	u64 key = (u64)bio_of(ctx);

	if (bpf_map_lookup_elem(&calls, &key))
		call_end(&calls, &key);
	return 0;
}

/* The last ones, as programs are attached in this order: else a request that is done meanwhile would count as one whose end was missed. */

SEC("raw_tp/block_rq_issue") SEES_BEGIN
int begin_issue(u64 *ctx)
{
	request_issued(ctx, block_request(ctx));
	return 0;
}

SEC("kprobe") SEES_BEGIN
int BPF_KPROBE(begin_start, const struct request___part *rq)
{
	request_issued(ctx, rq);
	return 0;
}

static __always_inline int bio_began(void *ctx, const struct bio___layer *bio, struct kept *kept)
{
	u64 key = (u64)bio;

	if (event_is_over() || !bio_stays_one(bio))
		return 0;
	if (kept && kept->issued_ns)
		drop_stale(kept);
	if (!kept)
		kept = keep(key);
	if (!kept) {
		event_count_no_room();
		return 0;
	}
	submitter_fill(ctx, &kept->submitter, 0);
	first_bio(kept)->sector = BPF_CORE_READ(bio, bi_iter.bi_sector);
	first_bio(kept)->bytes = BPF_CORE_READ(bio, bi_iter.bi_size);
	first_bio(kept)->op = bio_op(bio);
	first_bio(kept)->disk = (u64)bio_disk(bio);
	kept->order = order_of((u64)BPF_CORE_READ(bio_disk(bio), queue), first_bio(kept)->op, first_bio(kept)->sector,
			       first_bio(kept)->bytes);
	kept->issued_ns = kept->submitter.since_ns;
	atomic_add(&event_stats_slot()->in_flight, 1);
	return 0;
}

SEC("raw_tp/block_bio_queue") SEES_BEGIN
int bio_queue(u64 *ctx)
{
	const struct bio___layer *bio = bio_of(ctx);
	u64 key = (u64)bio;

	return bio_began(ctx, bio, bpf_map_lookup_elem(&calls, &key));
}

/* The same since 7.0, and what bio_remap does. */
SEC("kprobe") SEES_BEGIN
int BPF_KPROBE(bio_submit, const struct bio___layer *bio)
{
	u64 key = (u64)bio;
	struct kept *kept = bpf_map_lookup_elem(&calls, &key);

	if (kept && first_bio(kept)->disk != (u64)bio_disk(bio)) {
		call_end(&calls, &key);
		return 0;
	}
	/* its device has split it: this is what is left */
	if (kept && first_bio(kept)->sector + (first_bio(kept)->bytes >> 9) == bio_end_sector(bio))
		return 0;
	return bio_began(ctx, bio, kept);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's record of a block request.  Include it once in a tool, after vmlinux.h.
 *
 * A request is known by its address.  Sector and device are not enough: flushes have no sector, and merging changes it.  The
 * address comes from a pool of the disk's queue, so the next request there is another one.
 *
 *	block_rq_issue		the driver gets it; once more after block_rq_requeue, when the driver has given it back
 *	block_rq_complete	a part of it is done: in the last one nr_bytes is all that is left (__data_len).  Also for steps of the
 *				flush machinery that no driver saw (block/blk-flush.c).
 *
 * From 7.0 on a raw program can be preempted, and the kernel skips it for the CPU's other tasks meanwhile: with eight writers 1,188 of
 * 4,000 requests (7.3).  Issues are seen by a probe on blk_mq_start_request() there, which has the tracepoint in its first line and is
 * not preempted.  So a tool has two programs, begin_issue and begin_start, of which lib/run/blocks chooses one.  Completions are seen by
 * both end_complete and end_update there: the second is on blk_update_request(), which has the tracepoint in its first line, but is left
 * out for the requests of blk_mq_end_request_batch().  Whichever sees a request first takes it.
 */
#ifndef PROBELIGHT_BLOCK_BPF_H
#define PROBELIGHT_BLOCK_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/shared/block.h"

#ifndef REQUESTS_MAX
#define REQUESTS_MAX 4096	/* issued and not completed, at the same time; --requests sets another number */
#endif

struct kobject___part {
	const char *name;
} __attribute__((preserve_access_index));

struct device___part {
	struct kobject___part kobj;
	dev_t devt;
} __attribute__((preserve_access_index));

/* A partition, or the whole disk: since 5.11, which gave it a device of its own. */
struct block_device___part {
	struct device___part bd_device;
} __attribute__((preserve_access_index));

/* The same before. */
struct hd_struct___part {
	struct device___part __dev;
} __attribute__((preserve_access_index));

struct gendisk___part {
	int major;
	int first_minor;
	char disk_name[DISK_NAME_LEN];
} __attribute__((preserve_access_index));

struct request_queue___part {
	struct gendisk___part *disk;		/* since 5.15; NULL while there is none, or none any more */
} __attribute__((preserve_access_index));

struct request___part;

/* block/blk.h */
struct blk_flush_queue___part {
	struct request___part *flush_rq;
} __attribute__((preserve_access_index));

struct blk_mq_hw_ctx___part {
	struct blk_flush_queue___part *fq;
} __attribute__((preserve_access_index));

struct request___part {
	struct request_queue___part *q;
	struct blk_mq_hw_ctx___part *mq_hctx;
	unsigned int cmd_flags;
	unsigned int __data_len;		/* bytes that are not done yet */
	sector_t __sector;			/* of the first of them */
	u64 start_time_ns;			/* when it was made, CLOCK_MONOTONIC; 0 without queue/iostats and without a scheduler */
	void *part;				/* struct block_device or hd_struct; NULL for requests that no bio made */
	struct gendisk___part *rq_disk;		/* before 5.17 */
} __attribute__((preserve_access_index));

/*
 * block_rq_insert, _issue and _requeue had the queue as their first argument before 5.11, but not in the later ones of the stable
 * series 5.10 (a54895fa057c and its backport).  The user side asks the kernel's BTF (lib/run/blocks).
 */
const volatile bool block_queue_first = false;

const volatile struct block_wanted block_wanted = {};

static __always_inline const struct request___part *block_request(const u64 *ctx)
{
	return (const struct request___part *)(block_queue_first ? ctx[1] : ctx[0]);
}

static __always_inline u32 block_op(u32 cmd_flags)
{
	return cmd_flags & (BLOCK_OPS - 1);
}

/* Whether it asks for what was written before it, or itself, to be on the medium: the flush machinery takes such a request. */
static __always_inline bool block_is_flushing(u32 cmd_flags)
{
	return cmd_flags & (1UL << bpf_core_enum_value(enum req_flag_bits, __REQ_PREFLUSH) |
			    1UL << bpf_core_enum_value(enum req_flag_bits, __REQ_FUA));
}

#define BLOCK_FLAG(cmd_flags, kernels, ours) ((cmd_flags) >> bpf_core_enum_value(enum req_flag_bits, kernels) & 1 ? (ours) : 0)

/* enum block_flag */
static __always_inline u32 block_flags(u32 cmd_flags)
{
	return BLOCK_FLAG(cmd_flags, __REQ_SYNC, BLOCK_SYNC) | BLOCK_FLAG(cmd_flags, __REQ_META, BLOCK_META) |
	       BLOCK_FLAG(cmd_flags, __REQ_PRIO, BLOCK_PRIO) | BLOCK_FLAG(cmd_flags, __REQ_FUA, BLOCK_FUA) |
	       BLOCK_FLAG(cmd_flags, __REQ_PREFLUSH, BLOCK_PREFLUSH) | BLOCK_FLAG(cmd_flags, __REQ_RAHEAD, BLOCK_RAHEAD) |
	       BLOCK_FLAG(cmd_flags, __REQ_BACKGROUND, BLOCK_BACKGROUND) | BLOCK_FLAG(cmd_flags, __REQ_NOWAIT, BLOCK_NOWAIT);
}

/* The whole disk, which may be NULL. */
static __always_inline struct gendisk___part *block_disk(const struct request___part *rq)
{
	if (bpf_core_field_exists(((struct request___part *)0)->rq_disk))
		return BPF_CORE_READ(rq, rq_disk);
	if (bpf_core_field_exists(((struct request_queue___part *)0)->disk))
		return BPF_CORE_READ(rq, q, disk);
	return NULL;
}

/* The number of the partition, or of the disk where the request is to all of it; 0: not known. */
static __always_inline u32 block_part_dev(const struct request___part *rq)
{
	void *part = BPF_CORE_READ(rq, part);

	if (part && bpf_core_field_exists(((struct block_device___part *)0)->bd_device.devt))
		return BPF_CORE_READ((struct block_device___part *)part, bd_device.devt);
	if (part && bpf_core_type_exists(struct hd_struct___part))
		return BPF_CORE_READ((struct hd_struct___part *)part, __dev.devt);
	return 0;
}

/*
 * Whether the request passes --disk.  What it reads is looked up in the kernel's types at each start, also without the option: a tool
 * has a program without it for such runs (blocks__have_disk()).
 */
static __always_inline bool block_is_wanted(const struct request___part *rq)
{
	struct gendisk___part *disk;

	if (!block_wanted.by_part && !block_wanted.by_disk)
		return true;
	if (block_wanted.by_part)
		return block_part_dev(rq) == block_wanted.dev;
	disk = block_disk(rq);
	return disk && ((u32)BPF_CORE_READ(disk, major) << 20 | (u32)BPF_CORE_READ(disk, first_minor)) == block_wanted.dev;
}

/*
 * The disk's name, DISK_NAME_LEN bytes; "" where there is none.  What is behind the name stays as it was.
 *
 * Here and in the next one nothing is asked for NULL: reading there fails and gives zeros, and each branch is one more way for the
 * verifier to walk.
 */
static __always_inline void block_disk_name(char *name, const struct request___part *rq)
{
	bpf_probe_read_kernel_str(name, DISK_NAME_LEN, &block_disk(rq)->disk_name);
}

/* The name of the partition, or of the disk where the request is to all of it or the partition is not known. */
static __always_inline void block_part_name(char *name, const struct request___part *rq)
{
	void *part = BPF_CORE_READ(rq, part);
	const char *from = NULL;

	if (bpf_core_field_exists(((struct block_device___part *)0)->bd_device.kobj.name))
		from = BPF_CORE_READ((struct block_device___part *)part, bd_device.kobj.name);
	else if (bpf_core_type_exists(struct hd_struct___part))
		from = BPF_CORE_READ((struct hd_struct___part *)part, __dev.kobj.name);
	if (bpf_probe_read_kernel_str(name, DISK_NAME_LEN, from) <= 1)
		block_disk_name(name, rq);
}

#endif

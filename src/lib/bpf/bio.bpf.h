/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's record of a bio, for devices that make no requests: device mapper, software RAID, zram, ram disks.  Include it once in a
 * tool, after block.bpf.h.
 *
 *	block_bio_queue		a device gets it; once for each bio, with its first device (BIO_TRACE_COMPLETION is set then)
 *	block_bio_remap		somebody else's bio is made of it, or it goes to another device itself, as with RAID 0
 *	block_bio_complete	it is done, but not if a request had it (blk_update_request() clears the flag)
 *
 * So of a bio that a device keeps until it is done, begin and end are seen, and of one that it passes on itself the begin.
 *
 * From 7.0 on raw programs can be preempted, and the kernel skips them for the CPU's other tasks meanwhile (block.bpf.h).  There two
 * functions are traced, and programs on them are not preempted:
 *
 *	submit_bio_noacct_nocheck()	has block_bio_queue in its first lines.  It is called again for what is left of a bio that its
 *					device has split, and for a bio that goes to another device
 *	bio_endio()			has block_bio_complete.  It is called once for each part.  The bio whose last part ended is
 *					completed in the same call: that only the tracepoint tells, so there is a program on it, too
 */
#ifndef PROBELIGHT_BIO_BPF_H
#define PROBELIGHT_BIO_BPF_H

#include "block.bpf.h"

struct request_queue___mq {
	const void *mq_ops;			/* NULL: it makes no requests */
} __attribute__((preserve_access_index));

struct gendisk___bio {
	int major;
	int first_minor;
	char disk_name[DISK_NAME_LEN];
	struct request_queue___mq *queue;
} __attribute__((preserve_access_index));

struct block_device___bio {
	struct device___part bd_device;
	struct gendisk___bio *bd_disk;
} __attribute__((preserve_access_index));

struct bvec_iter___part {
	sector_t bi_sector;
	unsigned int bi_size;
} __attribute__((preserve_access_index));

struct bio___layer {
	struct block_device___bio *bi_bdev;	/* since 5.12 */
	struct gendisk___bio *bi_disk;		/* before */
	struct bvec_iter___part bi_iter;
	unsigned int bi_opf;
	u8 bi_status;
	struct {
		int counter;
	} __bi_remaining;			/* its parts that are not done; 1 where it has none, too */
} __attribute__((preserve_access_index));

/* The bio of raw block_bio_queue, _remap: the only argument, or the first, since 5.11; before, the queue comes first. */
static __always_inline const struct bio___layer *bio_of(const u64 *ctx)
{
	u64 bio = ctx[0];

	if (!bpf_core_field_exists(((struct bio___layer *)0)->bi_bdev)) {
		/* else clang adds to the context's address, and no verifier takes that */
		barrier_var(bio);
		bio = ctx[1];
	}
	return (const struct bio___layer *)bio;
}

static __always_inline struct gendisk___bio *bio_disk(const struct bio___layer *bio)
{
	if (bpf_core_field_exists(bio->bi_bdev))
		return BPF_CORE_READ(bio, bi_bdev, bd_disk);
	if (bpf_core_field_exists(bio->bi_disk))
		return BPF_CORE_READ(bio, bi_disk);
	return NULL;
}

/* Whether its device makes no requests. */
static __always_inline bool bio_stays_one(const struct bio___layer *bio)
{
	const struct request_queue___mq *queue = BPF_CORE_READ(bio_disk(bio), queue);

	return queue && !BPF_CORE_READ(queue, mq_ops);
}

/* Whether it passes --disk. */
static __always_inline bool bio_is_wanted(const struct bio___layer *bio)
{
	struct gendisk___bio *disk = bio_disk(bio);

	if (!block_wanted.by_part && !block_wanted.by_disk)
		return true;
	if (block_wanted.by_part)
		return bpf_core_field_exists(bio->bi_bdev) && BPF_CORE_READ(bio, bi_bdev, bd_device.devt) == block_wanted.dev;
	return ((u32)BPF_CORE_READ(disk, major) << 20 | (u32)BPF_CORE_READ(disk, first_minor)) == block_wanted.dev;
}

/* The name of its partition or disk, DISK_NAME_LEN bytes. */
static __always_inline void bio_disk_name(char *name, const struct bio___layer *bio)
{
	const char *from = NULL;

	if (bpf_core_field_exists(bio->bi_bdev))
		from = BPF_CORE_READ(bio, bi_bdev, bd_device.kobj.name);
	if (bpf_probe_read_kernel_str(name, DISK_NAME_LEN, from) <= 1)
		bpf_probe_read_kernel_str(name, DISK_NAME_LEN, &bio_disk(bio)->disk_name);
}

/* What it is: an empty one that asks for a flush is that. */
static __always_inline u32 bio_op(const struct bio___layer *bio)
{
	u32 flags = BPF_CORE_READ(bio, bi_opf);

	return block_is_flushing(flags) && !BPF_CORE_READ(bio, bi_iter.bi_size) ? BLOCK_FLUSH : block_op(flags);
}

/* Where it ends: in sectors, from the disk's begin.  What is left of a bio that is split ends there, too. */
static __always_inline u64 bio_end_sector(const struct bio___layer *bio)
{
	return BPF_CORE_READ(bio, bi_iter.bi_sector) + (BPF_CORE_READ(bio, bi_iter.bi_size) >> 9);
}

/* At bio_endio(): whether this is the last of its parts. */
static __always_inline bool bio_is_done(const struct bio___layer *bio)
{
	return BPF_CORE_READ(bio, __bi_remaining.counter) <= 1;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the BPF programs and the user side share about block devices.  A BPF program includes vmlinux.h before. */
#ifndef PROBELIGHT_SHARED_BLOCK_H
#define PROBELIGHT_SHARED_BLOCK_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define DISK_NAME_LEN 32	/* DISK_NAME_LEN in include/linux/blkdev.h; partitions' names are cut to it */

/*
 * Operations: the kernel's own numbers (enum req_op, up to 5.19 enum req_opf), those that are the same on 5.10 … 7.3.  The numbers
 * of zone operations are not.
 */
enum block_op {
	BLOCK_READ = 0,
	BLOCK_WRITE = 1,
	BLOCK_FLUSH = 2,
	BLOCK_DISCARD = 3,
	BLOCK_SECURE_ERASE = 5,
	BLOCK_WRITE_ZEROES = 9,
	BLOCK_DRIVER_IN = 34,
	BLOCK_DRIVER_OUT = 35,
	BLOCK_OPS = 256,	/* REQ_OP_BITS */
};

/* Flags of a request, in an order of our own: the kernel's bits differ between releases. */
enum block_flag {
	BLOCK_SYNC = 1 << 0,
	BLOCK_META = 1 << 1,
	BLOCK_PRIO = 1 << 2,
	BLOCK_FUA = 1 << 3,
	BLOCK_PREFLUSH = 1 << 4,
	BLOCK_RAHEAD = 1 << 5,
	BLOCK_BACKGROUND = 1 << 6,
	BLOCK_NOWAIT = 1 << 7,
};
#define BLOCK_FLAGS 8

/* Where a request begins, beside the one that its disk got before. */
enum block_order {
	BLOCK_NO_ORDER,		/* the first one; neither a read nor a write */
	BLOCK_RANDOM,
	BLOCK_SEQUENTIAL,	/* where that one ends */
};

/* --disk.  Frozen rodata. */
struct block_wanted {
	__u32 dev;		/* the kernel's number (major << 20 | minor) */
	__u8 by_disk;		/* of a whole disk, its partitions included */
	__u8 by_part;		/* of a partition */
	__u8 reserved[2];
};

#endif

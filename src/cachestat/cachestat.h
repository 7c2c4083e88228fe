/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_CACHESTAT_H
#define PROBELIGHT_CACHESTAT_H

#include "lib/shared/task_key.h"

#define CACHESTAT_NAME_SIZE 64	/* of a longer name only the begin is kept */

struct cachestat_key {
	struct task_key task;		/* first: lib/run/task_keys.h */
	/* --by file, else 0: */
	__u64 inode;
	__u32 dev;			/* of its file system */
	__u32 device;			/* of a block device: its number */
	/* empty where the hook does not know it; rows of one inode are added up, whatever their names */
	char name[CACHESTAT_NAME_SIZE];
	__u64 is_cut;			/* the name is longer */
};

/* Pages.  A power of two of words. */
struct cachestat_counts {
	__u64 read_hits, read_misses;
	__u64 fault_hits, fault_misses;
	__u64 readahead;		/* added beyond what was asked for */
	__u64 other;			/* added by no read, fault or advice: by writes, and for metadata */
	__u64 dirtied;
	__u64 written;			/* whose write-back has begun */
};

#define CACHESTAT_WORDS (sizeof(struct cachestat_counts) / sizeof(__u64))
#define CACHESTAT_KEYS 4096
#define CACHESTAT_CALLS 16384		/* reads and faults that are under way at the same time */

#endif

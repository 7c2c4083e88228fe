/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_CACHESTAT_H
#define PROBELIGHT_CACHESTAT_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#include "lib/shared/hist.h"
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
	union {
		struct {
			__u64 read_hits, read_misses;
			__u64 fault_hits, fault_misses;
			__u64 readahead;	/* added beyond what was asked for */
			__u64 other;		/* added by no read, fault or advice: by writes, and for metadata */
			__u64 dirtied;
			__u64 written;		/* whose write-back has begun */
		};
		/* --readahead: what has become of pages that were read ahead */
		struct {
			__u64 ahead;		/* all of them */
			__u64 ahead_read;	/* by a call, or given to one */
			__u64 ahead_mapped;	/* by a process */
			__u64 ahead_written;	/* made dirty before anybody had read them */
			__u64 ahead_dropped;	/* removed from the cache before anybody had used them */
			__u64 ahead_waiting;	/* neither; the user side alone knows it */
			__u64 none[2];
		};
	};
};

/* The sums, or of the keys without room; and --age: how long after it was read ahead a page was used, or dropped unused. */
struct cachestat_cells {
	struct cachestat_counts counts;
	struct hist_rough used, dropped;
};

/* A folio that was read ahead and has not been used. */
struct ahead_key {
	__u64 mapping;			/* struct address_space */
	__u64 index;
};

struct ahead_folio {
	__u64 added_ns;
	__u64 pages;
	struct cachestat_key key;	/* who has read it ahead, of which file: as --by asks for it */
};

#define CACHESTAT_WORDS (sizeof(struct cachestat_counts) / sizeof(__u64))
#define CACHESTAT_KEYS 4096
#define CACHESTAT_CALLS 16384		/* reads and faults that are under way at the same time */
#define CACHESTAT_AHEAD 65536		/* folios that were read ahead and not used */

#endif

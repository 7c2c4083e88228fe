/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_SLABRATETOP_H
#define PROBELIGHT_SLABRATETOP_H

#include "lib/shared/event.h"
#include "lib/shared/task_key.h"

#define SLABRATETOP_NAME_SIZE 40

/* Which of the caches of kmalloc() of a size it is. */
enum slabratetop_kind {
	SLAB_NAMED,		/* it is none: name has its name */
	SLAB_KMALLOC,
	SLAB_KMALLOC_RECLAIMABLE,
	SLAB_KMALLOC_CGROUP,
	SLAB_KMALLOC_DMA,
	SLAB_KINDS,
};

/* What --by does not have is 0. */
struct slabratetop_key {
	struct task_key task;
	__u64 size;		/* of an object, of kmalloc() alone */
	__u64 kind;		/* enum slabratetop_kind */
	char name[SLABRATETOP_NAME_SIZE];
};

struct slabratetop_counts {
	__u64 allocs;
	__u64 bytes;
};

#define SLABRATETOP_KEYS 1024

#endif

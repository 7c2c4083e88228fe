/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_OOMKILL_H
#define PROBELIGHT_OOMKILL_H

#include "lib/shared/dir.h"
#include "lib/shared/event.h"

/* enum oom_constraint, include/linux/oom.h; the same on every kernel. */
enum oom_limit {
	OOM_MACHINE,
	OOM_CPUSET,
	OOM_MEMPOLICY,
	OOM_CGROUP,
	OOM_SYSRQ,		/* ours: somebody asked for it, order is -1 */
	OOM_LIMITS_COUNT
};

struct oom_event {
	struct event_task task;		/* who ran out of memory */
	__u64 total_pages;		/* of the limit, swap included */
	__u64 vm_pages, anon_pages, file_pages, shmem_pages, swap_pages;	/* the victim's */
	__u64 pgtables_bytes;
	__u64 gfp;
	__u64 cgroup_id;		/* the victim's, as in event_task */
	__u32 pid, uid;			/* the victim */
	char comm[TASK_COMM_LEN];
	__s32 adj;
	__s32 order;			/* of the allocation: 2^order pages */
	__u32 limit;			/* enum oom_limit */
	__u16 names_size;		/* of names, which go from the cgroup outwards; 0: the root, or no cgroup */
	__u8 names_are_cut;
	__u8 reserved;
	char names[DIR_ROOM];
	__u8 pad[4];
};

#endif

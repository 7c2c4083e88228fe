/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_RUNQLAT_H
#define PROBELIGHT_RUNQLAT_H

#include "lib/shared/event.h"
#include "lib/shared/hist.h"

struct runqlat_counts {
	__u64 queue;			/* where the CPU's run queue is; no count */
	struct hist waits;		/* ns; of all, where not counted by key */
	struct hist_rough others;	/* of the keys without room */
};

/* -P, -L and --pidnss */
struct runqlat_key {
	__u32 pid;		/* 0 with --pidnss */
	__u32 tid;		/* 0 with -P */
	__u32 pidns;		/* with --pidnss: its inode number in /proc/PID/ns/pid */
	__u32 reserved;
	char comm[TASK_COMM_LEN];
};

#define RUNQLAT_KEYS 1024

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What a tool counts by, of a task: --by, -P and -L.  A BPF program includes vmlinux.h before. */
#ifndef PROBELIGHT_TASK_KEY_H
#define PROBELIGHT_TASK_KEY_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#include "event.h"

enum task_key_kind {
	TASK_KEY_NONE,
	TASK_KEY_PROCESS,
	TASK_KEY_THREAD,
	TASK_KEY_COMM,		/* whichever process it is */
	TASK_KEY_CGROUP,	/* also for what the user side makes of it: unit, slice, container, pod */
	TASK_KEY_PIDNS,
};

struct task_key {
	union {
		struct {
			__u32 pid;	/* 0 by TASK_KEY_COMM */
			__u32 tid;	/* by TASK_KEY_THREAD; else 0 */
		};
		__u64 cgroup_id;
		__u64 pidns;		/* its inode number in /proc/PID/ns/pid */
	};
	char comm[TASK_COMM_LEN];	/* of the process by TASK_KEY_PROCESS; 0s by cgroup and pid namespace */
};

#endif

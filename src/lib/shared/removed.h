/* SPDX-License-Identifier: BSD-2-Clause */
/* The paths of cgroups that were removed lately, as a program writes them.  A BPF program includes vmlinux.h before. */
#ifndef PROBELIGHT_REMOVED_H
#define PROBELIGHT_REMOVED_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define REMOVED_SLOTS 256	/* a power of two */
#define REMOVED_PATH_SIZE 256	/* with its 0 byte; the last byte of a path that was cut is not 0 */

struct removed_cgroup {
	__u64 id;		/* 0: the slot is empty, or is being written */
	char path[REMOVED_PATH_SIZE];
};

struct removed_cgroups {
	__u64 count;		/* how many there were; the next one goes to slot count % REMOVED_SLOTS */
	struct removed_cgroup slots[REMOVED_SLOTS];
};

#endif

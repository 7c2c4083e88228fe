/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs of ctx_values.bpf.c saw last. */
#ifndef CTX_VALUES_H
#define CTX_VALUES_H

struct seen_wanted {
	__u32 caller;		/* only what this thread does counts */
	__u32 wakee;		/* and what wakes this one */
};

struct seen_wakeup {
	__u64 count;
	char comm[16];
	__s32 pid, prio, target_cpu, success;
};

struct seen_request {
	__u64 count;
	char comm[16], current[16];
	char rwbs[8];
	__u64 sector;
	__u32 dev, nr_sector, bytes;
};

struct seen_open {
	__u64 count;
	char path[64];
	__s64 ret;
	__s32 nr, dfd, flags;
	__u16 mode;
};

struct seen_extack {
	__u64 count;
	__s64 length, cut_length, bytes;
	__u32 size;
	char text[128], cut[8], array[16];
};

struct seen_task {
	__u64 count;
	__s32 pid, tgid, parent;
	char comm[16];
};

#endif

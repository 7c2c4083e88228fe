/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel tells of a BPF link, as of Linux 6.8's struct bpf_link_info: the <linux/bpf.h> that a distribution
 * installs may be older than the kernel that the tool runs on.  The kernel fills as much as it knows and says how much
 * that is, so the size tells what it can say.
 */
#ifndef PROBELIGHT_LINK_INFO_H
#define PROBELIGHT_LINK_INFO_H

#include <errno.h>
#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <bpf/bpf.h>

enum {
	LINK_TRACING = 2,
	LINK_PERF_EVENT = 7,		/* since 5.15; its details since 6.6 */
	LINK_KPROBE_MULTI = 8,		/* since 5.18; its details since 6.6 */
};

enum {	/* enum bpf_perf_event_type */
	LINK_PERF_KPROBE = 3,
	LINK_PERF_KRETPROBE = 4,
	LINK_PERF_TRACEPOINT = 5,
};

struct link_info {
	__u32 type;
	__u32 id;
	__u32 prog_id;
	__u32 pad;
	union {
		struct {
			__u32 attach_type;
			__u32 object_id;	/* of the BTF */
			__u32 btf_id;
		} tracing;
		struct {
			__u64 addrs;		/* in: pointer to room for count addresses; 0: they are not asked for */
			__u32 count;		/* in and out */
			__u32 flags;		/* 1: for returns */
			__u64 missed;		/* since 6.7 */
		} kprobe_multi;
		struct {
			__u32 type;
			__u32 pad;
			__u64 name;		/* in: pointer to room for the function's name */
			__u32 name_size;
			__u32 offset;
			__u64 address;
			__u64 missed;		/* since 6.7 */
		} perf_event;
		__u64 room[16];
	};
};

/* Fills info, whose "in" members the caller has set, and *size with what the kernel knows.  0 or -errno. */
static inline int link_info__read(int link_fd, struct link_info *info, __u32 *size)
{
	*size = sizeof(*info);
	return bpf_obj_get_info_by_fd(link_fd, info, size) ? -errno : 0;
}

/*
 * Whether a kernel that filled size bytes tells the misses of kprobe links.  That it counts those of programs is not said:
 * lib/probe/skips.h
 */
static inline bool link_info__tells_missed(__u32 size)
{
	return size >= offsetof(struct link_info, perf_event.missed) + sizeof(__u64);
}

#endif

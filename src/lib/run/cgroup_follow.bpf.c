/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sees a cgroup being made under the path of -c, and writes its id where the tool's filter reads it: before any task can be in it.
 * Loaded only with -c, so that it costs nothing else.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/bpf/stats.bpf.h"
#include "lib/bpf/tp.bpf.h"
#include "lib/shared/follow.h"

/* The path in the hierarchy, as the kernel has it, zeros behind it. */
const volatile __u64 wanted_path[FOLLOW_PATH_SIZE / 8] = {};

struct tp_cgroup__cgroup_mkdir {
	__u32 root;
	__u64 id;
	__u32 __data_loc_path;
} __attribute__((preserve_access_index));

SEC("tp/cgroup/cgroup_mkdir")
int TP_PROG(cgroup_mkdir, struct tp_cgroup__cgroup_mkdir *ctx)
{
	__u64 path[FOLLOW_PATH_SIZE / 8] = {};

	/* the hierarchy of cgroup v2; those of v1 have other numbers */
	if (ctx->root)
		return 0;
	tp_str(path, sizeof(path), ctx, __data_loc_path);
	for (int i = 0; i < FOLLOW_PATH_SIZE / 8; i++)
		if (path[i] != wanted_path[i])
			return 0;
	*(volatile __u64 *)&event_stats_common()->cgroup_id = ctx->id;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

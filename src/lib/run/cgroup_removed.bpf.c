/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the paths of the cgroups that were removed last.  systemd removes the cgroup of a service that fails at its start before anybody
 * can look its name up.  Loaded only with --cgroup-name, so that it costs nothing else.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/bpf/tp.bpf.h"
#include "lib/shared/removed.h"

struct removed_cgroups removed SEC(".bss.removed") = {};

struct tp_cgroup__cgroup_rmdir {
	__u32 root;
	__u64 id;
	__u32 __data_loc_path;
} __attribute__((preserve_access_index));

SEC("tp/cgroup/cgroup_rmdir")
int TP_PROG(cgroup_rmdir, struct tp_cgroup__cgroup_rmdir *ctx)
{
	struct removed_cgroup *slot;

	/* the hierarchy of cgroup v2; those of v1 have other numbers */
	if (ctx->root)
		return 0;
	/* cgroup_mutex is held: there is one at a time */
	slot = &removed.slots[removed.count++ & (REMOVED_SLOTS - 1)];
	*(volatile __u64 *)&slot->id = 0;
	slot->path[REMOVED_PATH_SIZE - 1] = 0;
	/* one that is cut has its last byte set, and is not believed */
	if (tp_str(slot->path, sizeof(slot->path), ctx, __data_loc_path) == REMOVED_PATH_SIZE)
		slot->path[REMOVED_PATH_SIZE - 1] = 1;
	*(volatile __u64 *)&slot->id = ctx->id;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

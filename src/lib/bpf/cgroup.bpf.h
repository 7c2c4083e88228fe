/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of a cgroup in its hierarchy.  Include it after vmlinux.h; the sizes are in dir.h. */
#ifndef PROBELIGHT_CGROUP_BPF_H
#define PROBELIGHT_CGROUP_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/shared/dir.h"
#include "task.bpf.h"

/* The parent: renamed in 6.15 (633488947ef6). */
struct kernfs_node___before_6_15 {
	struct kernfs_node___part *parent;
} __attribute__((preserve_access_index));

struct kernfs_node___since_6_15 {
	struct kernfs_node___part *__parent;
} __attribute__((preserve_access_index));

static __always_inline struct kernfs_node___part *kernfs_parent(struct kernfs_node___part *node)
{
	if (bpf_core_field_exists(struct kernfs_node___since_6_15, __parent))
		return BPF_CORE_READ((struct kernfs_node___since_6_15 *)node, __parent);
	return BPF_CORE_READ((struct kernfs_node___before_6_15 *)node, parent);
}

/*
 * Reads the names of the cgroup and of those that it is in, innermost first, without that of the root, which has none: each
 * ended by a 0 byte, into names, which has room for DIR_ROOM bytes; *size, 0 before, is how many bytes they take.  Whether
 * that is all of them.
 */
static __noinline bool cgroup_names(char *names, u16 *size, struct cgroup___part *cgroup)
{
	struct kernfs_node___part *node = BPF_CORE_READ(cgroup, kn), *parent;

	for (int i = 0; i < DIR_DEPTH; i++) {
		const char *name;
		long length;
		u32 used;

		parent = kernfs_parent(node);
		if (!parent)
			return true;
		if (*size >= DIR_SIZE)
			break;
		name = BPF_CORE_READ(node, name);
		/* the size lives in the record: see dir_read() */
		used = *(volatile u16 *)size;
		length = bpf_probe_read_kernel_str(names + (used & (DIR_SIZE - 1)), DIR_NAME_SIZE, name);
		if (length < 0)
			break;
		*size = used + length;
		node = parent;
	}
	return false;
}

#endif

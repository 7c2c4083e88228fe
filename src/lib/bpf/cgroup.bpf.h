/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of a cgroup in its hierarchy.  Include it after vmlinux.h; the sizes are in dir.h. */
#ifndef PROBELIGHT_CGROUP_BPF_H
#define PROBELIGHT_CGROUP_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/shared/dir.h"
#include "loop.bpf.h"
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

struct cgroup_walk {
	char *names;
	u16 *size;
	struct kernfs_node___part *node;
	bool is_whole;
};

/* Adds one name.  Whether that is all, or all that there is room for. */
static __always_inline bool cgroup_step(struct cgroup_walk *walk)
{
	struct kernfs_node___part *node = walk->node, *parent = kernfs_parent(node);
	const char *name;
	long length;
	u32 used;

	if (!parent) {
		walk->is_whole = true;
		return true;
	}
	if (*walk->size >= DIR_SIZE)
		return true;
	name = BPF_CORE_READ(node, name);
	/* the size lives in the record: see dir_step() */
	used = *(volatile u16 *)walk->size;
	length = bpf_probe_read_kernel_str(walk->names + (used & (DIR_SIZE - 1)), DIR_NAME_SIZE, name);
	if (length < 0)
		return true;
	*walk->size = used + length;
	walk->node = parent;
	return false;
}

/* For bpf_loop(). */
static long cgroup_round(u32 i, struct cgroup_walk *walk)
{
	return cgroup_step(walk);
}

static __noinline bool cgroup_names_by_loop(char *names, u16 *size, struct cgroup___part *cgroup)
{
	struct cgroup_walk walk = { .names = names, .size = size, .node = BPF_CORE_READ(cgroup, kn) };

	bpf_loop(DIR_DEPTH, cgroup_round, &walk, 0);
	return walk.is_whole;
}

static __noinline bool cgroup_names_in_place(char *names, u16 *size, struct cgroup___part *cgroup)
{
	struct cgroup_walk walk = { .names = names, .size = size, .node = BPF_CORE_READ(cgroup, kn) };

	for (int i = 0; i < DIR_DEPTH; i++)
		if (cgroup_step(&walk))
			break;
	return walk.is_whole;
}

/*
 * Reads the names of the cgroup and of those that it is in, innermost first, without that of the root, which has none: each
 * ended by a 0 byte, into names, which has room for DIR_ROOM bytes; *size, 0 before, is how many bytes they take.  Whether
 * that is all of them.
 */
static __always_inline bool cgroup_names(char *names, u16 *size, struct cgroup___part *cgroup)
{
	return has_loop ? cgroup_names_by_loop(names, size, cgroup) : cgroup_names_in_place(names, size, cgroup);
}

#endif

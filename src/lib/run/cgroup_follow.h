/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -c by path: a cgroup that is removed and made again, as systemd does it when a unit restarts, is followed.  The kernel says that
 * a cgroup is made before a task can be in it, so that the events of its first process are there.
 */
#ifndef PROBELIGHT_CGROUP_FOLLOW_H
#define PROBELIGHT_CGROUP_FOLLOW_H

#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/print/fault.h"

/*
 * Whether this kernel can do it for the directory that fd is open on, and how: the path in its hierarchy, with zeros behind it, and
 * its level, from 1 on; 0 where it cannot: before 5.15 (bpf_get_current_ancestor_cgroup_id() in tracing programs, 95b861a7935b),
 * in a cgroup namespace, where the path is not the kernel's, and for a path that is too long.  The root is never made again.
 */
struct cgroup_follow {
	const char *mount;	/* where the hierarchy is mounted */
	char path[256];		/* FOLLOW_PATH_SIZE */
	uint32_t level;
	struct cgroup_follow_bpf *skel;
};
void cgroup_follow__find(struct cgroup_follow *follow, int fd);

/*
 * The same for a cgroup that is not there yet, as it stands on the command line: a path, or one below /sys/fs/cgroup.  0; -ENOENT
 * where the one above it is not there either; -EOPNOTSUPP where this kernel cannot do it.
 */
int cgroup_follow__await(struct cgroup_follow *follow, const char *text);

/*
 * Starts it for an object that is loaded, with stats.bpf.h's counters, which hold from now on id, or that of a cgroup which was made
 * under the path meanwhile.  0, or -errno with one line in fault.
 */
int cgroup_follow__start(struct cgroup_follow *follow, const struct bpf_object *object, uint64_t id, struct fault *fault);

void cgroup_follow__end(struct cgroup_follow *follow);

#endif

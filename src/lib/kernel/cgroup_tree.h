/* SPDX-License-Identifier: BSD-2-Clause */
/* The directories of a mounted hierarchy of cgroups. */
#ifndef PROBELIGHT_CGROUP_TREE_H
#define PROBELIGHT_CGROUP_TREE_H

#include <stdbool.h>
#include <stdint.h>

#define CGROUP_PATH_SIZE 4096

/*
 * Opens the hierarchy of cgroup v2. *mount: where it is mounted, a string that stays. Returns it, the caller's to close,
 * or -errno: -ENODEV where it is mounted at no place that is known.
 */
int cgroup_tree__open(const char **mount);

/* Why there is none, and what to do, where the above answers -ENODEV. */
const char *cgroup_tree__why_none(void);

/*
 * Opens the n-th hierarchy of cgroup v1, from 0 on, as above. -ENODEV: there are not so many. Containers are in all of
 * them, or at least in that of systemd or of a controller that all engines use.
 */
int cgroup_tree__open_v1(unsigned int n, const char **mount);

/*
 * A cgroup: its path below the mount, "/" or "/system.slice/cron.service", valid during the call, and its id, the number
 * of its directory's inode (kernfs, since 5.5). Whether to go on.
 */
typedef bool (*cgroup_tree_fn)(void *ctx, const char *path, uint64_t id);

/* Calls fn for each cgroup of the hierarchy, each before those in it, down to 256 directories. 0 or -errno. */
int cgroup_tree__walk(int hierarchy, cgroup_tree_fn fn, void *ctx);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroup_follow.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/shared/event.h"
#include <cgroup_follow.skel.h>

#include "lib/kernel/kernel.h"
#include "lib/layout/layout.h"
#include "lib/probe/tracepoint.h"
#include "lib/shared/follow.h"
#include "tally.h"

/* The inode of the initial cgroup namespace (include/linux/proc_ns.h, PROC_CGROUP_INIT_INO). */
#define INITIAL_CGROUPNS_INO 0xEFFFFFFBu
#define ROOT_ID 1		/* of the hierarchy's root (kernfs) */

/* Behind the mount point, where the root of the hierarchy is mounted there; or NULL. */
static const char *below_mount(const char *path, const char *mount)
{
	size_t size = strlen(mount);
	struct stat root;

	if (strncmp(path, mount, size) || path[size] != '/' || stat(mount, &root) || root.st_ino != ROOT_ID)
		return NULL;
	return path + size;
}

void cgroup_follow__find(struct cgroup_follow *follow, int fd)
{
	char link[64], path[4096];
	const char *below;
	struct stat ns;
	ssize_t size;

	memset(follow, 0, sizeof(*follow));
	if (kernel__version() < kernel_version(5, 15, 0) || stat("/proc/self/ns/cgroup", &ns) || ns.st_ino != INITIAL_CGROUPNS_INO)
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, path, sizeof(path) - 1);
	if (size <= 0)
		return;
	path[size] = '\0';
	/* the second one where the controllers are those of cgroup v1 */
	below = below_mount(path, "/sys/fs/cgroup/unified") ?: below_mount(path, "/sys/fs/cgroup");
	if (!below || !below[1] || strlen(below) >= sizeof(follow->path))
		return;
	strcpy(follow->path, below);
	for (const char *at = below; *at; at++)
		follow->level += *at == '/';
}

/* Opens, loads and attaches. */
static int start(struct cgroup_follow *follow, const struct bpf_object *object, struct layout *layout, char *why, size_t why_size)
{
	struct bpf_object_open_opts opts = { .sz = sizeof(opts), .btf_custom_path = layout__btf_path(layout) };
	const struct bpf_map *stats = bpf_object__find_map_by_name(object, ".data.stats");
	struct cgroup_follow_bpf *skel = cgroup_follow_bpf__open_opts(&opts);
	int err;

	if (!skel)
		return -errno;
	follow->skel = skel;
	memcpy((void *)skel->rodata->wanted_path, follow->path, sizeof(skel->rodata->wanted_path));
	err = bpf_map__reuse_fd(skel->maps.data_stats, bpf_map__fd(stats));
	if (!err)
		err = layout__fill(layout, skel->obj, skel->skeleton->data, skel->skeleton->data_sz, why, why_size);
	if (!err)
		err = cgroup_follow_bpf__load(skel);
	if (err)
		return err;
	skel->links.cgroup_mkdir = tracepoint__attach(skel->progs.cgroup_mkdir, "cgroup/cgroup_mkdir");
	return skel->links.cgroup_mkdir ? 0 : -errno;
}

int cgroup_follow__start(struct cgroup_follow *follow, const struct bpf_object *object, uint64_t id, char *why, size_t why_size)
{
	struct event_stats *stats = tally__map(object);
	struct layout *layout;
	int err;

	if (!stats)
		return -ENOENT;
	stats[EVENT_STATS_SLOTS - 1].cgroup_id = id;
	*why = '\0';
	err = layout__new(&layout);
	if (!err) {
		err = start(follow, object, layout, why, why_size);
		layout__free(layout);
	}
	if (err && !*why)
		snprintf(why, why_size, "%s", strerror(-err));
	return err;
}

void cgroup_follow__end(struct cgroup_follow *follow)
{
	cgroup_follow_bpf__destroy(follow->skel);
	follow->skel = NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroup_follow.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "lib/shared/event.h"
#include <cgroup_follow.skel.h>

#include "lib/kernel/kernel.h"
#include "lib/shared/follow.h"
#include "side_program.h"
#include "tally.h"

/* The inode of the initial cgroup namespace (include/linux/proc_ns.h, PROC_CGROUP_INIT_INO). */
#define INITIAL_CGROUPNS_INO 0xEFFFFFFBu
#define ROOT_ID 1		/* of the hierarchy's root (kernfs) */

static bool can_follow(void)
{
	struct stat ns;

	return kernel__version() >= kernel_version(5, 15, 0) && !stat("/proc/self/ns/cgroup", &ns) &&
	       ns.st_ino == INITIAL_CGROUPNS_INO;
}

/*
 * The path of an open cgroup's directory in its hierarchy, "" for the root, in path (size bytes).  Returns where the hierarchy is
 * mounted; NULL where that is a place that is not known.
 */
static const char *path_in_hierarchy(int fd, char *path, size_t size)
{
	/* the second one where the controllers are those of cgroup v1 */
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	char link[64], whole[4096];
	struct statfs fs;
	struct stat root;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, whole, sizeof(whole) - 1);
	if (length <= 0)
		return NULL;
	whole[length] = '\0';
	for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
		size_t end = strlen(mounts[i]);

		if (strncmp(whole, mounts[i], end) || (whole[end] && whole[end] != '/') || statfs(mounts[i], &fs) ||
		    fs.f_type != CGROUP2_SUPER_MAGIC || stat(mounts[i], &root) || root.st_ino != ROOT_ID)
			continue;
		if ((size_t)snprintf(path, size, "%s", whole + end) >= size)
			return NULL;
		return mounts[i];
	}
	return NULL;
}

static void set_level(struct cgroup_follow *follow)
{
	for (const char *at = follow->path; *at; at++)
		follow->level += *at == '/';
}

void cgroup_follow__find(struct cgroup_follow *follow, int fd)
{
	memset(follow, 0, sizeof(*follow));
	if (!can_follow())
		return;
	follow->mount = path_in_hierarchy(fd, follow->path, sizeof(follow->path));
	if (follow->mount)
		set_level(follow);
	else
		memset(follow->path, 0, sizeof(follow->path));
}

/* The directory of a path's last name, which is copied to name (size bytes); or -errno. */
static int open_parent(const char *path, char *name, size_t size)
{
	char whole[4096], *slash;

	if ((size_t)snprintf(whole, sizeof(whole), "./%s", path) >= sizeof(whole))
		return -ENAMETOOLONG;
	slash = whole + strlen(whole);
	while (slash[-1] == '/')
		*--slash = '\0';
	slash = strrchr(whole, '/');
	if (!slash || !strcmp(slash + 1, ".") || !strcmp(slash + 1, "..") || (size_t)snprintf(name, size, "%s", slash + 1) >= size)
		return -ENOENT;
	slash[1] = '\0';
	return open(*path == '/' ? whole + 2 : whole, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* 0, or -ENOENT where the cgroup above is not there. */
static int await_path(struct cgroup_follow *follow, const char *path)
{
	char name[256];
	size_t length;
	int fd;

	memset(follow, 0, sizeof(*follow));
	fd = open_parent(path, name, sizeof(name));
	if (fd < 0)
		return -ENOENT;
	follow->mount = path_in_hierarchy(fd, follow->path, sizeof(follow->path));
	close(fd);
	length = strlen(follow->path);
	if (!follow->mount || (size_t)snprintf(follow->path + length, sizeof(follow->path) - length, "/%s",
					       name) >= sizeof(follow->path) - length) {
		memset(follow->path, 0, sizeof(follow->path));
		return -ENOENT;
	}
	set_level(follow);
	return 0;
}

int cgroup_follow__await(struct cgroup_follow *follow, const char *text)
{
	char below[4096];

	if (!can_follow())
		return -EOPNOTSUPP;
	snprintf(below, sizeof(below), "/sys/fs/cgroup/%s", text);
	return await_path(follow, text) ? await_path(follow, below) : 0;
}

/* The cgroup may have been made, or made again, after its id was looked up and before the program was attached. */
static void catch_up(const struct cgroup_follow *follow, struct event_stats *stats, uint64_t id)
{
	char path[sizeof(follow->path) + 64];
	struct stat file;

	snprintf(path, sizeof(path), "%s%s", follow->mount, follow->path);
	/* what the program has seen since is newer */
	if (!stat(path, &file))
		__sync_bool_compare_and_swap(&stats[EVENT_STATS_SLOTS - 1].cgroup_id, id, file.st_ino);
}

int cgroup_follow__start(struct cgroup_follow *follow, const struct bpf_object *object, uint64_t id, struct fault *fault)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(object, ".bss.stats");
	struct event_stats *stats = tally__map(object);
	struct cgroup_follow_bpf *skel;
	struct side_program side;
	int err = stats ? side_program__begin(&side, fault) : fault__set(fault, -ENOENT, "the programs have no counters");

	if (err)
		return err;
	stats[EVENT_STATS_SLOTS - 1].cgroup_id = id;
	skel = follow->skel = cgroup_follow_bpf__open_opts(&side.opts);
	if (skel)
		memcpy((void *)skel->rodata->wanted_path, follow->path, sizeof(follow->path));
	err = side_program__attach(&side, skel && !bpf_map__reuse_fd(skel->maps.bss_stats, bpf_map__fd(map)) ? skel->skeleton : NULL,
				   fault);
	if (!err)
		catch_up(follow, stats, id);
	return err;
}

void cgroup_follow__end(struct cgroup_follow *follow)
{
	cgroup_follow_bpf__destroy(follow->skel);
	follow->skel = NULL;
}

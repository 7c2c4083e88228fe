/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroup_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#define DEPTH_MAX 256		/* directories that are entered, one in the other */

/* The directory, if it is of a file system of that kind; or -errno. */
static int open_if(const char *path, long magic)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0)
		return -errno;
	if (!fstatfs(fd, &fs) && (long)fs.f_type == magic)
		return fd;
	close(fd);
	return -ENODEV;
}

int cgroup_tree__open(const char **mount)
{
	/* the second one where the controllers are those of cgroup v1 */
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	int fd = -ENODEV;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && fd < 0; i++) {
		*mount = places[i];
		fd = open_if(places[i], CGROUP2_SUPER_MAGIC);
	}
	return fd < 0 ? -ENODEV : fd;
}

int cgroup_tree__open_v1(unsigned int n, const char **mount)
{
	static const char *const places[] = {
		"/sys/fs/cgroup/systemd", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpu",
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		int fd = open_if(places[i], CGROUP_SUPER_MAGIC);

		if (fd >= 0 && !n--) {
			*mount = places[i];
			return fd;
		}
		if (fd >= 0)
			close(fd);
	}
	return -ENODEV;
}

const char *cgroup_tree__why_none(void)
{
	const char *mount;
	int fd = cgroup_tree__open_v1(0, &mount);

	if (fd < 0)
		return "cgroup v2 is not mounted at /sys/fs/cgroup (mount -t cgroup2 cgroup2 /sys/fs/cgroup)";
	close(fd);
	return "cgroup v2 is not mounted at /sys/fs/cgroup, this machine has cgroup v1 (boot it with systemd.unified_cgroup_hierarchy=1)";
}

struct walk {
	cgroup_tree_fn fn;
	void *ctx;
	char path[CGROUP_PATH_SIZE];
};

/* The directories below the one that fd, which it closes, is open on; its path is length bytes long. Whether to go on. */
static bool walk_below(struct walk *walk, int fd, size_t length, int depth)
{
	DIR *dir = fdopendir(fd);
	struct dirent *found;
	bool goes_on = true;

	if (!dir) {
		close(fd);
		return true;
	}
	while (goes_on && (found = readdir(dir))) {
		size_t size = strlen(found->d_name);
		int child;

		if (found->d_type != DT_DIR || *found->d_name == '.' || length + size + 2 > sizeof(walk->path))
			continue;
		walk->path[length] = '/';
		memcpy(walk->path + length + 1, found->d_name, size + 1);
		goes_on = walk->fn(walk->ctx, walk->path, found->d_ino);
		child = goes_on && depth < DEPTH_MAX ? openat(dirfd(dir), found->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		if (child >= 0)
			goes_on = walk_below(walk, child, length + 1 + size, depth + 1);
	}
	closedir(dir);
	return goes_on;
}

int cgroup_tree__walk(int hierarchy, cgroup_tree_fn fn, void *ctx)
{
	struct walk walk = { .fn = fn, .ctx = ctx };
	int fd = openat(hierarchy, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat root;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &root) && !fn(ctx, "/", root.st_ino)) {
		close(fd);
		return 0;
	}
	walk_below(&walk, fd, 0, 0);
	return 0;
}

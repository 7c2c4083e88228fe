/* SPDX-License-Identifier: BSD-2-Clause */
#include "root_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The entry of a directory, which is closed; -errno.  ".." would lead out of the root directory. */
static int step(int directory, const char *name, int flags)
{
	int fd, err;

	if (!strcmp(name, "..")) {
		close(directory);
		return -EPERM;
	}
	fd = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC | flags);
	err = fd < 0 ? -errno : 0;
	close(directory);
	if (fd >= 0)
		return fd;
	/* a link is not a directory */
	return err == -ENOTDIR || err == -ELOOP ? -EPERM : err;
}

int root_file__find(uint32_t pid, const char *path, struct stat *stat)
{
	char root[64], name[NAME_MAX + 1];
	int fd;

	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (const char *slash; fd >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		snprintf(name, sizeof(name), "%.*s", (int)(slash - path), path);
		fd = step(fd, name, O_DIRECTORY);
	}
	if (fd >= 0)
		fd = step(fd, path, 0);
	if (fd >= 0 && (fstat(fd, stat) || !S_ISREG(stat->st_mode))) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int root_file__open(int found)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(found);
	return fd;
}

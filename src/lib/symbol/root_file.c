/* SPDX-License-Identifier: BSD-2-Clause */
#include "root_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/file.h"

#define LINKS_MAX 40	/* as the kernel's MAXSYMLINKS */
#define DEPTH_MAX 64

/*
 * The directories from the root on, as O_PATH.  ".." goes back to the one before, whatever a hostile process has moved
 * meanwhile.
 */
struct walk {
	int dirs[DEPTH_MAX];	/* the first is the caller's */
	size_t depth;		/* of the current one */
};

static void go_up(struct walk *walk, size_t depth)
{
	while (walk->depth > depth)
		close(walk->dirs[walk->depth--]);
}

static int go_down(struct walk *walk, int fd)
{
	if (walk->depth + 1 == DEPTH_MAX) {
		close(fd);
		return -ENAMETOOLONG;
	}
	walk->dirs[++walk->depth] = fd;
	return 0;
}

/* Puts what a link says before the rest of the path, which becomes *rest, freed by the caller.  0 or -errno. */
static int read_link(int link, const char *rest, char **result)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(link, "", target, sizeof(target));

	if (length <= 0 || length == sizeof(target))
		return length < 0 ? -errno : -ENAMETOOLONG;
	if (length + strlen(rest) >= PATH_MAX)
		return -ENAMETOOLONG;
	return asprintf(result, "%.*s/%s", (int)length, target, rest) < 0 ? -ENOMEM : 0;
}

/*
 * Takes one step: *name is the entry, *rest what comes after it.  A descriptor of what the path leads to, -EAGAIN: not there yet,
 * or -errno.  *path: what a link says to follow, else as it was.
 */
static int step(struct walk *walk, const char *name, const char *rest, bool follow, unsigned int *links, char **path)
{
	struct stat stat;
	int fd, err;

	if (!strcmp(name, "..")) {
		if (!follow)
			return -EPERM;
		if (walk->depth)
			go_up(walk, walk->depth - 1);
		return -EAGAIN;
	}
	fd = openat(walk->dirs[walk->depth], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &stat)) {
		close(fd);
		return -EBADF;
	}
	if (S_ISLNK(stat.st_mode)) {
		err = !follow ? -EPERM : ++*links > LINKS_MAX ? -ELOOP : read_link(fd, rest, path);
		close(fd);
		if (!err && **path == '/')
			go_up(walk, 0);
		return err ? err : -EAGAIN;
	}
	if (!*rest)
		return fd;
	if (!S_ISDIR(stat.st_mode)) {
		close(fd);
		return -EPERM;
	}
	err = go_down(walk, fd);
	return err ? err : -EAGAIN;
}

int root_file__find(int root, const char *path, bool follow, struct stat *stat)
{
	struct walk walk = { .dirs = { root } };
	char name[NAME_MAX + 1], *own = NULL;
	unsigned int links = 0;
	int fd = -EAGAIN;

	while (fd == -EAGAIN) {
		const char *rest;
		char *linked = NULL;
		size_t length;

		path += strspn(path, "/");
		length = strcspn(path, "/");
		rest = path + length + strspn(path + length, "/");
		if (!length || length > NAME_MAX) {
			fd = length ? -ENAMETOOLONG : -EPERM;
			break;
		}
		memcpy(name, path, length);
		name[length] = 0;
		fd = strcmp(name, ".") ? step(&walk, name, rest, follow, &links, &linked) : -EAGAIN;
		path = rest;
		if (linked) {
			free(own);
			own = linked;
			path = own;
		}
	}
	go_up(&walk, 0);
	free(own);
	if (fd >= 0 && (fstat(fd, stat) || !S_ISREG(stat->st_mode))) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int root_file__root(uint32_t pid, struct root_id *id)
{
	char path[64], text[256], *mount;
	struct stat stat;
	int fd;

	*id = (struct root_id){ 0 };
	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* "mnt_id:\t29": the mount that the directory is seen through, which is in one mount namespace */
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if (fstat(fd, &stat) || file__read_small(path, text, sizeof(text)) < 0 || !(mount = strstr(text, "mnt_id:"))) {
		close(fd);
		return -EBADF;
	}
	*id = (struct root_id){ .device = stat.st_dev, .inode = stat.st_ino, .mount = atoi(mount + strlen("mnt_id:")) };
	return fd;
}

bool root_id__is_same(const struct root_id *a, const struct root_id *b)
{
	return a->device == b->device && a->inode == b->inode && a->mount == b->mount;
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

/* SPDX-License-Identifier: BSD-2-Clause */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OTHERS (S_IRWXG | S_IRWXO)
#define TRY_MS 20

/* 0 where it is this user's, and nobody else can open it from now on; or -errno. */
static int keep_to_owner(int fd, mode_t mode)
{
	struct stat stat;

	if (fstat(fd, &stat))
		return -errno;
	if (stat.st_uid != geteuid() || stat.st_mode & (S_IWGRP | S_IWOTH))
		return -EPERM;
	return stat.st_mode & OTHERS && fchmod(fd, mode) ? -errno : 0;
}

static bool is_trusted(const struct stat *stat)
{
	return !stat->st_uid || stat->st_uid == geteuid();
}

/*
 * Opens what a directory is in.  Its owner, and who else may write there, can put another directory in the place of ours whenever they
 * like: -EPERM where that is somebody else.  In /dev/shm and /tmp (sticky) each user can replace only what is theirs.
 */
static int open_parent(const char *directory)
{
	const char *slash = strrchr(directory, '/');
	char parent[PATH_MAX];
	struct stat stat;
	int fd, err = 0;

	if ((size_t)snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - directory) + (slash == directory) : 1,
			     slash ? directory : ".") >= sizeof(parent))
		return -ENAMETOOLONG;
	if (lstat(parent, &stat))
		return -errno;
	/* a symbolic link, too, is its maker's */
	if (!is_trusted(&stat))
		return -EPERM;
	fd = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &stat))
		err = -errno;
	else if (!is_trusted(&stat) || (stat.st_mode & (S_IWGRP | S_IWOTH) && !(stat.st_mode & S_ISVTX)))
		err = -EPERM;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int open_directory(const char *directory)
{
	const char *slash = strrchr(directory, '/'), *name = slash ? slash + 1 : directory;
	int parent = open_parent(directory), fd, err;

	if (parent < 0)
		return parent;
	if (mkdirat(parent, name, 0700) && errno != EEXIST) {
		err = -errno;
		close(parent);
		return err;
	}
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	close(parent);
	if (err)
		return err;
	err = keep_to_owner(fd, 0700);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int lock__open(const char *directory, const char *name)
{
	int folder = open_directory(directory), fd, err;

	if (folder < 0 || !name)
		return folder;
	fd = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	err = fd < 0 ? -errno : keep_to_owner(fd, 0600);
	if (err && fd >= 0)
		close(fd);
	close(folder);
	return err ? err : fd;
}

int lock__take(int fd, enum lock_kind kind, int64_t limit_ms)
{
	const struct timespec pause = { .tv_nsec = TRY_MS * 1000000 };

	while (flock(fd, (kind == LOCK_SHARED ? LOCK_SH : LOCK_EX) | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (limit_ms <= 0)
			return -ETIMEDOUT;
		/* a signal shortens it */
		nanosleep(&pause, NULL);
		limit_ms -= TRY_MS;
	}
	return 0;
}

void lock__release(int fd)
{
	flock(fd, LOCK_UN);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
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

static int open_directory(const char *directory)
{
	int fd, err;

	if (mkdir(directory, 0700) && errno != EEXIST)
		return -errno;
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
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

/* SPDX-License-Identifier: BSD-2-Clause */
#include "owned_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

/* fd, or where it is not a file of root's alone and of that type, -errno and it is closed. */
static int check(int fd, mode_t type)
{
	struct stat file;
	int err;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &file) ? -errno : 0;
	if (!err && ((file.st_mode & S_IFMT) != type || file.st_uid || file.st_mode & (S_IWGRP | S_IWOTH)))
		err = -EPERM;
	if (!err)
		return fd;
	close(fd);
	return err;
}

int owned_file__directory(const char *path)
{
	return check(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), S_IFDIR);
}

int owned_file__open(int directory, const char *path, int flags)
{
	int at = directory;

	for (;;) {
		size_t size = strcspn(path, "/");
		/* a FIFO does not make it wait */
		int how = path[size] ? O_DIRECTORY : flags | O_NONBLOCK, fd;
		char part[256];

		if (!size || size >= sizeof(part) || (size <= 2 && !strncmp(path, "..", size)))
			fd = -EINVAL;
		else {
			memcpy(part, path, size);
			part[size] = '\0';
			fd = check(openat(at, part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | how), how & O_DIRECTORY ? S_IFDIR : S_IFREG);
		}
		if (at != directory)
			close(at);
		if (fd < 0 || !path[size])
			return fd;
		at = fd;
		path += size + 1;
	}
}

int owned_file__read(int directory, const char *path, size_t size_max, char **text, size_t *size)
{
	int fd = owned_file__open(directory, path, 0), err;

	if (fd < 0)
		return fd;
	err = file__read_fd(fd, size_max, text, size);
	close(fd);
	return err;
}

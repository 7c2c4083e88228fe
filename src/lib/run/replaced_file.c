/* SPDX-License-Identifier: BSD-2-Clause */
#include "replaced_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/print/say.h"
#include "privileges.h"

#define MODE 0644	/* for all to read */

static int refuse(const struct replaced_file *file, int err, const char *why)
{
	say("%s \"%s\": %s", file->option, file->path, why);
	return err;
}

/* Splits the path; the directory of a name alone is this one. */
static int open_directory(struct replaced_file *file)
{
	const char *slash = strrchr(file->path, '/');
	char path[4096] = ".";
	int length;

	file->name = slash ? slash + 1 : file->path;
	if (slash && (size_t)(slash - file->path) + 2 > sizeof(path))
		return refuse(file, -ENAMETOOLONG, strerror(ENAMETOOLONG));
	if (slash)
		snprintf(path, sizeof(path), "%.*s/", (int)(slash - file->path), file->path);
	length = snprintf(file->made_name, sizeof(file->made_name), ".%s.tmp", file->name);
	if (!*file->name)
		return refuse(file, -EISDIR, "the name of a file is missing");
	if (length >= (int)sizeof(file->made_name))
		return refuse(file, -ENAMETOOLONG, strerror(ENAMETOOLONG));
	file->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (file->directory < 0)
		return refuse(file, -errno, strerror(errno));
	if (faccessat(file->directory, ".", W_OK | X_OK, 0))
		return refuse(file, -errno, errno == EACCES ? "its directory cannot be written" : strerror(errno));
	return 0;
}

/* Whether the name is still that of the file that is open: another run may just have put a new one in its place. */
static bool has_name(const struct replaced_file *file, int fd)
{
	struct stat named, opened;

	return !fstat(fd, &opened) && !fstatat(file->directory, file->name, &named, AT_SYMLINK_NOFOLLOW) && named.st_ino == opened.st_ino &&
	       named.st_dev == opened.st_dev;
}

/* The lock of the file that has the name now.  A run that replaces it holds the new one's before that has the name. */
static int lock_file(struct replaced_file *file)
{
	struct stat stat;

	for (;;) {
		if (fstatat(file->directory, file->name, &stat, AT_SYMLINK_NOFOLLOW))
			return errno == ENOENT ? 0 : refuse(file, -errno, strerror(errno));
		if (!S_ISREG(stat.st_mode))
			return refuse(file, -EINVAL, "not a regular file: another one would take its name");
		file->fd = openat(file->directory, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (file->fd < 0 && errno == ENOENT)
			continue;
		if (file->fd < 0)
			return refuse(file, -errno, strerror(errno));
		if (flock(file->fd, LOCK_EX | LOCK_NB))
			return refuse(file, -EBUSY, "another run writes it");
		if (has_name(file, file->fd))
			return 0;
		close(file->fd);
		file->fd = -1;
	}
}

int replaced_file__open(struct replaced_file *file)
{
	int err = open_directory(file);

	if (!err)
		err = lock_file(file);
	if (err)
		replaced_file__close(file, false);
	return err;
}

/* The new file, which nobody else can have made; one that a killed run has left is removed. */
static int make(const struct replaced_file *file)
{
	int fd = openat(file->directory, file->made_name, PRIVILEGES_FILES_FLAGS, MODE);

	if (fd < 0 && errno == EEXIST && !unlinkat(file->directory, file->made_name, 0))
		fd = openat(file->directory, file->made_name, PRIVILEGES_FILES_FLAGS, MODE);
	return fd < 0 ? -errno : fd;
}

static int write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t written = write(fd, text, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		text += written;
		size -= (size_t)written;
	}
	return fchmod(fd, MODE) || flock(fd, LOCK_EX | LOCK_NB) ? -errno : 0;
}

/*
 * A directory that has got the name cannot be replaced, and Landlock says EACCES of it, as it would have to be removed.
 * That may be over the next time, which what is not permitted never is.
 */
static int rename_error(const struct replaced_file *file, int err)
{
	struct stat stat;

	if (err == EACCES && !fstatat(file->directory, file->name, &stat, AT_SYMLINK_NOFOLLOW) && S_ISDIR(stat.st_mode))
		return -EISDIR;
	return -err;
}

int replaced_file__write(struct replaced_file *file, const char *text, size_t size)
{
	int fd = make(file), err;

	if (fd < 0)
		return fd;
	err = write_all(fd, text, size);
	if (!err && renameat(file->directory, file->made_name, file->directory, file->name))
		err = rename_error(file, errno);
	if (err) {
		unlinkat(file->directory, file->made_name, 0);
		close(fd);
		return err;
	}
	if (file->fd >= 0)
		close(file->fd);
	file->fd = fd;
	return 0;
}

void replaced_file__close(struct replaced_file *file, bool remove)
{
	if (remove && file->fd >= 0 && has_name(file, file->fd))
		unlinkat(file->directory, file->name, 0);
	if (file->fd >= 0)
		close(file->fd);
	if (file->directory >= 0)
		close(file->directory);
	file->fd = file->directory = -1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define ROOM_FIRST 8192		/* most files of tracefs fit */
#define READ_MIN 4096		/* seq_file gives a page at a time; ask for no less */

int file__read_fd(int fd, size_t size_max, char **text, size_t *size)
{
	size_t room = ROOM_FIRST, used = 0;
	char *buffer = malloc(room), *larger;
	ssize_t got;
	int err;

	if (!buffer)
		return -ENOMEM;
	for (;;) {
		if (room - used < READ_MIN + 1) {
			larger = realloc(buffer, room * 2);
			if (!larger) {
				err = -ENOMEM;
				break;
			}
			buffer = larger;
			room *= 2;
		}
		got = read(fd, buffer + used, room - used - 1);
		if (got < 0 && errno == EINTR)
			continue;
		err = got < 0 ? -errno : 0;
		if (got <= 0)
			break;
		used += (size_t)got;
		if (used > size_max) {
			err = -EFBIG;
			break;
		}
	}
	if (err) {
		free(buffer);
		return err;
	}
	buffer[used] = '\0';
	*text = buffer;
	*size = used;
	return 0;
}

int file__read(const char *path, size_t size_max, char **text, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = file__read_fd(fd, size_max, text, size);
	close(fd);
	return err;
}

int file__read_small(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = -1;
	int err = errno;

	*text = '\0';
	if (fd < 0)
		return -err;
	got = read(fd, text, size - 1);
	err = errno;
	close(fd);
	if (got < 0)
		return -err;
	text[got] = '\0';
	return (int)got;
}

/* offset: -1: from where the file stands */
static ssize_t read_whole(int fd, void *to, size_t size, off_t offset)
{
	size_t used = 0;

	while (used < size) {
		char *next = (char *)to + used;
		ssize_t got = offset < 0 ? read(fd, next, size - used) : pread(fd, next, size - used, offset + (off_t)used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		used += (size_t)got;
	}
	return (ssize_t)used;
}

ssize_t file__read_on(int fd, void *to, size_t size)
{
	return read_whole(fd, to, size, -1);
}

ssize_t file__read_at(int fd, void *to, size_t size, off_t offset)
{
	return offset < 0 ? -EINVAL : read_whole(fd, to, size, offset);
}

int file__may(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, AT_EACCESS) ? -errno : 0;
}

void file__raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	if (limit.rlim_cur < FILE_LIMIT_MAX && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max < FILE_LIMIT_MAX ? limit.rlim_max : FILE_LIMIT_MAX;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

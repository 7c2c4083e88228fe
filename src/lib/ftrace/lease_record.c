/* SPDX-License-Identifier: BSD-2-Clause */
#include "lease_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/lock.h"

#define RECORD_MAX 65536
#define LOCK_LIMIT_MS 30000	/* a tracer takes seconds to stop on a slow machine */
#define NEW LEASE_RECORD ".new"

int lease_record__lock(const char *folder)
{
	int fd = lock__open(folder, NULL), err = fd < 0 ? fd : lock__take(fd, LOCK_EXCLUSIVE, LOCK_LIMIT_MS);

	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err == -ETIMEDOUT ? -EAGAIN : err;
}

static void add_line(struct lease_record *record, char *line)
{
	char *before = strchr(line, '\t'), *digest = before ? strchr(before + 1, '\t') : NULL;
	size_t at = 0;

	if (!digest)
		return;
	*before++ = '\0';
	*digest++ = '\0';
	while (at < record->count && strcmp(record->files[at].file, line))
		at++;
	if (at == LEASE_FILES_MAX)
		return;
	record->count += at == record->count;
	snprintf(record->files[at].file, LEASE_TEXT_MAX, "%s", line);
	snprintf(record->files[at].before, LEASE_TEXT_MAX, "%s", before);
	snprintf(record->files[at].digest, LEASE_DIGEST_MAX, "%s", digest);
}

int lease_record__read(int folder_fd, struct lease_record *record)
{
	int fd = openat(folder_fd, LEASE_RECORD, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *text, *line, *rest = NULL;
	ssize_t length = 0, got;
	const char *end;
	int found = 0;

	*record = (struct lease_record){ .count = 0 };
	if (fd < 0)
		return 0;
	text = calloc(1, RECORD_MAX);
	while (text && (got = read(fd, text + length, RECORD_MAX - 1 - (size_t)length)) > 0)
		length += got;
	close(fd);
	line = text ? strtok_r(text, "\n", &rest) : NULL;
	end = line ? owner__parse(line, &record->owner) : NULL;
	if (end && !*end) {
		found = 1;
		while ((line = strtok_r(NULL, "\n", &rest)))
			add_line(record, line);
	}
	free(text);
	return found;
}

void lease_record__sweep(int folder_fd)
{
	unlinkat(folder_fd, NEW, 0);
}

int lease_record__make(int folder_fd)
{
	struct owner self = owner__self();
	char text[OWNER_TEXT_MAX + 2];
	int fd, err = 0;
	size_t length;

	owner__text(&self, text);
	strcat(text, "\n");
	length = strlen(text);
	lease_record__sweep(folder_fd);
	fd = openat(folder_fd, NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (write(fd, text, length) != (ssize_t)length)
		err = -EIO;
	close(fd);
	/* it is there whole, or not at all */
	if (!err && renameat(folder_fd, NEW, folder_fd, LEASE_RECORD))
		err = -errno;
	if (err)
		lease_record__sweep(folder_fd);
	return err;
}

int lease_record__remove(int folder_fd)
{
	return unlinkat(folder_fd, LEASE_RECORD, 0) && errno != ENOENT ? -errno : 0;
}

int lease_record__note(int folder_fd, const char *file, const char *before, const char *digest)
{
	char line[2 * LEASE_TEXT_MAX + LEASE_DIGEST_MAX + 4];
	int fd = openat(folder_fd, LEASE_RECORD, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC), err = 0;
	int length = snprintf(line, sizeof(line), "%s\t%s\t%s\n", file, before, digest);

	if (fd < 0)
		return -errno;
	if (length >= (int)sizeof(line) || write(fd, line, (size_t)length) != length)
		err = -EIO;
	close(fd);
	return err;
}

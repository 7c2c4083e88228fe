/* SPDX-License-Identifier: BSD-2-Clause */
#include "own_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/format/events.h"
#include "lib/kernel/tracefs.h"

#define FILE_MAX (16 * 1024 * 1024)
#define PREFIX EVENTS_OWN_SYSTEM "/"

int own_lines__open_for(const char *file, int flags)
{
	char path[512];
	int err = tracefs__path(path, sizeof(path), file), fd;

	if (err)
		return err;
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int own_lines__open(const char *file)
{
	return own_lines__open_for(file, O_WRONLY | O_APPEND);
}

int own_lines__append(const char *file, int fd, const char *text)
{
	int to = fd >= 0 ? fd : own_lines__open(file), err = 0;
	size_t left = strlen(text);

	if (to < 0)
		return to;
	while (left && !err) {
		ssize_t written = write(to, text, left);

		if (written > 0) {
			text += written;
			left -= (size_t)written;
		} else if (!written || errno != EINTR) {
			err = written ? -errno : -EIO;
		}
	}
	if (to != fd)
		close(to);
	return err;
}

int own_lines__remove(const char *file, int fd, const char *name)
{
	char line[128];

	snprintf(line, sizeof(line), "-:" PREFIX "%s\n", name);
	return own_lines__append(file, fd, line);
}

bool own_lines__owner(const char *name, struct owner *owner)
{
	const char *end;

	if (name[0] != 'p' && name[0] != 'r')
		return false;
	end = owner__parse(name + 1, owner);
	return end && *end == '_';
}

int own_lines__remove_of(const char *file, const struct owner *only)
{
	char *text, *line, *next;
	const char *last = "";
	int removed = 0, err;
	struct owner owner;
	size_t size;

	err = tracefs__read(file, FILE_MAX, &text, &size);
	if (err)
		return err;
	/* "p:GROUP/NAME FUNC+0 …", "r16:GROUP/NAME …" */
	for (line = text; line; line = next) {
		char *name = strchr(line, ':');

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!name || strncmp(name + 1, PREFIX, strlen(PREFIX)))
			continue;
		name += 1 + strlen(PREFIX);
		name[strcspn(name, " ")] = '\0';
		/* the lines of an event go together */
		if (!strcmp(name, last))
			continue;
		last = name;
		if (own_lines__owner(name, &owner) && (only ? owner__is_same(&owner, only) : owner__is_known_dead(&owner))) {
			int failed = own_lines__remove(file, -1, name);

			/* -EBUSY: still in use; -ENOENT: somebody else was faster */
			if (!failed)
				removed++;
			else if (only && failed != -ENOENT)
				err = failed;
		}
	}
	free(text);
	return err ? err : removed;
}

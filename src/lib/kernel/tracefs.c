/* SPDX-License-Identifier: BSD-2-Clause */
#include "tracefs.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "file.h"
#include "lockdown.h"

static const char *mount_point;

const char *tracefs__mount_point(void)
{
	static const char *const candidates[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	int err = ENOENT;

	for (size_t i = 0; !mount_point && i < sizeof(candidates) / sizeof(*candidates); i++) {
		char events[64];

		/* The folder alone is there without a mount too. */
		snprintf(events, sizeof(events), "%s/events", candidates[i]);
		if (!access(events, R_OK | X_OK))
			mount_point = candidates[i];
		else if (errno == EACCES)
			err = EACCES;
	}
	if (!mount_point)
		errno = err;
	return mount_point;
}

void tracefs__use(const char *folder)
{
	mount_point = folder;
}

int tracefs__path(char *path, size_t size, const char *relative)
{
	const char *root = tracefs__mount_point();
	int length;

	if (!root)
		return -errno;
	length = snprintf(path, size, "%s/%s", root, relative);
	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

int tracefs__read(const char *relative, size_t size_max, char **text, size_t *size)
{
	char path[512];
	int err = tracefs__path(path, sizeof(path), relative);

	return err ? err : file__read(path, size_max, text, size);
}

bool tracefs__has_event(const char *event)
{
	char path[512], relative[256];
	int length = snprintf(relative, sizeof(relative), "events/%s/id", event);

	return length > 0 && (size_t)length < sizeof(relative) && !tracefs__path(path, sizeof(path), relative) &&
	       !access(path, F_OK);
}

const char *tracefs__why(int err)
{
	const char *locked_down = lockdown__why();

	if (locked_down)
		return locked_down;
	if (err == EACCES || err == -EACCES)
		return "tracefs may not be read by this user (run it with sudo)";
	return "tracefs is not mounted (mount -t tracefs tracefs /sys/kernel/tracing)";
}

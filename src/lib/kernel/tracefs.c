/* SPDX-License-Identifier: BSD-2-Clause */
#include "tracefs.h"

#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "kernel.h"
#include "lockdown.h"
#include "rights.h"

#define MADE_MAX (16 << 20)

static const char *mount_point;

/*
 * Somewhere that people do not usually mount it: the first one in /proc/self/mounts (proc(5)).  One without events is of no use:
 * a kernel that was booted locked down mounts an empty one.
 */
static const char *find_elsewhere(void)
{
	static char path[256];
	char events[sizeof(path) + 8];
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *mount;
	bool found = false;

	while (mounts && !found && (mount = getmntent(mounts))) {
		if (strcmp(mount->mnt_type, "tracefs") || strlen(mount->mnt_dir) >= sizeof(path))
			continue;
		strcpy(path, mount->mnt_dir);
		snprintf(events, sizeof(events), "%s/events", path);
		found = !file__may(events, R_OK | X_OK);
	}
	if (mounts)
		endmntent(mounts);
	return found ? path : NULL;
}

const char *tracefs__mount_point(void)
{
	static const char *const candidates[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	int err = ENOENT;

	for (size_t i = 0; !mount_point && i < sizeof(candidates) / sizeof(*candidates); i++) {
		char events[64];

		/* The folder alone is there without a mount too. */
		snprintf(events, sizeof(events), "%s/events", candidates[i]);
		switch (-file__may(events, R_OK | X_OK)) {
		case 0:
			mount_point = candidates[i];
			break;
		case EACCES:
			err = EACCES;
			break;
		}
	}
	if (!mount_point && err == ENOENT)
		mount_point = find_elsewhere();
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
	       !file__may(path, F_OK);
}

bool tracefs__has_event_since(const char *event, uint32_t release)
{
	return tracefs__mount_point() ? tracefs__has_event(event) : kernel__version() >= release;
}

char tracefs__made_kind(const char *event)
{
	static char *made;
	static bool looked;
	char name[256];
	size_t size;
	int length = snprintf(name, sizeof(name), ":%s", event);

	if (!looked && tracefs__read("dynamic_events", MADE_MAX, &made, &size) == -ENOENT)
		tracefs__read("kprobe_events", MADE_MAX, &made, &size);
	looked = true;
	/* "p:GROUP/NAME FUNC+0 …", "s:synthetic/NAME\tTYPE FIELD; …" */
	for (const char *at = made; at && (at = strstr(at, name)); at += length) {
		const char *line = at;

		while (line > made && line[-1] != '\n')
			line--;
		if (strchr(" \t\n", at[length]))
			return *line;
	}
	return '\0';
}

bool tracefs__is_made(const char *event)
{
	return tracefs__made_kind(event);
}

const char *tracefs__why(int err)
{
	const char *locked_down = lockdown__why_failed();
	static char text[160];

	if (locked_down)
		return locked_down;
	if (err == EROFS || err == -EROFS)
		return "tracefs is mounted read-only (mount -o remount,rw /sys/kernel/tracing)";
	if (err == EACCES || err == -EACCES)
		snprintf(text, sizeof(text), "tracefs may not be read by this user (%s)", rights__advice());
	else
		snprintf(text, sizeof(text), "tracefs is not mounted (%s)", rights__tracefs_advice());
	return text;
}

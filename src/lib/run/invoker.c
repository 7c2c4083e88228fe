/* SPDX-License-Identifier: BSD-2-Clause */
#include "invoker.h"

#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUPS_MAX 65536	/* NGROUPS_MAX, include/uapi/linux/limits.h */

/* 0, or -EINVAL: the text is no number of a user or group. */
static int parse_id(const char *text, uint32_t *id)
{
	unsigned long number;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	number = strtoul(text, &end, 10);
	/* (uid_t)-1 would leave the user as it is */
	if (*end || errno || number >= UINT32_MAX)
		return -EINVAL;
	*id = (uint32_t)number;
	return 0;
}

static bool is_member(const struct group *group, const char *user)
{
	for (char **member = group->gr_mem; *member; member++)
		if (!strcmp(*member, user))
			return true;
	return false;
}

/* The user's own group, and those of /etc/group that list the user.  0 or -errno. */
static int set_groups(const char *user, gid_t own)
{
	FILE *file = fopen("/etc/group", "re");
	gid_t *groups = malloc(GROUPS_MAX * sizeof(*groups));
	struct group *group;
	size_t count = 0;
	int err;

	if (groups)
		groups[count++] = own;
	while (groups && file && count < GROUPS_MAX && (group = fgetgrent(file)))
		if (group->gr_gid != own && is_member(group, user))
			groups[count++] = group->gr_gid;
	err = !groups ? -ENOMEM : setgroups(count, groups) ? -errno : 0;
	free(groups);
	if (file)
		fclose(file);
	return err;
}

/* A program that finds no HOME asks the system's user database itself; root's would be wrong. */
static void set_environment(const char *name, uint32_t uid)
{
	static const char *const of_root[] = {
		"HOME", "SHELL", "MAIL", "SUDO_COMMAND", "SUDO_USER", "SUDO_UID", "SUDO_GID", "SUDO_HOME",
	};
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd *user = NULL;

	while (file && (user = fgetpwent(file)) && user->pw_uid != uid)
		;
	setenv("USER", name, 1);
	setenv("LOGNAME", name, 1);
	for (size_t i = 0; i < sizeof(of_root) / sizeof(*of_root); i++)
		unsetenv(of_root[i]);
	if (user) {
		setenv("HOME", user->pw_dir, 1);
		setenv("SHELL", *user->pw_shell ? user->pw_shell : "/bin/sh", 1);
	}
	if (file)
		fclose(file);
}

int invoker__become(void)
{
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID"), *user = getenv("SUDO_USER");
	char name[256];
	uint32_t uid, gid;
	int err;

	if (geteuid() || !uid_text)
		return 0;
	if (parse_id(uid_text, &uid) || !gid_text || parse_id(gid_text, &gid))
		return -EINVAL;
	if (!uid)
		return 0;
	/* a copy: the environment changes */
	if (user)
		snprintf(name, sizeof(name), "%s", user);
	else
		snprintf(name, sizeof(name), "%u", uid);
	err = set_groups(name, gid);
	if (err)
		return err;
	if (setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -errno;
	set_environment(name, uid);
	return 0;
}

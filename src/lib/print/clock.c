/* SPDX-License-Identifier: BSD-2-Clause */
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "say.h"

static const int64_t NS_PER_SECOND = 1000000000;

int64_t clock__ns(clockid_t id)
{
	struct timespec time;

	if (clock_gettime(id, &time)) {
		say("the clock cannot be read: %s", strerror(errno));
		_exit(1);
	}
	return (int64_t)time.tv_sec * NS_PER_SECOND + time.tv_nsec;
}

int64_t clock__parse_offset(const char *text, const char *name)
{
	long long seconds, ns;

	for (const char *line = text; line; line = strchr(line, '\n'), line += !!line)
		if (!strncmp(line, name, strlen(name)) && sscanf(line + strlen(name), "%lld %lld", &seconds, &ns) == 2 &&
		    seconds < INT64_MAX / NS_PER_SECOND && seconds > -INT64_MAX / NS_PER_SECOND)
			return seconds * NS_PER_SECOND + ns;
	return 0;
}

/* timens_offsets is about the namespace of the children to come, which is mostly this process's own. */
bool clock__namespace_offset(const char *name, int64_t *ns)
{
	struct stat own, for_children;
	char text[256];
	ssize_t got;
	int fd;

	*ns = 0;
	if (stat("/proc/self/ns/time", &own))
		return errno == ENOENT;
	if (stat("/proc/self/ns/time_for_children", &for_children) || own.st_ino != for_children.st_ino)
		return false;
	fd = open("/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	*ns = clock__parse_offset(text, name);
	return true;
}

int64_t clock__kernel_ns(void)
{
	static bool is_known;
	static int64_t offset_ns;

	/* where nobody can tell it is taken for 0, which is right in the machine's first namespace */
	if (!is_known)
		clock__namespace_offset("monotonic", &offset_ns);
	is_known = true;
	return clock__ns(CLOCK_MONOTONIC) - offset_ns;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "advice.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define ON_THE_HOST "this is a container: run it on the host"

/* systemd.io/CONTAINER_INTERFACE: the variable and the file of nspawn and LXC; the others are docker's and podman's */
static bool is_container(void)
{
	static const char *const marks[] = { "/run/systemd/container", "/.dockerenv", "/run/.containerenv" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (!access(marks[i], F_OK))
			return true;
	return getenv("container");
}

const char *advice__for_rights(void)
{
	if (geteuid())
		return "run it with sudo";
	return is_container() ? ON_THE_HOST : "root has not all rights here, as in a container: run it on the host";
}

const char *advice__for_tracefs(void)
{
	return is_container() ? ON_THE_HOST : "mount -t tracefs tracefs /sys/kernel/tracing";
}

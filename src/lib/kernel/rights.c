/* SPDX-License-Identifier: BSD-2-Clause */
#include "rights.h"

#include <stdlib.h>
#include <unistd.h>

#include "file.h"

const char *rights__advice(void)
{
	return geteuid() ? "run it with sudo" : "in a container: run it on the host, or in a privileged one";
}

const char *rights__perf_advice(void)
{
	char paranoid[16];

	/* Debian and Ubuntu have levels above 2, which take CAP_SYS_ADMIN */
	if (!geteuid() && file__read_small("/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid)) > 0 && atoi(paranoid) > 2)
		return "sysctl kernel.perf_event_paranoid=2, or CAP_SYS_ADMIN";
	return rights__advice();
}

const char *rights__tracefs_advice(void)
{
	/* systemd.io/CONTAINER_INTERFACE: the variable and the file of nspawn and LXC; the others are docker's and podman's */
	static const char *const marks[] = { "/run/systemd/container", "/.dockerenv", "/run/.containerenv" };
	const char *in_container = getenv("container");

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (!access(marks[i], F_OK))
			in_container = marks[i];
	return in_container ? "this is a container: run it on the host" : "mount -t tracefs tracefs /sys/kernel/tracing";
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * in_time_namespace [-u] SECONDS COMMAND…: runs the command in a time namespace of its own, whose clocks since the boot are ahead by so
 * many seconds.  -u: only unshare(2), as `unshare -T` without -f: newer kernels enter the namespace with the exec, older ones
 * leave the command outside.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static void die(const char *what)
{
	perror(what);
	exit(125);
}

int main(int argc, char **argv)
{
	int only_unshare = argc > 1 && !strcmp(argv[1], "-u"), fd;
	char **args = argv + 1 + only_unshare;
	FILE *offsets;

	if (argc < 3 + only_unshare) {
		fprintf(stderr, "usage: in_time_namespace [-u] SECONDS COMMAND...\n");
		return 2;
	}
	if (unshare(CLONE_NEWTIME))
		die("unshare");
	offsets = fopen("/proc/self/timens_offsets", "w");
	if (!offsets || fprintf(offsets, "monotonic %s 0\nboottime %s 0\n", args[0], args[0]) < 0 || fclose(offsets))
		die("timens_offsets");
	fd = open("/proc/self/ns/time_for_children", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || (!only_unshare && setns(fd, CLONE_NEWTIME)))
		die("setns");
	execvp(args[1], args + 1);
	die(args[1]);
}

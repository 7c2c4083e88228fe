/* SPDX-License-Identifier: BSD-2-Clause */
/* What stat_calls and stat_compat share. */
#ifndef STAT_CALLS_H
#define STAT_CALLS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static char calls_comm[16];

static inline void die(const char *what)
{
	perror(what);
	exit(1);
}

/* result: 0, or -1 with errno.  fd, file, path: -1, NULL, NULL where the call has none. */
static inline void expect(long result, const char *call, int fd, const char *file, const char *path)
{
	printf("%d %u %s %s %d ", getpid(), getuid(), calls_comm, call, result ? errno : 0);
	if (fd == -1)
		printf("- ");
	else
		printf("%d ", fd);
	printf("%s %s\n", file ? file : "-", path ? path : "-");
}

/* Enters FOLDER; stdout keeps everything until the end, as writing asks for its attributes. */
static inline void start_calls(int argc, char **argv)
{
	if (argc != 2 || chdir(argv[1]) || prctl(PR_GET_NAME, calls_comm))
		die("a folder is expected");
	setvbuf(stdout, malloc(1 << 20), _IOFBF, 1 << 20);
}

#endif

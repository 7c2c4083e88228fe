/* SPDX-License-Identifier: BSD-2-Clause */
/* What sync_calls and sync_uring share. */
#ifndef SYNC_CALLS_H
#define SYNC_CALLS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static inline void die(const char *what)
{
	perror(what);
	exit(1);
}

/* fd, file: -1, NULL where the call has none.  "?" stands for the time that it took. */
static inline void expect_as(const char *comm, long result, const char *call, int fd, const char *file)
{
	printf("%d %u %s %s %ld ? ", getpid(), getuid(), comm, call, -result);
	if (fd == -1)
		printf("- ");
	else
		printf("%d ", fd);
	printf("%s\n", file ? file : "-");
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs share that open files and say which rows opensnoop must show for that. */
#ifndef OPEN_CALLS_H
#define OPEN_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "named.h"

static char calls_comm[16];

/* What openat2 is asked for beside the flags: "|RESOLVE_BENEATH". */
static const char *calls_how = "";

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static inline void start_calls(int argc, char **argv)
{
	if (argc != 2 || chdir(argv[1]) || prctl(PR_GET_NAME, calls_comm))
		die("usage: open_... FOLDER");
	/* printed at the end, all together: the calls are next to each other then */
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
}

/* result: a file descriptor or -errno. */
static inline void expect_row(long result, unsigned int flags, unsigned int mode, const char *path)
{
	printf("%d %u %s %ld %ld %s%s %#o %s\n", getpid(), getuid(), calls_comm, result < 0 ? -1 : result,
	       result < 0 ? -result : 0, named_open_flags(flags), calls_how, mode, path);
}

/* fd: of a call through syscall(2), -1 with errno on failure. */
static inline void opened(int fd, unsigned int flags, unsigned int mode, const char *path)
{
	expect_row(fd < 0 ? -errno : fd, flags, mode, path);
}

static inline void opened_and_close(int fd, unsigned int flags, unsigned int mode, const char *path)
{
	opened(fd, flags, mode, path);
	if (fd < 0)
		die(path);
	close(fd);
}

#endif

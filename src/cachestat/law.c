/* SPDX-License-Identifier: BSD-2-Clause */
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "law_workload.h"

/* A read of the only page of a file on ramfs, which has nothing to read ahead. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static int fd = -1;
	char byte;

	(void)writer;
	(void)index;
	(void)fail;
	if (fd < 0) {
		mkdir("/mnt", 0755);
		if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", "/mnt", "ramfs", 0, NULL))
			law_die("ramfs");
		fd = open("/mnt/law", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0 || ftruncate(fd, 4096))
			law_die("/mnt/law");
	}
	if (pread(fd, &byte, 1, 0) != 1)
		law_die("pread");
	return false;
}

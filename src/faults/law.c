/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "law_workload.h"

/* A fault of the only page of a file on ramfs, which is not in memory: the kernel reads it, though there is no disk. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static volatile char *byte;
	static int fd;
	char name[32];

	(void)index;
	(void)fail;
	if (!byte) {
		mkdir("/mnt", 0755);
		if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", "/mnt", "ramfs", 0, NULL))
			law_die("ramfs");
		snprintf(name, sizeof(name), "/mnt/law%u", writer);
		fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		byte = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
		if (fd < 0 || byte == MAP_FAILED)
			law_die(name);
	}
	if (ftruncate(fd, 0) || ftruncate(fd, 1))
		law_die("ftruncate");
	(void)*byte;
	return false;
}

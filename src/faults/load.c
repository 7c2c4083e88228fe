/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of a page that is not in memory: the only one of a file on ramfs.  COUNT [WRITERS [RATE]], as work.h says. */
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "work.h"

static volatile char *page;
static int fd;

static void fault(void)
{
	if (ftruncate(fd, 0) || ftruncate(fd, 1))
		exit(1);
	(void)*page;
}

static void map_file(void)
{
	mkdir("/mnt", 0755);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", "/mnt", "ramfs", 0, NULL))
		exit(1);
	fd = open("/mnt/load", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	page = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || page == MAP_FAILED)
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, map_file, fault);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a page that is in the page cache: the only one of a file on ramfs.  COUNT [WRITERS [RATE]], as work.h says. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "work.h"

static int fd;

static void read_page(void)
{
	char byte;

	if (pread(fd, &byte, 1, 0) != 1)
		exit(1);
}

static void make_file(void)
{
	mkdir("/mnt", 0755);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", "/mnt", "ramfs", 0, NULL))
		exit(1);
	fd = open("/mnt/load", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, 1))
		exit(1);
	read_page();
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, make_file, read_page);
}

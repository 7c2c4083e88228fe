/* SPDX-License-Identifier: BSD-2-Clause */
/* The load of tools that see reads of files: of an empty file in memory.  COUNT [WRITERS [RATE]], as work.h says. */
#ifndef FILE_H
#define FILE_H

#include <sys/mman.h>

#include "work.h"

static int fd;

static void make_file(void)
{
	fd = memfd_create(WORK_MARKER, 0);
}

static void read_file(void)
{
	char byte;

	if (pread(fd, &byte, 1, 0))
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, make_file, read_file);
}

#endif

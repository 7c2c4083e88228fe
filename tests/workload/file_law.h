/* SPDX-License-Identifier: BSD-2-Clause */
/* The law's workload of tools that see reads and writes of files (law_workload.h): a law.c is this header alone. */
#ifndef FILE_LAW_H
#define FILE_LAW_H

#include <sys/mman.h>

#include "law_workload.h"

/* A read or a write of a file in memory, which nobody has to open; at a negative offset it fails. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static int fd = -1;
	char bytes[16] = "";
	long offset = fail ? -1 : 0;

	(void)writer;
	if (fd < 0)
		fd = memfd_create("law", 0);
	return (index % 2 ? pwrite(fd, bytes, sizeof(bytes), offset) : pread(fd, bytes, sizeof(bytes), offset)) < 0;
}

#endif

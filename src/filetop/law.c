/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/mman.h>

#include "law_workload.h"

/* A read or a write of a file in memory, which nobody has to open; one that fails is no event. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static int fd = -1;
	char bytes[16] = "";

	(void)writer;
	(void)fail;
	if (fd < 0)
		fd = memfd_create("law", 0);
	if ((index % 2 ? pwrite(fd, bytes, sizeof(bytes), 0) : pread(fd, bytes, sizeof(bytes), 0)) < 0)
		law_die("memfd");
	return false;
}

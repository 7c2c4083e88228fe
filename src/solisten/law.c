/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/socket.h>

#include "law_workload.h"

/* A socket listens, the first time or once more; no descriptor at all does. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static int fd;

	(void)writer;
	(void)index;
	if (!fd)
		fd = socket(AF_INET, SOCK_STREAM, 0);
	return listen(fail ? -1 : fd, 1);
}

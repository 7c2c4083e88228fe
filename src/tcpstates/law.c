/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/socket.h>

#include "law_workload.h"

/* One change: of a socket that begins to listen, or that is closed. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static int fd;

	(void)writer;
	(void)fail;
	if (index % 2) {
		close(fd);
		return false;
	}
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0 || listen(fd, 1))
		law_die("listen");
	return false;
}

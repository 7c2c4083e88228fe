/* SPDX-License-Identifier: BSD-2-Clause */
#include <netinet/in.h>
#include <sys/socket.h>

#include "law_workload.h"

/* A socket is bound to any port of the machine itself; no descriptor at all is bound. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	struct sockaddr_in local = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = fail ? -1 : socket(AF_INET, SOCK_DGRAM, 0);
	bool failed = bind(fd, (struct sockaddr *)&local, sizeof(local));

	(void)writer;
	(void)index;
	if (fd >= 0)
		close(fd);
	return failed;
}

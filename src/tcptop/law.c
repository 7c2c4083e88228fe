/* SPDX-License-Identifier: BSD-2-Clause */
#include <netinet/tcp.h>

#include "law_workload.h"
#include "tcp_self.h"

/* A byte that a connection sends to itself, and the read of it, in turn; what fails is no event. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static struct sockaddr_in address;
	static int fd = -1, one = 1;
	char byte = 0;

	(void)writer;
	(void)fail;
	if (fd < 0) {
		fd = tcp_bound(&address);
		if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) ||
		    connect(fd, (struct sockaddr *)&address, sizeof(address)))
			law_die("connect");
	}
	if ((index % 2 ? read(fd, &byte, 1) : write(fd, &byte, 1)) != 1)
		law_die("connection");
	return false;
}

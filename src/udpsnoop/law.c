/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "law_workload.h"

/* A byte to the discard port, where nobody listens; more than a datagram can have. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static char data[70000];
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	static int fd = -1;

	(void)writer;
	(void)index;
	if (fd < 0)
		fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (fail) {
		if (sendto(fd, data, sizeof(data), 0, (struct sockaddr *)&to, sizeof(to)) >= 0 || errno != EMSGSIZE)
			law_die("too long");
		return true;
	}
	if (sendto(fd, data, 1, 0, (struct sockaddr *)&to, sizeof(to)) != 1)
		law_die("sendto");
	return false;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "law_workload.h"
#include "tcp_self.h"

/* One connection: of a socket with itself, or to a port that nobody listens on. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	struct sockaddr_in address;
	int holder, fd;

	(void)writer;
	(void)index;
	if (!fail) {
		if (tcp_self_connect())
			law_die("connect");
		return false;
	}
	holder = tcp_bound(&address);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (holder < 0 || !connect(fd, (struct sockaddr *)&address, sizeof(address)) || errno != ECONNREFUSED)
		law_die("refused");
	close(fd);
	close(holder);
	return true;
}

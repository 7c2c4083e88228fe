/* SPDX-License-Identifier: BSD-2-Clause */
#include "law_workload.h"
#include "tcp_self.h"

/* One connection to the writer's own listener, which it accepts. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static struct sockaddr_in address;
	static int listener;
	int from, to;

	(void)writer;
	(void)index;
	(void)fail;
	if (!listener) {
		listener = tcp_bound(&address);
		if (listener < 0 || listen(listener, 1))
			law_die("listen");
	}
	from = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(from, (struct sockaddr *)&address, sizeof(address)))
		law_die("connect");
	to = accept(listener, NULL, NULL);
	if (to < 0)
		law_die("accept");
	/* it resets the connection, as its listener was told: no port waits in TIME_WAIT */
	close(to);
	close(from);
	return false;
}

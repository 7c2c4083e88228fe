/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "law_workload.h"
#include "socket_drops.h"
#include "tcp_self.h"

/* A listener with room for that many connections and one more. */
static int listen_at(struct sockaddr_in *address, int backlog)
{
	int fd = tcp_bound(address);

	if (fd < 0 || listen(fd, backlog))
		law_die("listen");
	return fd;
}

static int connect_to(const struct sockaddr_in *address, int flags)
{
	int fd = socket(AF_INET, SOCK_STREAM | flags, 0);

	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) && errno != EINPROGRESS)
		law_die("connect");
	return fd;
}

/*
 * One connection to the writer's own listener, which it accepts.  One that fails: to a listener whose queue is full; the SYN is not sent
 * again, as the socket is closed at once.  It may arrive later, by ksoftirqd, so the writer waits for the drop.
 */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static struct sockaddr_in open, full;
	static int listener, full_listener;
	static unsigned int drops;
	static bool is_full;
	int from, to;

	(void)writer;
	(void)index;
	if (!listener) {
		listener = listen_at(&open, 1);
		full_listener = listen_at(&full, 0);
	}
	if (fail && !is_full) {
		/* it takes the room, and stays */
		connect_to(&full, 0);
		is_full = true;
		return false;
	}
	if (fail) {
		close(connect_to(&full, SOCK_NONBLOCK));
		socket_drops__wait(full_listener, ++drops);
		return true;
	}
	from = connect_to(&open, 0);
	to = accept(listener, NULL, NULL);
	if (to < 0)
		law_die("accept");
	/* it resets the connection, as its listener was told: no port waits in TIME_WAIT */
	close(to);
	close(from);
	return false;
}

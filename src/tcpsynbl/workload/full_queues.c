/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * full_queues: listeners whose queues get full, each in another way; it accepts nothing.  Prints "NAME PORT" of each, and DROPPED of the last one.
 *
 *	acks6	room for one; three connections that are asked for while there is room for more, and established when there is not: with
 *		TCP_DEFER_ACCEPT the byte that follows ends the handshake.  The first one gets in.
 *	mapped	the same over IPv4, to a socket of IPv6
 *	syns	room for two or three, as the kernel has it, and four connections, one after the other, whose handshake does not end:
 *		the others are dropped without cookies
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "socket_drops.h"
#include "tcp_listen.h"

/* Room for one more connection than the backlog says, and no handshake ends before a byte comes. */
static int listen_deferred(const char *name, const struct in6_addr *at, int backlog, struct sockaddr_in6 *address)
{
	int fd = socket(AF_INET6, SOCK_STREAM, 0), seconds = 30, off = 0;
	socklen_t size = sizeof(*address);

	*address = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_addr = *at };
	if (fd < 0 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof(seconds)) || bind(fd, (struct sockaddr *)address, size) ||
	    getsockname(fd, (struct sockaddr *)address, &size) || listen(fd, backlog))
		die("listen");
	printf("%s %u", name, ntohs(address->sin6_port));
	return fd;
}

static int ask(const struct sockaddr_in6 *address)
{
	struct linger reset = { .l_onoff = 1 };
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) ||
	    (connect(fd, (const struct sockaddr *)address, sizeof(*address)) && errno != EINPROGRESS))
		die("connect");
	return fd;
}

/* What the kernel has counted. */
static unsigned long listen_overflows(void)
{
	char names[8192], values[8192], *name, *value, *next_name = names, *next_value = values;
	FILE *file = fopen("/proc/net/netstat", "re");

	if (!file || !fgets(names, sizeof(names), file) || !fgets(values, sizeof(values), file))
		die("/proc/net/netstat");
	fclose(file);
	while ((name = strsep(&next_name, " ")) && (value = strsep(&next_value, " ")))
		if (!strcmp(name, "ListenOverflows"))
			return strtoul(value, NULL, 10);
	die("ListenOverflows");
	return 0;
}

/*
 * Returns when the kernel is done with so many connections that were asked for: it drops the SYN, or it takes the SYN and drops the ACK,
 * which it need not have before a byte comes; or it has sent a cookie, and the ACK makes the connection at once.
 */
static void wait_for(int listener, uint32_t count)
{
	struct tcp_info info = { .tcpi_unacked = 0 };
	socklen_t size = sizeof(info);

	/* of a listener: how many wait to be accepted */
	while (!getsockopt(listener, IPPROTO_TCP, TCP_INFO, &info, &size) && socket_drops(listener) + info.tcpi_unacked < count)
		usleep(1000);
}

static void fill_by_acks(const char *name, const struct in6_addr *at)
{
	struct sockaddr_in6 address;
	int listener = listen_deferred(name, at, 8, &address), from[3];
	unsigned long before = listen_overflows();

	for (int i = 0; i < 3; i++)
		from[i] = ask(&address);
	wait_for(listener, 3);
	if (listen(listener, 0))
		die("listen");
	for (int i = 0; i < 3; i++)
		if (write(from[i], "", 1) != 1)
			die("write");
	while (listen_overflows() < before + 2)
		usleep(1000);
	printf("\n");
	/* before anything is sent again */
	for (int i = 0; i < 3; i++)
		close(from[i]);
	close(listener);
}

static void fill_by_syns(const char *name, const struct in6_addr *at)
{
	struct sockaddr_in6 address;
	int listener = listen_deferred(name, at, 2, &address), from[4], dropped = 0;

	for (int i = 0; i < 4; i++) {
		from[i] = ask(&address);
		wait_for(listener, (uint32_t)i + 1);
	}
	for (int i = 0; i < 4; i++) {
		struct pollfd made = { .fd = from[i], .events = POLLOUT };

		dropped += !poll(&made, 1, 0);
	}
	printf(" %d\n", dropped);
	for (int i = 0; i < 4; i++)
		close(from[i]);
	close(listener);
}

int main(void)
{
	struct in6_addr mapped;

	inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped);
	fill_by_acks("acks6", &in6addr_loopback);
	fill_by_acks("mapped", &mapped);
	fill_by_syns("syns", &in6addr_loopback);
	return 0;
}

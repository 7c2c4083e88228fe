/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments on an established TCP connection over lo, whose number is known: one byte of data, and its acknowledgement.
 *
 * The receiver acknowledges at once, after some milliseconds, or when TCP_QUICKACK is set, whichever comes first, and once.
 */
#ifndef TCP_SEGMENTS_H
#define TCP_SEGMENTS_H

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Two ends of a connection to an address (127.0.0.1 or ::1); from[1] listens no more. 0, or -1 with errno set. */
static inline int tcp_segments_connect(int family, int *from, int *to)
{
	struct sockaddr_in6 address = { .sin6_family = (sa_family_t)family };
	struct sockaddr_in *v4 = (struct sockaddr_in *)&address;
	int listener = socket(family, SOCK_STREAM, 0), one = 1;
	socklen_t length = family == AF_INET ? sizeof(*v4) : sizeof(address);

	if (family == AF_INET)
		v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		address.sin6_addr = in6addr_loopback;
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) ||
	    getsockname(listener, (struct sockaddr *)&address, &length) || listen(listener, 1))
		return -1;
	*from = socket(family, SOCK_STREAM, 0);
	if (*from < 0 || setsockopt(*from, SOL_TCP, TCP_NODELAY, &one, sizeof(one)) ||
	    connect(*from, (struct sockaddr *)&address, length))
		return -1;
	*to = accept(listener, NULL, NULL);
	close(listener);
	return *to < 0 ? -1 : 0;
}

/* A byte of data, which the other end receives. 0, or -1. */
static inline int tcp_segments_send(int from)
{
	return write(from, "", 1) == 1 ? 0 : -1;
}

/* Its acknowledgement, which the first end has received when this returns. 0, or -1. */
static inline int tcp_segments_acknowledge(int from, int to)
{
	int one = 1, waiting;
	char byte;

	if (read(to, &byte, 1) != 1 || setsockopt(to, SOL_TCP, TCP_QUICKACK, &one, sizeof(one)))
		return -1;
	for (;;) {
		if (ioctl(from, SIOCOUTQ, &waiting))
			return -1;
		if (!waiting)
			return 0;
		sched_yield();
	}
}

#endif

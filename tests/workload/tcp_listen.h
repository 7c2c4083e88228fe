/* SPDX-License-Identifier: BSD-2-Clause */
/* A listener on loopback, and the end of a workload that cannot go on. */
#ifndef TCP_LISTEN_H
#define TCP_LISTEN_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

static inline void die(const char *what)
{
	perror(what);
	exit(1);
}

/*
 * A listener at 127.0.0.1 (AF_INET) or ::1, at a port that the kernel chooses; its address, in *address, has *size bytes.  Ends the
 * workload if there is none.
 */
static inline int tcp_listen(int family, int backlog, struct sockaddr_in6 *address, socklen_t *size)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)address;
	int listener = socket(family, SOCK_STREAM, 0);

	*address = (struct sockaddr_in6){ .sin6_family = (sa_family_t)family };
	*size = family == AF_INET ? sizeof(*v4) : sizeof(*address);
	if (family == AF_INET)
		v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		address->sin6_addr = in6addr_loopback;
	if (listener < 0 || bind(listener, (struct sockaddr *)address, *size) ||
	    getsockname(listener, (struct sockaddr *)address, size) || listen(listener, backlog))
		die("listen");
	return listener;
}

#endif

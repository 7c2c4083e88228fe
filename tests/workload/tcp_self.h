/* SPDX-License-Identifier: BSD-2-Clause */
/* A TCP connection of a socket with itself: one socket, one connection, and no other end that makes events too. */
#ifndef TCP_SELF_H
#define TCP_SELF_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* A socket bound to a port of 127.0.0.1 that the kernel chooses, which is in *address.  It resets its connection when closed. */
static inline int tcp_bound(struct sockaddr_in *address)
{
	struct linger reset = { .l_onoff = 1 };
	socklen_t length = sizeof(*address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) ||
	    bind(fd, (struct sockaddr *)address, sizeof(*address)) || getsockname(fd, (struct sockaddr *)address, &length))
		return -1;
	return fd;
}

/* 0, or -1 with errno set. */
static inline int tcp_self_connect(void)
{
	struct sockaddr_in address;
	int fd = tcp_bound(&address), err;

	err = fd < 0 ? -1 : connect(fd, (struct sockaddr *)&address, sizeof(address));
	if (fd >= 0)
		close(fd);
	return err;
}

#endif

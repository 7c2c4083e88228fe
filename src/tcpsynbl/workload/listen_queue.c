/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listen_queue CONNECTS: a listener of 127.0.0.1 and one of ::1, whose queues have room for two connections (backlog 1), and that accept
 * none; so many connects to each.  Prints, as the kernel's function that gets the SYNs finds the queues, "PORT LIMIT LENGTH SYNS".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "socket_drops.h"
#include "tcp_listen.h"

static void fill(int family, int connects)
{
	struct sockaddr_in6 address;
	socklen_t size;
	int listener = tcp_listen(family, 1, &address, &size);

	for (int i = 0; i < connects; i++) {
		int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK, 0);

		if (fd < 0 || (connect(fd, (struct sockaddr *)&address, size) && errno != EINPROGRESS))
			die("connect");
	}
	socket_drops__wait(listener, (uint32_t)connects - 2);
	for (int length = 0; length < 3; length++)
		printf("%u 1 %d %d\n", ntohs(address.sin6_port), length, length < 2 ? 1 : connects - 2);
}

int main(int argc, char **argv)
{
	int connects = argc > 1 ? atoi(argv[1]) : 0;

	if (connects < 3)
		return 2;
	fill(AF_INET, connects);
	fill(AF_INET6, connects);
	return 0;
}

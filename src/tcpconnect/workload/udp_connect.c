/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connects UDP sockets over IPv4, IPv6 and to a mapped address, and one to an address that there is no route to.  A line for
 * each: "COMM IP LADDR LPORT RADDR RPORT ERR".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The addresses are as the tool shows them; local is of a socket that is bound before. */
static int try(int family, const char *local, const char *remote, const char *shown_local, const char *shown_remote, int err)
{
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 }, from;
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr *address = family == AF_INET ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;
	socklen_t length = family == AF_INET ? sizeof(v4) : sizeof(v6);
	int fd = socket(family, SOCK_DGRAM, 0), failed;

	inet_pton(family, local, family == AF_INET ? (void *)&v4.sin_addr : (void *)&v6.sin6_addr);
	if (fd < 0 || bind(fd, address, length) || getsockname(fd, (struct sockaddr *)&from, &length))
		return 1;
	inet_pton(family, remote, family == AF_INET ? (void *)&v4.sin_addr : (void *)&v6.sin6_addr);
	v4.sin_port = v6.sin6_port = htons(53);
	failed = connect(fd, address, length) ? errno : 0;
	close(fd);
	/* the port is at the same place in both kinds of addresses */
	printf("udp_connect %d %s %u %s 53 %d\n", strchr(shown_remote, ':') ? 6 : 4, shown_local, ntohs(from.sin6_port), shown_remote,
	       failed);
	return failed != err;
}

int main(void)
{
	return try(AF_INET, "127.0.0.1", "127.0.0.2", "127.0.0.1", "127.0.0.2", 0) ||
	       try(AF_INET6, "::1", "::1", "::1", "::1", 0) ||
	       try(AF_INET6, "::ffff:127.0.0.1", "::ffff:127.0.0.3", "127.0.0.1", "127.0.0.3", 0) ||
	       try(AF_INET, "127.0.0.1", "192.0.2.1", "127.0.0.1", "192.0.2.1", ENETUNREACH);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ends_calls connect|drop|lose: connections or packets with ports that are the same each time, in a network namespace of its own: from
 * 7101 and 7102 to 7001 and 7002, over IPv4, IPv6 and to a mapped address.  Prints how many.
 *
 * connect: TCP connections that are accepted, and reset.  drop: datagrams to sockets with a filter that drops them.  lose: SYNs that are
 * lost in the same way, until each was sent once more.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "socket_drops.h"

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void new_netns(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd;

	if (unshare(CLONE_NEWNET))
		die("unshare");
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (ioctl(fd, SIOCSIFFLAGS, &request))
		die("lo");
	close(fd);
}

struct end {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} address;
	socklen_t size;
	int fd;
};

static struct end end_at(int type, const char *text, uint16_t port)
{
	struct end end = { 0 };
	int on = 1;

	if (inet_pton(AF_INET, text, &end.address.v4.sin_addr) == 1) {
		end.address.v4.sin_family = AF_INET;
		end.address.v4.sin_port = htons(port);
		end.size = sizeof(end.address.v4);
	} else {
		inet_pton(AF_INET6, text, &end.address.v6.sin6_addr);
		end.address.v6.sin6_family = AF_INET6;
		end.address.v6.sin6_port = htons(port);
		end.size = sizeof(end.address.v6);
	}
	end.fd = socket(end.address.any.sa_family, type, 0);
	if (end.fd < 0 || setsockopt(end.fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) || bind(end.fd, &end.address.any, end.size))
		die(text);
	return end;
}

static void drop_all(int fd)
{
	struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog program = { .len = 1, .filter = &nothing };

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)))
		die("filter");
}

static void connect_and_reset(const char *text, uint16_t from_port, uint16_t to_port)
{
	struct end from = end_at(SOCK_STREAM, text, from_port), to = end_at(SOCK_STREAM, text, to_port);
	struct linger reset = { .l_onoff = 1 };
	char byte;
	int fd;

	if (listen(to.fd, 1) || connect(from.fd, &to.address.any, to.size))
		die("connect");
	fd = accept(to.fd, NULL, NULL);
	if (fd < 0 || setsockopt(from.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)))
		die("accept");
	close(from.fd);
	if (read(fd, &byte, 1) >= 0 || errno != ECONNRESET)
		die("no reset");
	close(fd);
	close(to.fd);
}

static void drop_datagram(const char *text, uint16_t from_port, uint16_t to_port)
{
	struct end from = end_at(SOCK_DGRAM, text, from_port), to = end_at(SOCK_DGRAM, text, to_port);

	drop_all(to.fd);
	if (sendto(from.fd, "", 1, 0, &to.address.any, to.size) != 1)
		die("sendto");
	socket_drops__wait(to.fd, 1);
	close(from.fd);
	close(to.fd);
}

static bool is_sent_again(int fd)
{
	struct tcp_info info;
	socklen_t size = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		die("TCP_INFO");
	return info.tcpi_total_retrans;
}

static int lose_syn(const char *text, uint16_t from_port, uint16_t to_port)
{
	struct end from = end_at(SOCK_STREAM, text, from_port), to = end_at(SOCK_STREAM, text, to_port);
	int nonblocking = 1;

	drop_all(to.fd);
	if (listen(to.fd, 1) || ioctl(from.fd, FIONBIO, &nonblocking) || !connect(from.fd, &to.address.any, to.size) ||
	    errno != EINPROGRESS)
		die("connect");
	/* the next one may have the same port; this one stays */
	return from.fd;
}

int main(int argc, char **argv)
{
	static const char *const texts[] = { "127.0.0.1", "::1", "::ffff:127.0.0.2" };
	const char *kind = argc > 1 ? argv[1] : "";
	int fds[16], count = 0;

	new_netns();
	for (int i = 0; i < 3; i++) {
		for (uint16_t port = 0; port < 4; port++) {
			uint16_t from = 7101 + port % 2, to = 7001 + port / 2;

			if (!strcmp(kind, "connect")) {
				connect_and_reset(texts[i], from, to);
				count++;
			} else if (!strcmp(kind, "drop")) {
				drop_datagram(texts[i], from, to);
				count++;
			} else if (!strcmp(kind, "lose")) {
				/* each port is listened on once */
				if (port == 0 || port == 3)
					fds[count++] = lose_syn(texts[i], from, to);
			} else {
				die(kind);
			}
		}
	}
	for (int i = 0; !strcmp(kind, "lose") && i < count; i++)
		while (!is_sent_again(fds[i]))
			usleep(1000);
	printf("%d\n", count);
	return 0;
}

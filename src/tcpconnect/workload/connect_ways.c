/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * connect_ways [PORT]: connections that no connect(2) makes, over IPv4 and IPv6, in a network namespace of its own: by TCP Fast Open, with
 * data in the SYN (to PORT), and by io_uring.  Lines as of tcp_calls: "client PID COMM IP LADDR LPORT RADDR RPORT 0 0 NETNS fin".
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "uring.h"

/* The port is at the same place in both kinds of addresses. */
static struct sockaddr_in6 at;
static unsigned long netns;

static int listen_at(const char *text, unsigned short port)
{
	int family = strchr(text, ':') ? AF_INET6 : AF_INET, fd = socket(family, SOCK_STREAM, 0), length = 1;
	struct sockaddr_in *v4 = (struct sockaddr_in *)&at;
	socklen_t size = sizeof(at);

	memset(&at, 0, sizeof(at));
	at.sin6_family = (sa_family_t)family;
	at.sin6_port = htons(port);
	inet_pton(family, text, family == AF_INET ? (void *)&v4->sin_addr : (void *)&at.sin6_addr);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN, &length, sizeof(length)) ||
	    listen(fd, 4) || getsockname(fd, (struct sockaddr *)&at, &size))
		uring_die(text);
	return fd;
}

static void print_client(int fd, const char *text)
{
	struct sockaddr_in6 local;
	socklen_t size = sizeof(local);
	char comm[16];

	prctl(PR_GET_NAME, comm);
	if (getsockname(fd, (struct sockaddr *)&local, &size))
		uring_die("getsockname");
	printf("client %d %s %d %s %u %s %u 0 0 %lu fin\n", getpid(), comm, strchr(text, ':') ? 6 : 4, text, ntohs(local.sin6_port), text,
	       ntohs(at.sin6_port), netns);
}

static void fast_open(const char *text, unsigned short port)
{
	int listener = listen_at(text, port), from = socket(at.sin6_family, SOCK_STREAM, 0);
	char byte = 0;

	if (sendto(from, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&at, sizeof(at)) != 1)
		uring_die("MSG_FASTOPEN");
	print_client(from, text);
	if (read(accept(listener, NULL, NULL), &byte, 1) != 1 || byte != 'x')
		uring_die("Fast Open: no data");
	close(from);
	close(listener);
}

static void by_uring(const char *text)
{
	int listener = listen_at(text, 0), from = socket(at.sin6_family, SOCK_STREAM, 0);
	struct io_uring_sqe sqe = { .opcode = IORING_OP_CONNECT, .fd = from, .addr = (unsigned long)&at, .off = sizeof(at) };

	if (uring_submit(&sqe))
		uring_die("IORING_OP_CONNECT");
	print_client(from, text);
	close(from);
	close(listener);
}

int main(int argc, char **argv)
{
	/* both sides, and neither asks for a cookie (TFO_CLIENT_NO_COOKIE, TFO_SERVER_COOKIE_NOT_REQD) */
	static const char both[] = "519";
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	unsigned short port = argc > 1 ? (unsigned short)atoi(argv[1]) : 0;
	struct stat ns;
	int fd;

	if (unshare(CLONE_NEWNET) || stat("/proc/self/ns/net", &ns))
		uring_die("unshare");
	netns = ns.st_ino;
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (ioctl(fd, SIOCSIFFLAGS, &request))
		uring_die("lo");
	close(fd);
	fd = open("/proc/sys/net/ipv4/tcp_fastopen", O_WRONLY);
	if (fd < 0 || write(fd, both, strlen(both)) < 0)
		uring_die("tcp_fastopen");
	close(fd);
	fast_open("127.0.0.1", port);
	fast_open("::1", port);
	uring_make(0);
	by_uring("127.0.0.1");
	by_uring("::1");
	return 0;
}

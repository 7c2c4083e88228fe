/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * retrans_calls: connections, in a network namespace of their own, that lose what they send: their receiver's socket has a filter
 * that drops it.  A line for each: "segment IP LADDR LPORT RADDR RPORT COUNT", with the sender's own count of segments that it
 * sent again.  Then "synack IP LADDR LPORT RADDR RPORT", of a listener whose answer was lost.
 *
 * retrans_calls syn COUNT: so many sockets whose SYN is lost (the listener's queue is full), and once more; "syn COUNT NETNS".
 *
 * retrans_calls unsent: a SYN that is lost, and cannot be sent again, for there is no route any more; "unsent RPORT".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned long netns;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void set_lo(short flags)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = flags };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
		die("lo");
	close(fd);
}

static void new_netns(void)
{
	struct stat ns;
	int fd;

	if (unshare(CLONE_NEWNET) || stat("/proc/self/ns/net", &ns))
		die("unshare");
	netns = ns.st_ino;
	set_lo(IFF_UP);
	/* since 6.5 the first four do not count for TCP_SYNCNT */
	fd = open("/proc/sys/net/ipv4/tcp_syn_linear_timeouts", O_WRONLY);
	if (fd >= 0 && write(fd, "0", 1) != 1)
		die("tcp_syn_linear_timeouts");
	if (fd >= 0)
		close(fd);
}

static void set_filter(int fd, bool drop)
{
	struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog program = { .len = 1, .filter = &nothing };
	int unused = 0;

	if (drop ? setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) :
		   setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof(unused)))
		die("filter");
}

static unsigned int retransmissions(int fd)
{
	struct tcp_info info;
	socklen_t size = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		die("TCP_INFO");
	return info.tcpi_total_retrans;
}

static void print_ends(const char *what, int fd, bool peer_first, const char *shown)
{
	struct sockaddr_in6 ends[2];
	socklen_t size = sizeof(*ends);

	/* the port is at the same place in both kinds of addresses */
	if (getsockname(fd, (struct sockaddr *)&ends[peer_first], &size))
		die("getsockname");
	size = sizeof(*ends);
	if (getpeername(fd, (struct sockaddr *)&ends[!peer_first], &size))
		die("getpeername");
	printf("%s %d %s %u %s %u", what, strchr(shown, ':') ? 6 : 4, shown, ntohs(ends[0].sin6_port), shown, ntohs(ends[1].sin6_port));
}

static int listener_at(int family, const char *address, struct sockaddr_storage *at, socklen_t *size)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)at;
	struct sockaddr_in *v4 = (struct sockaddr_in *)at;
	int fd = socket(family, SOCK_STREAM, 0);

	memset(at, 0, sizeof(*at));
	at->ss_family = (sa_family_t)family;
	*size = family == AF_INET ? sizeof(*v4) : sizeof(*v6);
	inet_pton(family, address, family == AF_INET ? (void *)&v4->sin_addr : (void *)&v6->sin6_addr);
	if (fd < 0 || bind(fd, (struct sockaddr *)at, *size) || listen(fd, 4) || getsockname(fd, (struct sockaddr *)at, size))
		die("listen");
	return fd;
}

/* Data that does not arrive until it was sent again twice. */
static void lose_data(int family, const char *address, const char *shown)
{
	struct sockaddr_storage at;
	socklen_t size;
	int listener = listener_at(family, address, &at, &size), from = socket(family, SOCK_STREAM, 0), to;
	char byte = 0;

	if (connect(from, (struct sockaddr *)&at, size))
		die("connect");
	to = accept(listener, NULL, NULL);
	set_filter(to, true);
	if (write(from, &byte, 1) != 1)
		die("write");
	while (retransmissions(from) < 2)
		usleep(1000);
	set_filter(to, false);
	if (read(to, &byte, 1) != 1)
		die("read");
	/* until it is acknowledged */
	for (int left = 1; left;) {
		if (ioctl(from, TIOCOUTQ, &left))
			die("TIOCOUTQ");
		usleep(1000);
	}
	print_ends("segment", from, false, shown);
	printf(" %u\n", retransmissions(from));
	close(from);
	close(to);
	close(listener);
}

/* The listener's answer does not arrive until the first SYN was sent again, which it answers again. */
static void lose_synack(int family, const char *address, const char *shown)
{
	struct sockaddr_storage at;
	socklen_t size;
	int listener = listener_at(family, address, &at, &size), from = socket(family, SOCK_STREAM | SOCK_NONBLOCK, 0), err;
	struct pollfd poll_fd = { .fd = from, .events = POLLOUT };
	socklen_t err_size = sizeof(err);

	set_filter(from, true);
	if (!connect(from, (struct sockaddr *)&at, size) || errno != EINPROGRESS)
		die("connect");
	while (!retransmissions(from))
		usleep(1000);
	set_filter(from, false);
	poll(&poll_fd, 1, -1);
	if (getsockopt(from, SOL_SOCKET, SO_ERROR, &err, &err_size) || err)
		die("not connected");
	print_ends("synack", from, true, shown);
	printf("\n");
	close(from);
	close(listener);
}

/* The address of a listener whose queue is full. */
static void full_listener(struct sockaddr_storage *at, socklen_t *size)
{
	int fd = listener_at(AF_INET, "127.0.0.1", at, size), full = socket(AF_INET, SOCK_STREAM, 0);
	/* its end is not one more packet that is sent again and again */
	struct linger reset = { .l_onoff = 1 };

	if (setsockopt(full, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) || listen(fd, 0) || connect(full, (struct sockaddr *)at, *size))
		die("listen");
}

static void lose_syns(unsigned int count)
{
	struct rlimit limit = { .rlim_cur = count + 64, .rlim_max = count + 64 };
	int *fds = calloc(count, sizeof(*fds)), once = 1;
	struct sockaddr_storage at;
	socklen_t size;

	setrlimit(RLIMIT_NOFILE, &limit);
	full_listener(&at, &size);
	for (unsigned int i = 0; i < count; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		if (fds[i] < 0 || setsockopt(fds[i], IPPROTO_TCP, TCP_SYNCNT, &once, sizeof(once)) ||
		    !connect(fds[i], (struct sockaddr *)&at, size) || errno != EINPROGRESS)
			die("connect");
	}
	for (unsigned int i = 0; i < count; i++) {
		struct pollfd poll_fd = { .fd = fds[i], .events = POLLOUT };
		socklen_t err_size = sizeof(int);
		int err;

		poll(&poll_fd, 1, -1);
		if (getsockopt(fds[i], SOL_SOCKET, SO_ERROR, &err, &err_size) || err != ETIMEDOUT)
			die("no timeout");
	}
	printf("syn %u %lu\n", count, netns);
}

/* Takes the address of lo away: it has no route any more, and nothing can be sent from it. */
static void lose_address(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_addr.sa_family = AF_INET };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFADDR, &request))
		die("SIOCSIFADDR");
	close(fd);
}

static void lose_route(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), once = 1;
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	struct sockaddr_storage at;
	socklen_t size;

	full_listener(&at, &size);
	setsockopt(fd, IPPROTO_TCP, TCP_SYNCNT, &once, sizeof(once));
	if (!connect(fd, (struct sockaddr *)&at, size) || errno != EINPROGRESS)
		die("connect");
	lose_address();
	poll(&poll_fd, 1, -1);
	printf("unsent %u\n", ntohs(((struct sockaddr_in *)&at)->sin_port));
}

int main(int argc, char **argv)
{
	new_netns();
	if (argc > 2 && !strcmp(argv[1], "syn")) {
		lose_syns((unsigned int)atoi(argv[2]));
	} else if (argc > 1 && !strcmp(argv[1], "unsent")) {
		lose_route();
	} else {
		lose_data(AF_INET, "127.0.0.1", "127.0.0.1");
		lose_data(AF_INET6, "::1", "::1");
		lose_data(AF_INET6, "::ffff:127.0.0.1", "127.0.0.1");
		lose_synack(AF_INET, "127.0.0.1", "127.0.0.1");
		lose_synack(AF_INET6, "::1", "::1");
	}
	return 0;
}

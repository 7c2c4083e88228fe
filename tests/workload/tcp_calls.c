/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcp_calls [held|failures|queue]: TCP connections of every kind, and what a tracer must know of them.  The listener is the parent's, named
 * tcp_client, which connects; a child, tcp_server, accepts.  A line for each end of each connection, as its process knows it:
 *
 *	SIDE PID COMM IP LADDR LPORT RADDR RPORT SENT RECEIVED NETNS HOW
 *
 * SIDE is client or server; HOW is fin (the client ends it, and the server after it), rst (the client resets it) or an errno
 * that connect(2) failed with, where SENT and RECEIVED are 0.  A line "listen PID COMM IP LADDR LPORT NETNS" is the listener.
 *
 * held: one connection of the kind fin, which begins at once and goes on after a line from stdin; its lines, then "ready".  A line "lived MIN MAX"
 * has two numbers of milliseconds that the time from its being established to its end is between.
 *
 * failures: client lines of attempts that fail in other ways than refused ones; HOW is - where the program closes the socket
 * before there is an answer.  The one that times out sends one SYN, and that once more.
 *
 * queue: two connections that wait for accept(2), one longer than the other; a line "queue RPORT MIN MAX" for each, with two
 * numbers of milliseconds that the wait is between.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

union address {
	struct sockaddr sa;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

enum how { FIN, RST };

static unsigned long netns;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Of an address as inet_pton(3) takes it. */
static union address address_of(const char *text, uint16_t port)
{
	union address address = { 0 };

	if (inet_pton(AF_INET, text, &address.v4.sin_addr) == 1) {
		address.sa.sa_family = AF_INET;
		address.v4.sin_port = htons(port);
	} else if (inet_pton(AF_INET6, text, &address.v6.sin6_addr) == 1) {
		address.sa.sa_family = AF_INET6;
		address.v6.sin6_port = htons(port);
	} else {
		die(text);
	}
	return address;
}

static uint16_t port_of(const union address *address)
{
	return ntohs(address->sa.sa_family == AF_INET ? address->v4.sin_port : address->v6.sin6_port);
}

/* "IP ADDRESS", a mapped address as IPv4. */
static bool is_v4(const union address *address)
{
	return address->sa.sa_family == AF_INET || IN6_IS_ADDR_V4MAPPED(&address->v6.sin6_addr);
}

static const char *text_of(const union address *address, char text[INET6_ADDRSTRLEN])
{
	if (address->sa.sa_family == AF_INET)
		return inet_ntop(AF_INET, &address->v4.sin_addr, text, INET6_ADDRSTRLEN);
	if (is_v4(address))
		return inet_ntop(AF_INET, &address->v6.sin6_addr.s6_addr[12], text, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, &address->v6.sin6_addr, text, INET6_ADDRSTRLEN);
}

static void print_end(const char *side, const union address *local, const union address *remote, size_t sent, size_t received,
		      const char *how)
{
	char comm[16], from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN];

	prctl(PR_GET_NAME, comm);
	printf("%s %d %s %d %s %u %s %u %zu %zu %lu %s\n", side, getpid(), comm, is_v4(remote) ? 4 : 6, text_of(local, from),
	       port_of(local), text_of(remote, to), port_of(remote), sent, received, netns, how);
	fflush(stdout);
}

static void get_ends(int fd, union address *local, union address *remote)
{
	socklen_t length = sizeof(*local);

	if (getsockname(fd, &local->sa, &length))
		die("getsockname");
	length = sizeof(*remote);
	if (getpeername(fd, &remote->sa, &length))
		die("getpeername");
}

static void put(int fd, size_t size)
{
	static char bytes[4096];

	while (size) {
		ssize_t done = write(fd, bytes, size < sizeof(bytes) ? size : sizeof(bytes));

		if (done < 0)
			die("write");
		size -= (size_t)done;
	}
}

/* Up to the end of what the other side sends; a reset is one too. */
static size_t get_all(int fd)
{
	char bytes[4096];
	size_t size = 0;
	ssize_t done;

	while ((done = read(fd, bytes, sizeof(bytes))) > 0)
		size += (size_t)done;
	if (done < 0 && errno != ECONNRESET)
		die("read");
	return size;
}

static void get(int fd, size_t size)
{
	char byte;

	while (size--)
		if (read(fd, &byte, 1) != 1)
			die("read");
}

/* Takes one connection, reads all, sends back, ends. */
static void serve(int listener, int accepted, size_t send, enum how how)
{
	union address local, remote;
	size_t received;
	int fd = accept(listener, NULL, NULL);

	if (fd < 0)
		die("accept");
	get_ends(fd, &local, &remote);
	close(accepted);
	if (how == RST) {
		/* the client resets it when it has got everything */
		get(fd, 1);
		put(fd, send);
		received = 1 + get_all(fd);
	} else {
		received = get_all(fd);
		put(fd, send);
	}
	print_end("server", &local, &remote, send, received, how == RST ? "rst" : "fin");
	close(fd);
}

static int listen_at(const char *text, union address *address)
{
	socklen_t length = sizeof(*address);
	int fd;

	*address = address_of(text, 0);
	fd = socket(address->sa.sa_family, SOCK_STREAM, 0);
	if (fd < 0 || bind(fd, &address->sa, sizeof(*address)) || listen(fd, 8) || getsockname(fd, &address->sa, &length))
		die(text);
	return fd;
}

static int connect_to(const union address *address, bool nonblocking)
{
	int fd = socket(address->sa.sa_family, SOCK_STREAM | (nonblocking ? SOCK_NONBLOCK : 0), 0);
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	socklen_t length = sizeof(int);
	int err = 0;

	if (fd < 0)
		die("socket");
	if (connect(fd, &address->sa, sizeof(*address))) {
		err = errno;
		if (err == EINPROGRESS) {
			poll(&poll_fd, 1, -1);
			getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &length);
		}
	}
	if (nonblocking)
		fcntl(fd, F_SETFL, 0);
	if (!err)
		return fd;
	close(fd);
	return -err;
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void wait_line(void)
{
	char line[64];

	printf("ready\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

/* A connection to `to`, of a listener at `at`, with so many bytes each way. */
static void connection(const char *at, const char *to, bool nonblocking, size_t send, size_t reply, enum how how, bool held)
{
	struct linger reset = { .l_onoff = 1 };
	char comm[16], text[INET6_ADDRSTRLEN];
	union address listening, remote, local;
	int listener = listen_at(at, &listening), accepted[2], fd;
	double before, connected, waited;
	size_t received;
	pid_t child;

	prctl(PR_GET_NAME, comm);
	printf("listen %d %s %d %s %u %lu\n", getpid(), comm, is_v4(&listening) ? 4 : 6, text_of(&listening, text),
	       port_of(&listening), netns);
	fflush(stdout);
	child = pipe(accepted) ? -1 : fork();
	if (child < 0)
		die("fork");
	if (!child) {
		prctl(PR_SET_NAME, "tcp_server");
		close(accepted[0]);
		serve(listener, accepted[1], reply, how);
		exit(0);
	}
	close(accepted[1]);
	remote = address_of(to, port_of(&listening));
	before = now_ms();
	fd = connect_to(&remote, nonblocking);
	if (fd < 0)
		die(to);
	get_ends(fd, &local, &remote);
	/* what the socket does after accept(2) is the server's */
	if (read(accepted[0], comm, 1))
		die("accepted");
	close(accepted[0]);
	connected = now_ms();
	if (held)
		wait_line();
	waited = now_ms();
	put(fd, send);
	if (how == RST) {
		get(fd, reply);
		received = reply;
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	} else {
		shutdown(fd, SHUT_WR);
		received = get_all(fd);
	}
	if (held)
		printf("lived %.3f %.3f\n", waited - connected, now_ms() - before);
	print_end("client", &local, &remote, send, received, how == RST ? "rst" : "fin");
	close(fd);
	waitpid(child, NULL, 0);
	close(listener);
}

/* A port that nobody listens on: that of a socket which is bound only. */
static void refused(const char *to, bool nonblocking)
{
	union address remote = address_of(to, 0), local;
	socklen_t length = sizeof(remote);
	int holder = socket(remote.sa.sa_family, SOCK_STREAM, 0), fd, err;
	char how[16];

	if (bind(holder, &remote.sa, sizeof(remote)) || getsockname(holder, &remote.sa, &length))
		die("bind");
	/* the port that it connects from is of interest, and gone after the failure */
	fd = socket(remote.sa.sa_family, SOCK_STREAM | (nonblocking ? SOCK_NONBLOCK : 0), 0);
	local = address_of(to, 0);
	length = sizeof(local);
	if (bind(fd, &local.sa, sizeof(local)) || getsockname(fd, &local.sa, &length))
		die("bind");
	err = connect(fd, &remote.sa, sizeof(remote)) ? errno : 0;
	if (err == EINPROGRESS) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };

		poll(&poll_fd, 1, -1);
		length = sizeof(err);
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &length);
	}
	snprintf(how, sizeof(how), "%d", err);
	print_end("client", &local, &remote, 0, 0, how);
	close(fd);
	close(holder);
}

static void new_netns(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	struct stat ns;
	int fd;

	if (unshare(CLONE_NEWNET))
		die("unshare");
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (ioctl(fd, SIOCSIFFLAGS, &request) || stat("/proc/self/ns/net", &ns))
		die("lo");
	close(fd);
	netns = ns.st_ino;
}

static void print_failure(int fd, const union address *remote, const char *how)
{
	union address local = { 0 };
	socklen_t length = sizeof(local);

	if (getsockname(fd, &local.sa, &length))
		die("getsockname");
	print_end("client", &local, remote, 0, 0, how);
}

/* An attempt that connect(2) refuses at once, with err. */
static void fail_at_once(const union address *remote, int expected)
{
	int fd = socket(remote->sa.sa_family, SOCK_STREAM, 0);
	char how[16];

	if (fd < 0 || !connect(fd, &remote->sa, sizeof(*remote)) || errno != expected)
		die("connect: another error");
	snprintf(how, sizeof(how), "%d", expected);
	print_failure(fd, remote, how);
	close(fd);
}

/* Nobody answers: the listener's queue is full. */
static void unanswered(const union address *remote)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), once = 1;
	union address local = address_of("127.0.0.1", 0);

	if (bind(fd, &local.sa, sizeof(local)) || setsockopt(fd, IPPROTO_TCP, TCP_SYNCNT, &once, sizeof(once)))
		die("bind");
	if (!connect(fd, &remote->sa, sizeof(*remote)) || errno != ETIMEDOUT)
		die("connect: no timeout");
	print_failure(fd, remote, "110");
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (bind(fd, &local.sa, sizeof(local)) || !connect(fd, &remote->sa, sizeof(*remote)) || errno != EINPROGRESS)
		die("connect: not in progress");
	print_failure(fd, remote, "-");
	close(fd);
}

/* connect(2) returns before the listener has got the last packet of the handshake. A listener's tcpi_unacked is its queue. */
static void wait_for_full(int listener)
{
	struct tcp_info info = { 0 };
	socklen_t size = sizeof(info);

	while (!getsockopt(listener, IPPROTO_TCP, TCP_INFO, &info, &size) && !info.tcpi_unacked)
		usleep(1000);
}

static void failures(void)
{
	static const char range[] = "40000 40000";
	union address address = address_of("192.0.2.1", 80), at;
	int listener, full, fd;

	new_netns();
	/* since 6.5 the first four do not count for TCP_SYNCNT */
	fd = open("/proc/sys/net/ipv4/tcp_syn_linear_timeouts", O_WRONLY);
	if (fd >= 0 && write(fd, "0", 1) != 1)
		die("tcp_syn_linear_timeouts");
	if (fd >= 0)
		close(fd);
	fail_at_once(&address, ENETUNREACH);
	address = address_of("2001:db8::1", 80);
	fail_at_once(&address, ENETUNREACH);
	address = address_of("::ffff:192.0.2.1", 80);
	fail_at_once(&address, ENETUNREACH);

	listener = listen_at("127.0.0.1", &at);
	/* one more than its argument fits into the queue */
	if (listen(listener, 0))
		die("listen");
	full = connect_to(&at, false);
	if (full < 0)
		die("connect");
	wait_for_full(listener);
	unanswered(&at);
	close(full);
	close(listener);

	/* no port is left: the attempt has begun when the kernel finds that out */
	listener = listen_at("127.0.0.1", &at);
	fd = open("/proc/sys/net/ipv4/ip_local_port_range", O_WRONLY);
	if (fd < 0 || write(fd, range, strlen(range)) < 0)
		die("ip_local_port_range");
	close(fd);
	full = connect_to(&at, false);
	if (full < 0)
		die("connect");
	fail_at_once(&at, EADDRNOTAVAIL);
	close(full);
	close(listener);
}

static void queue(void)
{
	double before[2], connected[2];
	union address at, local, remote;
	int listener = listen_at("::1", &at), from[2];

	for (int i = 0; i < 2; i++) {
		before[i] = now_ms();
		from[i] = connect_to(&at, false);
		if (from[i] < 0)
			die("connect");
		connected[i] = now_ms();
		usleep(60000);
	}
	for (int i = 0; i < 2; i++) {
		double accepting = now_ms();
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			die("accept");
		get_ends(fd, &local, &remote);
		/* the last packet of the handshake may come a little after connect(2) has returned */
		printf("queue %u %.3f %.3f\n", port_of(&remote), (accepting - connected[i]) / 2, now_ms() - before[i]);
		close(fd);
		close(from[i]);
	}
	close(listener);
}

int main(int argc, char **argv)
{
	bool held = argc > 1 && !strcmp(argv[1], "held");
	struct stat ns;

	prctl(PR_SET_NAME, "tcp_client");
	if (stat("/proc/self/ns/net", &ns))
		die("/proc/self/ns/net");
	netns = ns.st_ino;
	if (argc > 1) {
		if (held)
			connection("127.0.0.1", "127.0.0.1", false, 1000, 2000, FIN, true);
		else if (!strcmp(argv[1], "failures"))
			failures();
		else if (!strcmp(argv[1], "queue"))
			queue();
		else
			die(argv[1]);
		return 0;
	}
	connection("127.0.0.1", "127.0.0.1", false, 1, 0, FIN, false);
	connection("0.0.0.0", "127.0.0.2", true, 100000, 12345, FIN, false);
	connection("::1", "::1", false, 0, 70000, FIN, false);
	connection("::", "::ffff:127.0.0.3", false, 300, 400, FIN, false);
	connection("::", "127.0.0.4", true, 5000, 1, FIN, false);
	connection("127.0.0.1", "127.0.0.1", false, 10, 20, RST, false);
	connection("::1", "::1", false, 33, 44, RST, false);
	refused("127.0.0.1", false);
	refused("127.0.0.5", true);
	refused("::1", false);
	refused("::ffff:127.0.0.1", false);
	new_netns();
	connection("127.0.0.1", "127.0.0.1", false, 7, 8, FIN, false);
	connection("::1", "::1", false, 9, 10, FIN, false);
	return 0;
}

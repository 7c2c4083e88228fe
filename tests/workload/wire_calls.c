/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wire_calls [ss|failures]: TCP connections between two network namespaces (wire.h).  What leaves the client's takes 20 ms; what it sends
 * is lost at first, until it was sent again twice.  wire_client connects, its child wire_server accepts.  Lines:
 *
 *	client|server PID COMM IP LADDR LPORT RADDR RPORT SENT RECEIVED NETNS HOW	as of tcp_calls
 *	info LPORT RPORT SENT RECEIVED RETRANS SEGMENTS		the kernel's own count (TCP_INFO) of bytes that this end sent, each
 *								once, received and sent again, and of segments that it sent again
 *	connect LPORT RPORT RTT TIME				microseconds: the kernel's round trip time, and connect(2)
 *
 * ss: after each info line also "ss", and what `ss -i` prints of the same end.
 *
 * failures: client lines of attempts that fail; HOW is the errno.  Before them,
 * for each of both ends of the connections that fill a queue, a
 * line "full PID COMM NETNS IP LADDR LPORT RADDR RPORT 0 0"; nobody has accepted the listener's end, so that its PID and COMM are "-".
 */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "wire.h"

#define DELAY_US 20000

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static struct wire wire;
static bool with_ss;

static union address address_of(const char *text, uint16_t port, socklen_t *size)
{
	union address address = { 0 };

	if (inet_pton(AF_INET, text, &address.v4.sin_addr) == 1) {
		address.v4.sin_family = AF_INET;
		address.v4.sin_port = htons(port);
		*size = sizeof(address.v4);
	} else {
		inet_pton(AF_INET6, text, &address.v6.sin6_addr);
		address.v6.sin6_family = AF_INET6;
		address.v6.sin6_port = htons(port);
		*size = sizeof(address.v6);
	}
	return address;
}

/* Without the prefix of a mapped address. */
static const char *shown(const union address *address, char text[INET6_ADDRSTRLEN])
{
	if (address->any.sa_family == AF_INET)
		return inet_ntop(AF_INET, &address->v4.sin_addr, text, INET6_ADDRSTRLEN);
	if (IN6_IS_ADDR_V4MAPPED(&address->v6.sin6_addr))
		return inet_ntop(AF_INET, &address->v6.sin6_addr.s6_addr[12], text, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, &address->v6.sin6_addr, text, INET6_ADDRSTRLEN);
}

/* local: NULL where it has none. */
static void print_end(const char *side, const union address *local, const union address *remote, size_t sent, size_t received,
		      const char *how)
{
	char comm[16], from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN];

	prctl(PR_GET_NAME, comm);
	shown(remote, to);
	printf("%s %d %s %d %s %u %s %u %zu %zu %lu %s\n", side, getpid(), comm, strchr(to, ':') ? 6 : 4, shown(local, from),
	       ntohs(local->v4.sin_port), to, ntohs(remote->v4.sin_port), sent, received,
	       wire.inode[strcmp(side, "client") ? WIRE_SERVER : WIRE_CLIENT], how);
	fflush(stdout);
}

static void get_ends(int fd, union address *local, union address *remote)
{
	socklen_t size = sizeof(*local);

	if (getsockname(fd, &local->any, &size))
		wire__die("getsockname");
	size = sizeof(*remote);
	if (remote && getpeername(fd, &remote->any, &size))
		wire__die("getpeername");
}

static struct tcp_info info_of(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t size = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		wire__die("TCP_INFO");
	return info;
}

/* ss(8) asks about the namespace that it runs in. */
static void print_ss(const union address *local, const union address *remote)
{
	char command[128], line[4096];
	FILE *ss;

	snprintf(command, sizeof(command), "ss -tinHO 'sport = :%u and dport = :%u'", ntohs(local->v4.sin_port),
		 ntohs(remote->v4.sin_port));
	ss = popen(command, "r");
	if (!ss)
		wire__die("ss");
	while (fgets(line, sizeof(line), ss))
		printf("ss %s", line);
	if (pclose(ss)) {
		fprintf(stderr, "%s fails\n", command);
		exit(1);
	}
	fflush(stdout);
}

/* When all that it sent is acknowledged, and before an end of the connection is counted with the bytes. */
static void print_info(int fd, const union address *local, const union address *remote)
{
	struct tcp_info info;
	int left = 1;

	while (!ioctl(fd, TIOCOUTQ, &left) && left)
		usleep(1000);
	info = info_of(fd);
	printf("info %u %u %llu %llu %llu %u\n", ntohs(local->v4.sin_port), ntohs(remote->v4.sin_port),
	       (unsigned long long)(info.tcpi_bytes_sent - info.tcpi_bytes_retrans), (unsigned long long)info.tcpi_bytes_received,
	       (unsigned long long)info.tcpi_bytes_retrans, info.tcpi_total_retrans);
	fflush(stdout);
	if (with_ss)
		print_ss(local, remote);
}

/*
 * In segments of their own, which MSG_EOR keeps apart (tcp_skb_can_collapse_to() in include/net/tcp.h): the kernel sends two
 * again by one event where they are in one buffer, and TCP_INFO counts two.
 */
static void put(int fd, size_t size)
{
	char bytes[1000] = "";

	while (size) {
		ssize_t done = send(fd, bytes, size < sizeof(bytes) ? size : sizeof(bytes), MSG_EOR);

		if (done < 0)
			wire__die("send");
		size -= (size_t)done;
	}
}

static void get(int fd, size_t size)
{
	char bytes[4096];

	while (size) {
		ssize_t done = read(fd, bytes, size < sizeof(bytes) ? size : sizeof(bytes));

		if (done <= 0)
			wire__die("read");
		size -= (size_t)done;
	}
}

static void serve(int listener, const int ready[2], size_t size, size_t reply)
{
	union address local, remote;
	int fd = accept(listener, NULL, NULL);
	/* close(2) waits until the end of the connection is acknowledged */
	struct linger linger = { .l_onoff = 1, .l_linger = 240 };
	char byte;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)))
		wire__die("accept");
	get_ends(fd, &local, &remote);
	if (write(ready[1], "", 1) != 1)
		wire__die("pipe");
	get(fd, size);
	put(fd, reply);
	print_info(fd, &local, &remote);
	print_end("server", &local, &remote, reply, size, "fin");
	/* the client ends the connection after it */
	if (write(ready[1], "", 1) != 1)
		wire__die("pipe");
	if (read(fd, &byte, 1) != 0)
		wire__die("no end");
	close(fd);
}

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static int listen_at(const char *text, union address *at, socklen_t *size)
{
	int fd;

	*at = address_of(text, 0, size);
	wire__enter(&wire, WIRE_SERVER);
	fd = socket(at->any.sa_family, SOCK_STREAM, 0);
	if (fd < 0 || bind(fd, &at->any, *size) || listen(fd, 4))
		wire__die(text);
	get_ends(fd, at, NULL);
	wire__enter(&wire, WIRE_CLIENT);
	return fd;
}

/* lossy: what the client sends is lost until it was sent again twice. */
static void connection(const char *at, const char *to, size_t size, size_t reply, bool lossy)
{
	union address listening, local, remote;
	int listener, ready[2], fd;
	struct tcp_info info;
	int64_t begin, time;
	socklen_t length;
	pid_t child;
	char byte;

	listener = listen_at(at, &listening, &length);
	fflush(stdout);
	child = pipe(ready) ? -1 : fork();
	if (child < 0)
		wire__die("fork");
	if (!child) {
		prctl(PR_SET_NAME, "wire_server");
		wire__enter(&wire, WIRE_SERVER);
		serve(listener, ready, size, reply);
		exit(0);
	}
	remote = address_of(to, ntohs(listening.v4.sin_port), &length);
	fd = socket(remote.any.sa_family, SOCK_STREAM, 0);
	begin = now_us();
	if (fd < 0 || connect(fd, &remote.any, length))
		wire__die(to);
	time = now_us() - begin;
	info = info_of(fd);
	get_ends(fd, &local, &remote);
	printf("connect %u %u %u %lld\n", ntohs(local.v4.sin_port), ntohs(remote.v4.sin_port), info.tcpi_min_rtt, (long long)time);
	fflush(stdout);
	if (read(ready[0], &byte, 1) != 1)
		wire__die("pipe");
	if (lossy)
		wire__disturb(&wire, WIRE_CLIENT, DELAY_US, true);
	put(fd, size);
	while (lossy && info_of(fd).tcpi_total_retrans < 2)
		usleep(1000);
	if (lossy)
		wire__disturb(&wire, WIRE_CLIENT, DELAY_US, false);
	get(fd, reply);
	print_info(fd, &local, &remote);
	print_end("client", &local, &remote, size, reply, "fin");
	if (read(ready[0], &byte, 1) != 1)
		wire__die("pipe");
	close(fd);
	waitpid(child, NULL, 0);
	close(listener);
	close(ready[0]);
	close(ready[1]);
}

/* An attempt that fails with this errno, in connect(2) or later. */
static void failure(const char *to, uint16_t port, bool nonblocking, int expected)
{
	struct pollfd poll_fd = { .events = POLLOUT };
	union address local = { 0 }, remote;
	socklen_t length, err_size = sizeof(int);
	int once = 1, err;
	char how[16];

	remote = address_of(to, port, &length);
	poll_fd.fd = socket(remote.any.sa_family, SOCK_STREAM | (nonblocking ? SOCK_NONBLOCK : 0), 0);
	/* its port is of interest, and gone after the failure */
	local.any.sa_family = remote.any.sa_family;
	if (poll_fd.fd < 0 || bind(poll_fd.fd, &local.any, length) ||
	    setsockopt(poll_fd.fd, IPPROTO_TCP, TCP_SYNCNT, &once, sizeof(once)))
		wire__die("bind");
	err = connect(poll_fd.fd, &remote.any, length) ? errno : 0;
	if (err == EINPROGRESS) {
		poll(&poll_fd, 1, -1);
		if (getsockopt(poll_fd.fd, SOL_SOCKET, SO_ERROR, &err, &err_size))
			wire__die("SO_ERROR");
	}
	if (err != expected) {
		fprintf(stderr, "%s: errno %d, not %d\n", to, err, expected);
		exit(1);
	}
	get_ends(poll_fd.fd, &local, NULL);
	snprintf(how, sizeof(how), "%d", err);
	print_end("client", &local, &remote, 0, 0, how);
	close(poll_fd.fd);
}

/* Both ends of the connection that fills the queue of a listener. */
static void print_full(int fd)
{
	char comm[16], from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN];
	union address local, remote;

	get_ends(fd, &local, &remote);
	prctl(PR_GET_NAME, comm);
	shown(&local, from);
	shown(&remote, to);
	printf("full %d %s %lu %d %s %u %s %u 0 0\n", getpid(), comm, wire.inode[WIRE_CLIENT], strchr(to, ':') ? 6 : 4, from,
	       ntohs(local.v4.sin_port), to, ntohs(remote.v4.sin_port));
	printf("full - - %lu %d %s %u %s %u 0 0\n", wire.inode[WIRE_SERVER], strchr(to, ':') ? 6 : 4, to, ntohs(remote.v4.sin_port), from,
	       ntohs(local.v4.sin_port));
	fflush(stdout);
}

/* A port of the server's that nobody listens on, and a listener whose queue is full. */
static void unanswered(const char *to)
{
	int listener, holder, full;
	union address at;
	socklen_t length;

	wire__enter(&wire, WIRE_SERVER);
	at = address_of(to, 0, &length);
	holder = socket(at.any.sa_family, SOCK_STREAM, 0);
	if (holder < 0 || bind(holder, &at.any, length))
		wire__die("bind");
	get_ends(holder, &at, NULL);
	wire__enter(&wire, WIRE_CLIENT);
	failure(to, ntohs(at.v4.sin_port), false, ECONNREFUSED);
	failure(to, ntohs(at.v4.sin_port), true, ECONNREFUSED);
	close(holder);

	listener = listen_at(to, &at, &length);
	/* one more than this fits into the queue */
	if (listen(listener, 0))
		wire__die("listen");
	full = socket(at.any.sa_family, SOCK_STREAM, 0);
	if (connect(full, &at.any, length))
		wire__die("connect");
	print_full(full);
	/* connect(2) returns before the listener has got the last packet of the handshake; a listener's tcpi_unacked is its queue */
	while (!info_of(listener).tcpi_unacked)
		usleep(1000);
	failure(to, ntohs(at.v4.sin_port), false, ETIMEDOUT);
	close(full);
	close(listener);
}

static void set_neighbour(const char *name, const char *value)
{
	char path[128];

	for (int v6 = 0; v6 < 2; v6++) {
		snprintf(path, sizeof(path), "ipv%d/neigh/wire/%s", v6 ? 6 : 4, name);
		wire__sysctl(path, value);
	}
}

static void failures(void)
{
	/* since 6.5 the first four do not count for TCP_SYNCNT */
	if (!access("/proc/sys/net/ipv4/tcp_syn_linear_timeouts", F_OK))
		wire__sysctl("ipv4/tcp_syn_linear_timeouts", "0");
	unanswered("10.99.0.2");
	unanswered("fd99::2");
	unanswered("::ffff:10.99.0.2");

	/* routes that say no */
	wire__add_route(AF_INET, RTN_UNREACHABLE, "192.0.2.1", 32, NULL);
	wire__add_route(AF_INET, RTN_PROHIBIT, "192.0.2.2", 32, NULL);
	wire__add_route(AF_INET, RTN_BLACKHOLE, "192.0.2.3", 32, NULL);
	wire__add_route(AF_INET6, RTN_UNREACHABLE, "2001:db8::1", 128, NULL);
	wire__add_route(AF_INET6, RTN_PROHIBIT, "2001:db8::2", 128, NULL);
	failure("192.0.2.1", 80, false, EHOSTUNREACH);
	failure("192.0.2.2", 80, false, EACCES);
	failure("192.0.2.3", 80, false, EINVAL);
	failure("2001:db8::1", 80, false, EHOSTUNREACH);
	failure("2001:db8::2", 80, false, EACCES);

	/* a router that has no route tells with a message of ICMP */
	wire__enter(&wire, WIRE_SERVER);
	wire__sysctl("ipv4/ip_forward", "1");
	wire__sysctl("ipv6/conf/all/forwarding", "1");
	wire__enter(&wire, WIRE_CLIENT);
	wire__add_route(AF_INET, RTN_UNICAST, "198.51.100.0", 24, "10.99.0.2");
	wire__add_route(AF_INET6, RTN_UNICAST, "2001:db8:1::", 48, "fd99::2");
	failure("198.51.100.1", 80, false, ENETUNREACH);
	failure("2001:db8:1::1", 80, true, ENETUNREACH);

	/* a neighbour that is not there */
	set_neighbour("mcast_solicit", "1");
	set_neighbour("retrans_time_ms", "100");
	failure("10.99.0.77", 80, false, EHOSTUNREACH);
	failure("fd99::77", 80, true, EHOSTUNREACH);
}

int main(int argc, char **argv)
{
	prctl(PR_SET_NAME, "wire_client");
	wire__make(&wire);
	with_ss = argc > 1 && !strcmp(argv[1], "ss");
	if (argc > 1 && !strcmp(argv[1], "failures")) {
		failures();
		return 0;
	}
	wire__disturb(&wire, WIRE_CLIENT, DELAY_US, false);
	connection("10.99.0.2", "10.99.0.2", 1000, 200000, false);
	connection("fd99::2", "fd99::2", 30000, 10, false);
	connection("::", "::ffff:10.99.0.2", 1, 5000, false);
	connection("10.99.0.2", "10.99.0.2", 4000, 1, true);
	connection("fd99::2", "fd99::2", 300, 2, true);
	return 0;
}

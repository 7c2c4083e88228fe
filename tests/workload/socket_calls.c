/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * socket_calls bind|listen: binds sockets, or listens with them, in every way, and prints a line for each call that bindsnoop -U -N or
 * solisten -U -N shows:
 *
 *	PID UID COMM ERR PROTO NETNS IP LADDR LPORT IF OPTIONS
 *	PID UID COMM ERR PROTO NETNS IP LADDR LPORT BACKLOG EFFECTIVE
 *
 * Then the same by 32-bit calls, where the kernel has them, direct ones and by socketcall(2); and by MPTCP, where it has that.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "call32.h"

#define PROTOCOL_MPTCP 262
#define NO_SUCH_FD 999

/* bind(2) and listen(2) in syscall_32.tbl, socketcall(2) and its functions */
#define NR32_BIND 361
#define NR32_LISTEN 363
#define NR32_SOCKETCALL 102
#define CALL_BIND 2
#define CALL_LISTEN 4

union address {
	struct sockaddr sa;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un un;
	struct sockaddr_nl nl;
};

static enum { NATIVE, DIRECT32, SOCKETCALL32 } way;
static union address *low;	/* memory that 32-bit calls can name */
static uint32_t *low_words;
static unsigned long netns;
static char comm[16];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int by32(long nr, long function, int fd, long a, long b)
{
	long result;

	if (way == DIRECT32) {
		result = call32(nr, fd, a, b, 0, 0);
	} else {
		low_words[0] = (uint32_t)fd;
		low_words[1] = (uint32_t)a;
		low_words[2] = (uint32_t)b;
		result = call32(NR32_SOCKETCALL, function, (long)low_words, 0, 0, 0);
	}
	return (int)result;
}

static int do_bind(int fd, const union address *address, socklen_t size)
{
	if (way == NATIVE)
		return bind(fd, &address->sa, size) ? -errno : 0;
	if ((long)address == 1)
		return by32(NR32_BIND, CALL_BIND, fd, 1, size);
	*low = *address;
	return by32(NR32_BIND, CALL_BIND, fd, (long)low, size);
}

static int do_listen(int fd, int backlog)
{
	if (way == NATIVE)
		return listen(fd, backlog) ? -errno : 0;
	return by32(NR32_LISTEN, CALL_LISTEN, fd, backlog, 0);
}

static int socket_of(int family, int type, int protocol)
{
	int fd = socket(family, type, protocol);

	if (fd < 0)
		die("socket");
	return fd;
}

static void set(int fd, int level, int option)
{
	int one = 1;

	if (setsockopt(fd, level, option, &one, sizeof(one)))
		die("setsockopt");
}

static union address address_of(const char *text, uint16_t port)
{
	union address address;

	memset(&address, 0, sizeof(address));
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

static union address own_address(int fd)
{
	union address address;
	socklen_t size = sizeof(address);

	if (getsockname(fd, &address.sa, &size))
		die("getsockname");
	return address;
}

static uint16_t port_of(const union address *address)
{
	return ntohs(address->sa.sa_family == AF_INET6 ? address->v6.sin6_port : address->v4.sin_port);
}

/* "IP LADDR LPORT"; NULL: "- - -" */
static void print_address(const union address *address)
{
	bool v4 = address && address->sa.sa_family != AF_INET6;
	bool mapped = address && !v4 && IN6_IS_ADDR_V4MAPPED(&address->v6.sin6_addr);
	char text[INET6_ADDRSTRLEN];
	uint16_t port;

	if (!address) {
		printf(" - - -");
		return;
	}
	if (v4)
		inet_ntop(AF_INET, &address->v4.sin_addr, text, sizeof(text));
	else if (mapped)
		inet_ntop(AF_INET, &address->v6.sin6_addr.s6_addr[12], text, sizeof(text));
	else
		inet_ntop(AF_INET6, &address->v6.sin6_addr, text, sizeof(text));
	port = port_of(address);
	printf(" %d %s ", v4 || mapped ? 4 : 6, text);
	if (port)
		printf("%u", port);
	else
		printf("-");
}

/* fd_is_socket: else neither protocol nor network namespace are known */
static void print_row(int result, const char *protocol, const union address *address, bool fd_is_socket)
{
	printf("%d %d %s %s %s ", getpid(), getuid(), comm, result ? strerrorname_np(-result) : "0", protocol);
	if (fd_is_socket && address)
		printf("%lu", netns);
	else
		printf("-");
	print_address(address);
}

/* Binds fd; shows: the address that the row has where the call fails, NULL: none. */
static int try_bind(int fd, const union address *address, const char *protocol, const union address *shows, int ifindex,
		    const char *options)
{
	bool fd_is_socket = *protocol != '-', is_v6 = (long)address != 1 && address->sa.sa_family == AF_INET6;
	int result = do_bind(fd, address, is_v6 ? sizeof(address->v6) : sizeof(address->v4));
	union address own;

	if (!result)
		own = own_address(fd);
	print_row(result, protocol, result ? shows : &own, fd_is_socket);
	if (ifindex)
		printf(" %d %s\n", ifindex, options);
	else
		printf(" - %s\n", options);
	return result;
}

static void bind_and_close(int fd, const union address *address, const char *protocol, const char *options)
{
	try_bind(fd, address, protocol, address, 0, options);
	close(fd);
}

static void bind_failures(const union address *taken)
{
	union address other = address_of("192.0.2.1", 0), local = address_of("::1", 0), unix_address;
	int fd = socket_of(AF_INET, SOCK_STREAM, 0), file = open("/dev/null", O_RDONLY);

	try_bind(fd, taken, "tcp", taken, 0, "-");
	try_bind(fd, &other, "tcp", &other, 0, "-");
	try_bind(fd, (const union address *)1, "tcp", NULL, 0, "-");
	memset(&unix_address, 0, sizeof(unix_address));
	unix_address.sa.sa_family = AF_UNIX;
	try_bind(fd, &unix_address, "tcp", NULL, 0, "-");
	close(fd);
	try_bind(NO_SUCH_FD, taken, "-", taken, 0, "-");
	try_bind(NO_SUCH_FD, &local, "-", &local, 0, "-");
	try_bind(file, taken, "-", taken, 0, "-");
	close(file);
	/* none of the internet: no rows */
	if (do_bind(NO_SUCH_FD, &unix_address, sizeof(unix_address.un)) != -EBADF)
		die("bind of no descriptor");
	fd = socket_of(AF_UNIX, SOCK_DGRAM, 0);
	snprintf(unix_address.un.sun_path + 1, 32, "socket_calls %d", getpid());
	if (do_bind(fd, &unix_address, sizeof(unix_address.un)))
		die("bind of a unix socket");
	close(fd);
	fd = socket_of(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	memset(&unix_address, 0, sizeof(unix_address));
	unix_address.nl.nl_family = AF_NETLINK;
	if (do_bind(fd, &unix_address, sizeof(unix_address.nl)))
		die("bind of a netlink socket");
	close(fd);
}

static void bind_options(void)
{
	union address any = address_of("0.0.0.0", 0), local = address_of("127.0.0.1", 0), other = address_of("192.0.2.1", 0);
	int fd = socket_of(AF_INET, SOCK_DGRAM, 0);

	set(fd, SOL_SOCKET, SO_REUSEADDR);
	set(fd, SOL_SOCKET, SO_REUSEPORT);
	bind_and_close(fd, &any, "udp", "reuseaddr|reuseport");
	fd = socket_of(AF_INET, SOCK_STREAM, 0);
	set(fd, SOL_IP, IP_FREEBIND);
	bind_and_close(fd, &other, "tcp", "freebind");
	fd = socket_of(AF_INET, SOCK_STREAM, 0);
	set(fd, SOL_IP, IP_TRANSPARENT);
	bind_and_close(fd, &other, "tcp", "transparent");
	fd = socket_of(AF_INET, SOCK_STREAM, 0);
	set(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT);
	bind_and_close(fd, &local, "tcp", "bind_address_no_port");
	fd = socket_of(AF_INET6, SOCK_STREAM, 0);
	set(fd, SOL_IPV6, IPV6_V6ONLY);
	set(fd, SOL_SOCKET, SO_REUSEPORT);
	local = address_of("::1", 0);
	bind_and_close(fd, &local, "tcp", "reuseport|v6only");
	fd = socket_of(AF_INET, SOCK_STREAM, 0);
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3))
		die("SO_BINDTODEVICE");
	try_bind(fd, &any, "tcp", &any, 1, "-");
	close(fd);
}

static void bind_all(void)
{
	union address local = address_of("127.0.0.1", 0), mapped = address_of("::ffff:127.0.0.1", 0), any6 = address_of("::", 0), taken;
	int fd = socket_of(AF_INET, SOCK_STREAM, 0), raw;

	try_bind(fd, &local, "tcp", &local, 0, "-");
	taken = own_address(fd);
	bind_failures(&taken);
	/* it has an address already */
	bind_and_close(fd, &local, "tcp", "-");
	bind_options();
	bind_and_close(socket_of(AF_INET6, SOCK_STREAM, 0), &mapped, "tcp", "-");
	bind_and_close(socket_of(AF_INET6, SOCK_DGRAM, 0), &any6, "udp", "-");
	raw = socket_of(AF_INET, SOCK_RAW, IPPROTO_ICMP);
	/* its port is its protocol, whatever was passed, and it begins with SO_REUSEADDR (INET_PROTOSW_REUSE in the kernel) */
	bind_and_close(raw, &local, "icmp", "reuseaddr");
	local = address_of("0.0.0.0", 0);
	local.sa.sa_family = AF_UNSPEC;
	bind_and_close(socket_of(AF_INET, SOCK_DGRAM, 0), &local, "udp", "-");
	local = address_of("127.0.0.1", 0);
	fd = socket(AF_INET, SOCK_STREAM, PROTOCOL_MPTCP);
	if (fd >= 0)
		bind_and_close(fd, &local, "mptcp", "-");
}

/* effective: what the socket has then, -1: none. */
static void try_listen(int fd, int backlog, const char *protocol, long effective)
{
	bool fd_is_socket = *protocol != '-';
	int result = do_listen(fd, backlog);
	union address own;

	if (fd_is_socket)
		own = own_address(fd);
	print_row(result, protocol, fd_is_socket ? &own : NULL, fd_is_socket);
	if (result)
		printf(" %d -\n", backlog);
	else
		printf(" %d %ld\n", backlog, effective);
}

static long somaxconn(void)
{
	FILE *file = fopen("/proc/sys/net/core/somaxconn", "r");
	long number;

	if (!file || fscanf(file, "%ld", &number) != 1)
		die("somaxconn");
	fclose(file);
	return number;
}

static void listen_in_use(void)
{
	int first = socket_of(AF_INET, SOCK_STREAM, 0), second = socket_of(AF_INET, SOCK_STREAM, 0);
	union address local = address_of("127.0.0.1", 0);

	set(first, SOL_SOCKET, SO_REUSEADDR);
	set(second, SOL_SOCKET, SO_REUSEADDR);
	if (bind(first, &local.sa, sizeof(local.v4)))
		die("bind");
	local = own_address(first);
	if (bind(second, &local.sa, sizeof(local.v4)))
		die("bind of the second one");
	try_listen(first, 3, "tcp", 3);
	try_listen(second, 3, "tcp", -1);
	close(first);
	close(second);
}

static void listen_all(void)
{
	int fd = socket_of(AF_INET, SOCK_STREAM, 0);
	long most = somaxconn();

	try_listen(fd, 5, "tcp", 5);
	try_listen(fd, 7, "tcp", 7);
	try_listen(fd, 0, "tcp", 0);
	try_listen(fd, -1, "tcp", most);
	try_listen(fd, 1000000, "tcp", most);
	close(fd);
	fd = socket_of(AF_INET6, SOCK_STREAM, 0);
	try_listen(fd, 128, "tcp", 128);
	close(fd);
	fd = socket_of(AF_INET, SOCK_DGRAM, 0);
	try_listen(fd, 1, "udp", -1);
	close(fd);
	try_listen(NO_SUCH_FD, 2, "-", -1);
	fd = open("/dev/null", O_RDONLY);
	try_listen(fd, 2, "-", -1);
	close(fd);
	listen_in_use();
	/* none of the internet: no row */
	fd = socket_of(AF_UNIX, SOCK_STREAM, 0);
	if (do_listen(fd, 1) != -EINVAL)
		die("listen of a unix socket without an address");
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM, PROTOCOL_MPTCP);
	if (fd >= 0) {
		try_listen(fd, 9, "mptcp", 9);
		close(fd);
	}
}

int main(int argc, char **argv)
{
	bool binds = argc == 2 && !strcmp(argv[1], "bind"), listens = argc == 2 && !strcmp(argv[1], "listen"), works32;
	struct stat self;

	if (!binds && !listens) {
		fprintf(stderr, "usage: socket_calls bind|listen\n");
		return 2;
	}
	if (stat("/proc/self/ns/net", &self))
		die("/proc/self/ns/net");
	netns = self.st_ino;
	prctl(PR_GET_NAME, comm);
	works32 = call32__works();
	low = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (works32 ? MAP_32BIT : 0), -1, 0);
	if (low == MAP_FAILED)
		die("mmap");
	low_words = (uint32_t *)((char *)low + 4096);
	for (way = NATIVE; way <= (works32 ? SOCKETCALL32 : NATIVE); way++) {
		if (binds)
			bind_all();
		else
			listen_all();
	}
	return 0;
}

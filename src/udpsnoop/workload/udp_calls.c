/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * udp_calls DIR: sends and receives datagrams in every way, with a file in DIR, and prints a line for each call as udpsnoop shows it:
 *
 *	PID COMM OP ERR IP LADDR LPORT RADDR RPORT BYTES
 *
 * udp_calls flood COUNT: sends COUNT datagrams to a socket that nobody reads, on port 7777.  Prints the process.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

static char data[70000];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static struct sockaddr_storage address(const char *text, unsigned int port)
{
	struct sockaddr_storage storage = { 0 };
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&storage;
	struct sockaddr_in *v4 = (struct sockaddr_in *)&storage;

	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)port);
	} else if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((uint16_t)port);
	} else {
		die(text);
	}
	return storage;
}

static socklen_t size_of(const struct sockaddr_storage *storage)
{
	return storage->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

/* "127.0.0.1 53", also of a mapped address */
static const char *text_of(const struct sockaddr_storage *storage)
{
	static char texts[4][80];
	static unsigned int next;
	char *text = texts[next++ % 4], host[64];
	unsigned int port;

	if (storage->ss_family == AF_INET) {
		inet_ntop(AF_INET, &((const struct sockaddr_in *)storage)->sin_addr, host, sizeof(host));
		port = ntohs(((const struct sockaddr_in *)storage)->sin_port);
	} else {
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)storage)->sin6_addr, host, sizeof(host));
		port = ntohs(((const struct sockaddr_in6 *)storage)->sin6_port);
	}
	if (port)
		snprintf(text, 80, "%s %u", strncmp(host, "::ffff:", 7) ? host : host + 7, port);
	else
		snprintf(text, 80, "%s -", strncmp(host, "::ffff:", 7) ? host : host + 7);
	return text;
}

static const char *name_of(int error)
{
	switch (error) {
	case EMSGSIZE: return "EMSGSIZE";
	case ECONNREFUSED: return "ECONNREFUSED";
	case EDESTADDRREQ: return "EDESTADDRREQ";
	case ENETUNREACH: return "ENETUNREACH";
	case EFAULT: return "EFAULT";
	default: return "?";
	}
}

static void say(const char *op, const struct sockaddr_storage *local, const struct sockaddr_storage *remote, ssize_t result)
{
	const char *local_text = text_of(local), *remote_text = text_of(remote);

	printf("%d udp_calls %s %s %d %s %s ", getpid(), op, result < 0 ? name_of(errno) : "0", strchr(remote_text, ':') ? 6 : 4, local_text,
	       remote_text);
	if (result < 0)
		printf("-\n");
	else
		printf("%zd\n", result);
}

static struct sockaddr_storage local_of(int fd)
{
	struct sockaddr_storage local;
	socklen_t size = sizeof(local);

	if (getsockname(fd, (struct sockaddr *)&local, &size))
		die("getsockname");
	return local;
}

static void sent(int fd, const struct sockaddr_storage *to, ssize_t result)
{
	int error = errno;
	struct sockaddr_storage local = local_of(fd);

	errno = error;
	say("send", &local, to, result);
}

static int bound(const char *host, struct sockaddr_storage *local)
{
	struct sockaddr_storage wanted = address(host, 0);
	int fd = socket(wanted.ss_family, SOCK_DGRAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&wanted, size_of(&wanted)))
		die(host);
	*local = local_of(fd);
	return fd;
}

static void receive(int fd, const struct sockaddr_storage *local, const struct sockaddr_storage *from, size_t room, int flags)
{
	ssize_t result = recv(fd, data, room, flags);

	if (result < 0)
		die("recv");
	if (!(flags & MSG_PEEK))
		say("recv", local, from, result);
}

/* From a socket of its own to the receiver, unconnected and connected. */
static void send_both(const char *from, int to_fd, const struct sockaddr_storage *to)
{
	struct sockaddr_storage local, real = local_of(to_fd);
	int fd = bound(from, &local);

	sent(fd, to, sendto(fd, data, 11, 0, (const struct sockaddr *)to, size_of(to)));
	receive(to_fd, &real, &local, sizeof(data), 0);
	if (connect(fd, (const struct sockaddr *)to, size_of(to)))
		die("connect");
	sent(fd, to, send(fd, data, 12, 0));
	receive(to_fd, &real, &local, 5, 0);
	sent(fd, to, send(fd, data, 100, 0));
	receive(to_fd, &real, &local, 10, MSG_TRUNC);
	sent(fd, to, send(fd, data, 0, 0));
	receive(to_fd, &real, &local, 10, MSG_PEEK);
	receive(to_fd, &real, &local, 10, 0);
	sent(fd, to, send(fd, data, 13, 0));
	receive(to_fd, &real, &local, 10, MSG_PEEK);
	receive(to_fd, &real, &local, 100, 0);
	close(fd);
}

/* By corks and pieces of a datagram. */
static void send_corked(int fd, const struct sockaddr_storage *local, int to_fd, const struct sockaddr_storage *to)
{
	int on = 1, off = 0;

	if (setsockopt(fd, IPPROTO_UDP, UDP_CORK, &on, sizeof(on)))
		die("UDP_CORK");
	sent(fd, to, send(fd, data, 10, 0));
	sent(fd, to, send(fd, data, 20, 0));
	if (setsockopt(fd, IPPROTO_UDP, UDP_CORK, &off, sizeof(off)))
		die("UDP_CORK");
	receive(to_fd, to, local, 1000, 0);
	sent(fd, to, send(fd, data, 30, MSG_MORE));
	sent(fd, to, send(fd, data, 40, 0));
	receive(to_fd, to, local, 1000, 0);
}

/* One call that sends ten datagrams. */
static void send_segments(int fd, const struct sockaddr_storage *local, int to_fd, const struct sockaddr_storage *to)
{
	int size = 100, off = 0;

	if (setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size)))
		die("UDP_SEGMENT");
	sent(fd, to, send(fd, data, 950, 0));
	for (int i = 0; i < 10; i++)
		receive(to_fd, to, local, 1000, 0);
	if (setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &off, sizeof(off)))
		die("UDP_SEGMENT");
}

static void send_file(int fd, const struct sockaddr_storage *local, int to_fd, const struct sockaddr_storage *to, const char *directory)
{
	char path[4096];
	int file, ends[2];

	snprintf(path, sizeof(path), "%s/udp_calls", directory);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (file < 0 || write(file, data, 500) != 500 || lseek(file, 0, SEEK_SET))
		die(path);
	sent(fd, to, sendfile(fd, file, NULL, 500));
	receive(to_fd, to, local, 1000, 0);
	if (pipe(ends) || write(ends[1], data, 200) != 200)
		die("pipe");
	sent(fd, to, splice(ends[0], NULL, fd, NULL, 200, 0));
	receive(to_fd, to, local, 1000, 0);
	close(file);
	close(ends[0]);
	close(ends[1]);
	unlink(path);
}

static void send_many(int fd, const struct sockaddr_storage *local, int to_fd, const struct sockaddr_storage *to)
{
	struct iovec pieces[3] = { { data, 1 }, { data, 2 }, { data, 3 } };
	struct mmsghdr messages[3] = { 0 };
	int count;

	for (int i = 0; i < 3; i++) {
		messages[i].msg_hdr.msg_iov = &pieces[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	count = sendmmsg(fd, messages, 3, 0);
	for (int i = 0; i < count; i++)
		sent(fd, to, messages[i].msg_len);
	count = recvmmsg(to_fd, messages, 3, 0, NULL);
	for (int i = 0; i < count; i++)
		say("recv", to, local, messages[i].msg_len);
}

/* What fails in the socket's own function. */
static void fail(const char *host, int family)
{
	struct sockaddr_storage none = address(family == AF_INET ? "0.0.0.0" : "::", 0), dead, local;
	int fd = bound(host, &local), closed = bound(host, &dead);

	close(closed);
	sent(fd, &none, send(fd, data, 1, 0));
	sent(fd, &dead, sendto(fd, data, sizeof(data), 0, (struct sockaddr *)&dead, size_of(&dead)));
	sent(fd, &dead, sendto(fd, (void *)8, 10, 0, (struct sockaddr *)&dead, size_of(&dead)));
	if (connect(fd, (struct sockaddr *)&dead, size_of(&dead)))
		die("connect");
	sent(fd, &dead, send(fd, data, 14, 0));
	sent(fd, &dead, send(fd, data, 15, 0));
	close(fd);
}

static void flood(int count)
{
	struct sockaddr_storage to = address("127.0.0.1", 7777);
	int receiver = socket(AF_INET, SOCK_DGRAM, 0), fd = socket(AF_INET, SOCK_DGRAM, 0), little = 1;

	if (setsockopt(receiver, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)) || bind(receiver, (struct sockaddr *)&to, size_of(&to)))
		die("receiver");
	printf("%d\n", getpid());
	for (int i = 0; i < count; i++)
		if (sendto(fd, data, 1000, 0, (struct sockaddr *)&to, size_of(&to)) != 1000)
			die("sendto");
}

int main(int argc, char **argv)
{
	static const char *const hosts[] = { "127.0.0.1", "::1" };
	struct sockaddr_storage to, local, mapped, any;
	int to_fd, fd;

	if (argc == 3 && !strcmp(argv[1], "flood")) {
		flood(atoi(argv[2]));
		return 0;
	}
	if (argc != 2) {
		fprintf(stderr, "usage: udp_calls DIR | flood COUNT\n");
		return 2;
	}
	for (int i = 0; i < 2; i++) {
		to_fd = bound(hosts[i], &to);
		send_both(hosts[i], to_fd, &to);
		fd = bound(hosts[i], &local);
		if (connect(fd, (struct sockaddr *)&to, size_of(&to)))
			die("connect");
		send_corked(fd, &local, to_fd, &to);
		send_segments(fd, &local, to_fd, &to);
		send_file(fd, &local, to_fd, &to, argv[1]);
		send_many(fd, &local, to_fd, &to);
		close(fd);
		close(to_fd);
		fail(hosts[i], i ? AF_INET6 : AF_INET);
	}
	/* a mapped address; a receiver and a sender without one */
	to_fd = bound("::ffff:127.0.0.1", &mapped);
	send_both("::ffff:127.0.0.1", to_fd, &mapped);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	any = local_of(to_fd);
	to = address("127.0.0.1", ntohs(((struct sockaddr_in6 *)&any)->sin6_port));
	sent(fd, &to, sendto(fd, data, 16, 0, (struct sockaddr *)&to, size_of(&to)));
	local = address("127.0.0.1", 0);
	any = local_of(fd);
	((struct sockaddr_in *)&local)->sin_port = ((struct sockaddr_in *)&any)->sin_port;
	receive(to_fd, &to, &local, 100, 0);
	return 0;
}

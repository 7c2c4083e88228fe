/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcp_peeks: connections over lo on each of which 1,000 bytes wait, one for each call that looks at them and reads nothing, also of 32-bit
 * programs where the kernel has their calls.  Says "ready COUNT", and when a byte comes from stdin it makes the call on each of them, as
 * tcp_peeker, and then reads the bytes.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "call32.h"
#include "tcp_listen.h"

#define BYTES 1000
#define LOOKED_AT 100

/* numbers in syscall_32.tbl, and socketcall(2)'s functions */
#define NR32_SOCKETCALL 102
#define NR32_SETSOCKOPT 366
#define NR32_RECVFROM 371
#define NR32_RECVMSG 372
#define CALL_RECV 10
#define CALL_RECVFROM 12
#define CALL_SETSOCKOPT 14
#define CALL_RECVMSG 17

static char data[BYTES];
static struct iovec part = { data, LOOKED_AT };
static int on = 1;

static ssize_t quickack(int fd)
{
	return setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on)) ? -1 : LOOKED_AT;
}

static ssize_t peek_recvfrom(int fd)
{
	return recv(fd, data, LOOKED_AT, MSG_PEEK);
}

static ssize_t peek_recvmsg(int fd)
{
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	return recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT);
}

static ssize_t peek_recvmmsg(int fd)
{
	struct mmsghdr one = { .msg_hdr = { .msg_iov = &part, .msg_iovlen = 1 } };

	return recvmmsg(fd, &one, 1, MSG_PEEK, NULL) == 1 ? (ssize_t)one.msg_len : -1;
}

/* struct msghdr and iovec of 32-bit programs */
struct message32 {
	uint32_t name, name_size, part, parts, control, control_size, flags;
	struct {
		uint32_t base, size;
	} first;
};

static uint32_t at_data, at_on, at_message;

static void prepare32(void)
{
	struct message32 message = { .parts = 1 };

	at_data = (uint32_t)low32(data, sizeof(data));
	at_on = (uint32_t)low32(&on, sizeof(on));
	message.first.base = at_data;
	message.first.size = LOOKED_AT;
	at_message = (uint32_t)low32(&message, sizeof(message));
	((struct message32 *)(uintptr_t)at_message)->part = at_message + (uint32_t)offsetof(struct message32, first);
}

static ssize_t quickack_32(int fd)
{
	return call32(NR32_SETSOCKOPT, fd, IPPROTO_TCP, TCP_QUICKACK, at_on, sizeof(on)) ? -1 : LOOKED_AT;
}

static ssize_t peek_recvfrom_32(int fd)
{
	return call32(NR32_RECVFROM, fd, at_data, LOOKED_AT, MSG_PEEK, 0);
}

static ssize_t peek_recvmsg_32(int fd)
{
	return call32(NR32_RECVMSG, fd, at_message, MSG_PEEK, 0, 0);
}

static ssize_t by_socketcall(long function, const uint32_t *args, size_t size)
{
	return call32(NR32_SOCKETCALL, function, low32(args, size), 0, 0, 0);
}

static ssize_t socketcall_setsockopt(int fd)
{
	const uint32_t args[] = { (uint32_t)fd, IPPROTO_TCP, TCP_QUICKACK, at_on, sizeof(on) };

	return by_socketcall(CALL_SETSOCKOPT, args, sizeof(args)) ? -1 : LOOKED_AT;
}

static ssize_t socketcall_recv(int fd)
{
	const uint32_t args[] = { (uint32_t)fd, at_data, LOOKED_AT, MSG_PEEK };

	return by_socketcall(CALL_RECV, args, sizeof(args));
}

static ssize_t socketcall_recvfrom(int fd)
{
	const uint32_t args[] = { (uint32_t)fd, at_data, LOOKED_AT, MSG_PEEK, 0, 0 };

	return by_socketcall(CALL_RECVFROM, args, sizeof(args));
}

static ssize_t socketcall_recvmsg(int fd)
{
	const uint32_t args[] = { (uint32_t)fd, at_message, MSG_PEEK };

	return by_socketcall(CALL_RECVMSG, args, sizeof(args));
}

static ssize_t (*const looks[])(int fd) = {
	quickack, peek_recvfrom, peek_recvmsg, peek_recvmmsg,
	quickack_32, peek_recvfrom_32, peek_recvmsg_32, socketcall_setsockopt, socketcall_recv, socketcall_recvfrom, socketcall_recvmsg,
};

#define LOOKS (sizeof(looks) / sizeof(*looks))
#define LOOKS_64 4

int main(void)
{
	bool has_32 = call32__works();
	size_t count = has_32 ? LOOKS : LOOKS_64, size;
	struct sockaddr_in6 to;
	socklen_t to_size;
	int listener = tcp_listen(AF_INET, 16, &to, &to_size), fds[LOOKS];
	char byte;

	prctl(PR_SET_NAME, "tcp_peeker");
	if (has_32)
		prepare32();
	for (size_t i = 0; i < count; i++) {
		int peer;

		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fds[i], (struct sockaddr *)&to, to_size) || (peer = accept(listener, NULL, NULL)) < 0 ||
		    send(peer, data, BYTES, 0) != BYTES)
			die("connection");
	}
	printf("ready %zu\n", count);
	fflush(stdout);
	if (read(0, &byte, 1) != 1)
		return 1;
	for (size_t i = 0; i < count; i++) {
		if (looks[i](fds[i]) != LOOKED_AT) {
			fprintf(stderr, "look %zu\n", i);
			return 1;
		}
		for (size = 0; size < BYTES; size += BYTES / 2)
			if (read(fds[i], data, BYTES / 2) != BYTES / 2)
				die("read");
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet over lo that the kernel drops, to a socket with a filter that takes none. */
#ifndef BENCH_DROP_H
#define BENCH_DROP_H

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* A connected socket to send from, or -1. */
static inline int drop__socket(void)
{
	struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog program = { .len = 1, .filter = &nothing };
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int from = socket(AF_INET, SOCK_DGRAM, 0), to = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t size = sizeof(address);

	if (from < 0 || setsockopt(to, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) ||
	    bind(to, (struct sockaddr *)&address, size) || getsockname(to, (struct sockaddr *)&address, &size) ||
	    connect(from, (struct sockaddr *)&address, size))
		return -1;
	return from;
}

static inline int drop__provoke(int fd)
{
	return send(fd, "", 1, 0) == 1 ? 0 : -1;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rtt_calls: segments on a connection over 127.0.0.1 and on one over ::1, 20 each way.  A line for each end of each connection:
 *
 *	ADDRESS PORT OTHER_PORT SEGMENTS SUM LEAST
 *
 * the segments that it received, and the sums of the smoothed and of the least round trip times, in microseconds, that it had before each
 * (TCP_INFO).
 */
#include <stdio.h>
#include <stdlib.h>

#include "tcp_segments.h"

#define ROUNDS 20

/* struct tcp_info up to what is read; the C library's ends earlier (include/uapi/linux/tcp.h) */
struct tcp_info_now {
	uint8_t flags[8];
	uint32_t before[15];
	uint32_t rtt, rttvar;
	uint32_t between[7];
	uint64_t rates[4];
	uint32_t segments[2];
	uint32_t notsent;
	uint32_t min_rtt;
};

static unsigned int port_of(int fd)
{
	struct sockaddr_in6 address;
	socklen_t length = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &length))
		exit(1);
	/* at the same place in struct sockaddr_in */
	return ntohs(address.sin6_port);
}

/* What an end has received, by what it had measured before. */
struct end {
	int fd;
	unsigned int segments;
	unsigned long smoothed, least;
};

/* A segment is to come. */
static void count(struct end *end)
{
	struct tcp_info_now info;
	socklen_t length = sizeof(info);

	if (getsockopt(end->fd, SOL_TCP, TCP_INFO, &info, &length))
		exit(1);
	end->segments++;
	end->smoothed += info.rtt;
	end->least += info.min_rtt;
}

static void run(int family, const char *name)
{
	struct end from = { 0 }, to = { 0 };
	unsigned int from_port, to_port;
	char byte;

	if (tcp_segments_connect(family, &from.fd, &to.fd)) {
		perror(name);
		exit(1);
	}
	from_port = port_of(from.fd);
	to_port = port_of(to.fd);
	for (int i = 0; i < ROUNDS; i++) {
		count(&from);
		count(&to);
		if (tcp_segments_send(from.fd) || tcp_segments_acknowledge(from.fd, to.fd)) {
			perror("segment");
			exit(1);
		}
	}
	/* the FIN is one more; those that follow find a connection that is no longer established */
	count(&to);
	close(from.fd);
	if (read(to.fd, &byte, 1))
		exit(1);
	close(to.fd);
	printf("%s %u %u %u %lu %lu\n", name, from_port, to_port, from.segments, from.smoothed, from.least);
	printf("%s %u %u %u %lu %lu\n", name, to_port, from_port, to.segments, to.smoothed, to.least);
	fflush(stdout);
}

int main(void)
{
	run(AF_INET, "127.0.0.1");
	run(AF_INET6, "::1");
	return 0;
}

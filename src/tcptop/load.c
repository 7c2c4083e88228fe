/* SPDX-License-Identifier: BSD-2-Clause */
/* tcptop-load COUNT [WRITERS [RATE]]: a byte that a connection sends to itself, and the read of it, in turn. */
#include <netinet/tcp.h>
#include <stdbool.h>

#include "../../tests/workload/tcp_self.h"
#include "work.h"

static void make(void)
{
	static struct sockaddr_in address;
	static bool sent;
	static int fd = -1, one = 1;
	char byte = 0;

	if (fd < 0) {
		fd = tcp_bound(&address);
		if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) ||
		    connect(fd, (struct sockaddr *)&address, sizeof(address)))
			exit(1);
	}
	if ((sent ? read(fd, &byte, 1) : write(fd, &byte, 1)) != 1)
		exit(1);
	sent = !sent;
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, make);
}

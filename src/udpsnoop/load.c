/* SPDX-License-Identifier: BSD-2-Clause */
/* udpsnoop-load COUNT [WRITERS [RATE]]: a byte to the discard port, where nobody listens. */
#include <netinet/in.h>
#include <sys/socket.h>

#include "work.h"

static void make(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	static int fd = -1;

	if (fd < 0)
		fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (sendto(fd, "", 1, 0, (struct sockaddr *)&to, sizeof(to)) != 1)
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, make);
}

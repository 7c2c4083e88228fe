/* SPDX-License-Identifier: BSD-2-Clause */
/* bindsnoop-load COUNT [WRITERS [RATE]]: binds a socket that has an address already, which fails. */
#include <netinet/in.h>
#include <sys/socket.h>

#include "work.h"

static struct sockaddr_in local;
static int fd;

static void find_socket(void)
{
	local.sin_family = AF_INET;
	local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&local, sizeof(local)))
		exit(1);
}

static void bind_again(void)
{
	bind(fd, (struct sockaddr *)&local, sizeof(local));
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, find_socket, bind_again);
}

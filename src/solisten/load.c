/* SPDX-License-Identifier: BSD-2-Clause */
/* solisten-load COUNT [WRITERS [RATE]]: a socket that listens already listens once more. */
#include <sys/socket.h>

#include "work.h"

static int fd;

static void find_socket(void)
{
	fd = socket(AF_INET, SOCK_STREAM, 0);
}

static void listen_again(void)
{
	if (listen(fd, 1))
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, find_socket, listen_again);
}

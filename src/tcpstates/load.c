/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpstates-load COUNT [WRITERS [RATE]]: a socket begins to listen, and is closed, in turn. */
#include <sys/socket.h>
#include "work.h"

static void make(void)
{
	static int fd = -1;

	if (fd >= 0) {
		close(fd);
		fd = -1;
		return;
	}
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0 || listen(fd, 1))
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, make);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* extacks COUNT [WRITERS [RATE]]: netlink requests that the kernel refuses with a message. */
#include "extack.h"
#include "work.h"

static int fd;

static void open_socket(void)
{
	fd = extack__socket();
}

static void provoke(void)
{
	if (extack__provoke(fd))
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, open_socket, provoke);
}

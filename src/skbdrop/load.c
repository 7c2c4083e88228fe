/* SPDX-License-Identifier: BSD-2-Clause */
/* skbdrop-load COUNT [WRITERS [RATE]]: packets that the kernel drops. */
#include "drop.h"
#include "work.h"

static int fd;

static void open_socket(void)
{
	fd = drop__socket();
}

static void make(void)
{
	if (drop__provoke(fd))
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, open_socket, make);
}

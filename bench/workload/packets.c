/* SPDX-License-Identifier: BSD-2-Clause */
/* packets COUNT [WRITERS [RATE]]: packets over lo, each of which is received in a softirq, and dropped. */
#include "drop.h"
#include "work.h"

static int fd;

static void open_socket(void)
{
	fd = drop__socket();
	if (fd < 0)
		exit(1);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* biolatency-load COUNT [WRITERS [RATE]]: direct writes of one sector to a null block device. */
#include "disk.h"
#include "work.h"

static int fd;

static void open_disk(void)
{
	fd = disk__open();
}

static void make(void)
{
	static char data[512] __attribute__((aligned(512)));

	if (pwrite(fd, data, sizeof(data), 0) != sizeof(data))
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, open_disk, make);
}

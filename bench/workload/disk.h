/* SPDX-License-Identifier: BSD-2-Clause */
/* A null block device that completes requests at once, for direct writes. */
#ifndef BENCH_DISK_H
#define BENCH_DISK_H

#include "../../tests/workload/null_disk.h"

/* Opened; it is made where it is not there yet.  Ends the program where it cannot be. */
static inline int disk__open(void)
{
	static const char *const settings[] = { "size=64", "blocksize=512", "irqmode=0", NULL };
	int fd;

	if (access("/dev/nullb0", F_OK))
		null_disk_make("nullb0", settings);
	fd = open("/dev/nullb0", O_WRONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		null_disk_die("/dev/nullb0");
	return fd;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * law_TOOL for tools that see block requests: a request for each direct write of one sector to a null block device, without
 * a scheduler, and no two side by side, so that none are merged.
 */
#ifndef DISK_LAW_H
#define DISK_LAW_H

#include "law_workload.h"
#include "null_disk.h"

#define SECTOR 512
#define LAW_BAD_SECTOR 131000

/* A test that uses the workload on a disk of its own makes this file. */
#define NULL_DISK_KEPT "/tmp/null_disk.kept"

/*
 * How long the disk takes.  A timer's interrupt completes the requests, as a disk's does; the other ways of a null block device
 * complete them in the task that asks.
 */
#ifndef LAW_COMPLETION_NS
#define LAW_COMPLETION_NS "10000"
#endif

/* Before the tool starts: what the kernel reads to find partitions is no event then. */
static void __attribute__((constructor)) make_disk(void)
{
	static const char *const settings[] = {
		"size=64", "blocksize=512", "submit_queues=2", "irqmode=2", "completion_nsec=" LAW_COMPLETION_NS, "badblocks=+131000-131000", NULL,
	};

	if (access(NULL_DISK_KEPT, F_OK))
		null_disk_make("nullb0", settings);
}

static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static char data[SECTOR] __attribute__((aligned(SECTOR)));
	static int fd = -1;
	off_t sector = fail ? LAW_BAD_SECTOR : (off_t)writer * 2048 + index % 64 * 16;

	if (fd < 0)
		fd = open("/dev/nullb0", O_WRONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		law_die("/dev/nullb0");
	if ((pwrite(fd, data, sizeof(data), sector * SECTOR) == SECTOR) == fail)
		law_die("pwrite");
	return fail;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * disk_parts: one request to /dev/loop0 that is completed in parts.  Prints "PID disk_parts DISK T SECTOR BYTES ERR" of it, as
 * biosnoop has it.
 *
 * The loop device reads directly from a partition of /dev/nullb0 that gets shorter once the device has its size.  A read beyond the new
 * end is short: the driver completes the bytes that it got, requeues the request for the rest, and fails that one (lo_complete_rq() in
 * drivers/block/loop.c, 5.10 to 7.3).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SECTOR 512
#define PARTITION 3
#define START (6144L * SECTOR)
#define LENGTH (2048L * SECTOR)

static char data[1 << 16] __attribute__((aligned(4096)));

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static int open_disk(const char *path)
{
	int fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);

	if (fd < 0)
		die(path);
	return fd;
}

static int partition(int disk, int op, long length)
{
	struct blkpg_partition what = { .pno = PARTITION, .start = START, .length = length };
	struct blkpg_ioctl_arg arg = { .op = op, .datalen = sizeof(what), .data = &what };

	return ioctl(disk, BLKPG, &arg);
}

int main(void)
{
	int disk = open_disk("/dev/nullb0"), part, loop;
	ssize_t got;

	if (partition(disk, BLKPG_ADD_PARTITION, LENGTH))
		die("a partition");
	part = open_disk("/dev/nullb0p3");
	loop = open_disk("/dev/loop0");
	if (ioctl(loop, LOOP_SET_FD, part))
		die("LOOP_SET_FD");
	if (ioctl(loop, LOOP_SET_DIRECT_IO, 1UL))
		die("LOOP_SET_DIRECT_IO");
	if (partition(disk, BLKPG_RESIZE_PARTITION, LENGTH / 2))
		die("a shorter partition");

	/* half of it is there */
	got = pread(loop, data, sizeof(data), LENGTH / 2 - sizeof(data) / 2);
	if (got >= (ssize_t)sizeof(data) || (got < 0 && errno != EIO))
		die("a read beyond the end");
	printf("%d disk_parts loop0 R %ld %zu EIO\n", getpid(), (LENGTH / 2 - (long)sizeof(data) / 2) / SECTOR, sizeof(data));

	ioctl(loop, LOOP_CLR_FD);
	close(loop);
	close(part);
	if (partition(disk, BLKPG_DEL_PARTITION, 0))
		die("the partition's end");
	return 0;
}

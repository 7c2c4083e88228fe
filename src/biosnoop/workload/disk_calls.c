/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * disk_calls: requests of each kind to /dev/nullb0 and its partitions nullb0p1, from sector 2048, and nullb0p2, from 4096.  Prints
 * for each "PID disk_calls DISK T SECTOR BYTES ERR", as biosnoop has them.
 *
 * disk_calls merged: eight writes side by side by one io_submit(2), of which the kernel makes one request
 *
 * disk_calls part: writes the table with these partitions, and has the kernel read it
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECTOR 512
#define MERGED 8
#define BLOCK 4096

static char data[1 << 16] __attribute__((aligned(4096)));

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static int open_disk(const char *disk)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", disk);
	fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		die(path);
	return fd;
}

static void tell(const char *disk, char op, long sector, int bytes, const char *err)
{
	if (sector < 0)
		printf("%d disk_calls %s %c - %d %s\n", getpid(), disk, op, bytes, err);
	else
		printf("%d disk_calls %s %c %ld %d %s\n", getpid(), disk, op, sector, bytes, err);
}

static void put_partition(unsigned char *entry, uint32_t first, uint32_t count)
{
	entry[4] = 0x83;
	memcpy(entry + 8, &first, 4);
	memcpy(entry + 12, &count, 4);
}

static int make_partitions(void)
{
	int fd = open_disk("nullb0");

	put_partition((unsigned char *)data + 446, 2048, 2048);
	put_partition((unsigned char *)data + 462, 4096, 2048);
	data[510] = 0x55;
	data[511] = (char)0xaa;
	if (pwrite(fd, data, SECTOR, 0) != SECTOR || ioctl(fd, BLKRRPART))
		die("partitions");
	return 0;
}

static int write_merged(void)
{
	struct iocb blocks[MERGED] = { 0 }, *pointers[MERGED];
	struct io_event events[MERGED];
	aio_context_t context = 0;
	int disk = open_disk("nullb0");

	for (int i = 0; i < MERGED; i++) {
		blocks[i].aio_fildes = (uint32_t)disk;
		blocks[i].aio_lio_opcode = IOCB_CMD_PWRITE;
		blocks[i].aio_buf = (uintptr_t)data + (uint64_t)i * BLOCK;
		blocks[i].aio_nbytes = BLOCK;
		blocks[i].aio_offset = 8192 * SECTOR + i * BLOCK;
		pointers[i] = &blocks[i];
	}
	if (syscall(SYS_io_setup, MERGED, &context) || syscall(SYS_io_submit, context, MERGED, pointers) != MERGED ||
	    syscall(SYS_io_getevents, context, MERGED, MERGED, events, NULL) != MERGED)
		die("io_submit");
	tell("nullb0", 'W', 8192, MERGED * BLOCK, "0");
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t range[2] = { 4 << 20, 1 << 16 };
	int disk, part;

	if (argc > 1 && !strcmp(argv[1], "part"))
		return make_partitions();
	if (argc > 1 && !strcmp(argv[1], "merged"))
		return write_merged();
	disk = open_disk("nullb0");
	part = open_disk("nullb0p2");

	if (pwrite(disk, data, 4096, 64 * SECTOR) != 4096)
		die("write");
	tell("nullb0", 'W', 64, 4096, "0");
	if (pread(disk, data, 8192, 128 * SECTOR) != 8192)
		die("read");
	tell("nullb0", 'R', 128, 8192, "0");
	if (pwrite(part, data, 512, 8 * SECTOR) != 512)
		die("write to the partition");
	tell("nullb0p2", 'W', 4096 + 8, 512, "0");
	if (ioctl(disk, BLKDISCARD, range))
		die("discard");
	tell("nullb0", 'D', 8192, 1 << 16, "0");
	/* sector 1000 is bad */
	if (pwrite(disk, data, 512, 1000 * SECTOR) >= 0 || errno != EIO)
		die("a bad sector");
	tell("nullb0", 'W', 1000, 512, "EIO");
	if (fsync(disk))
		die("fsync");
	tell("nullb0", 'F', -1, 0, "0");
	return 0;
}

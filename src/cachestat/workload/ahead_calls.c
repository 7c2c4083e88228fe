/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ahead_calls DISK: has pages of a block device read ahead, uses some of them and drops others, each step under another name that begins
 * with a_, and then prints what a tracer must show, a line each:
 *
 *	COMM READAHEAD USED_READ USED_MAPPED USED_WRITTEN DROPPED WAITING
 *
 * What is in the cache it asks mincore(2).  Pages that nobody uses stay in the cache at its end.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define ALL 256		/* pages that are looked at */
#define SOME 64		/* the first that the second step has to do with */

struct counts {
	long readahead, read, mapped, written, dropped, waiting;
};

static int disk;
static long page;
static unsigned char *map, resident[ALL];

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static long cached(void)
{
	long found = 0;

	if (mincore(map, (size_t)(ALL * page), resident))
		die("mincore");
	for (long i = 0; i < ALL; i++)
		found += resident[i] & 1;
	return found;
}

static void empty(void)
{
	if (fsync(disk) || ioctl(disk, BLKFLSBUF, 0) || posix_fadvise(disk, 0, 0, POSIX_FADV_DONTNEED))
		die("empty");
	if (cached()) {
		fprintf(stderr, "%ld pages stay in the cache\n", cached());
		exit(125);
	}
}

static void read_page(long number)
{
	char byte;

	if (pread(disk, &byte, 1, number * page) != 1)
		die("pread");
}

static void advise(long first, long count, int advice)
{
	if (posix_fadvise(disk, first * page, count * page, advice))
		die("posix_fadvise");
}

/* Page after page, from the begin: the kernel reads ahead by itself.  Then all is dropped. */
static void in_order(struct counts *counts)
{
	for (long i = 0; i < SOME; i++) {
		long before = cached(), is_there = resident[i] & 1;

		read_page(i);
		counts->read += is_there;
		counts->readahead += cached() - before - !is_there;
	}
}

/* 48 pages: 20 are read, twice each, 3 are written to, 5 are mapped, 10 are dropped, and 10 wait. */
static void on_request(struct counts *counts)
{
	char *mapped, *bytes = calloc(1, (size_t)page);

	if (!bytes || posix_fadvise(disk, 0, 0, POSIX_FADV_RANDOM))
		die("posix_fadvise");
	for (long i = SOME; i < SOME + 48; i += 16)
		if (readahead(disk, i * page, (size_t)(16 * page)))
			die("readahead");
	counts->readahead = 48;
	for (long i = 0; i < 40; i++)
		read_page(SOME + i % 20);
	counts->read = 20;
	for (long i = 20; i < 23; i++)
		if (pwrite(disk, bytes, (size_t)page, (SOME + i) * page) != page)
			die("pwrite");
	counts->written = 3;
	/* the first touch maps all that are in the cache */
	mapped = mmap(NULL, (size_t)(5 * page), PROT_READ, MAP_SHARED, disk, (SOME + 23) * page);
	if (mapped == MAP_FAILED)
		die("mmap");
	for (long i = 0; i < 5; i++)
		*(volatile char *)&mapped[i * page];
	munmap(mapped, (size_t)(5 * page));
	free(bytes);
	counts->mapped = 5;
	advise(SOME + 28, 10, POSIX_FADV_DONTNEED);
	counts->dropped = 10;
	counts->waiting = 10;
}

static void print(const char *comm, const struct counts *counts)
{
	printf("%s %ld %ld %ld %ld %ld %ld\n", comm, counts->readahead, counts->read, counts->mapped, counts->written, counts->dropped,
	       counts->waiting);
}

int main(int argc, char **argv)
{
	struct counts ordered = { 0 }, asked = { 0 };

	disk = argc == 2 ? open(argv[1], O_RDWR) : -1;
	if (disk < 0)
		die("disk");
	page = sysconf(_SC_PAGESIZE);
	map = mmap(NULL, (size_t)(ALL * page), PROT_READ, MAP_SHARED, disk, 0);
	if (map == MAP_FAILED)
		die("mmap");
	empty();
	prctl(PR_SET_NAME, "a_order");
	in_order(&ordered);
	prctl(PR_SET_NAME, "a_prepare");
	ordered.dropped = ordered.readahead - ordered.read;
	empty();
	prctl(PR_SET_NAME, "a_asked");
	on_request(&asked);
	prctl(PR_SET_NAME, "ahead_calls");
	print("a_asked", &asked);
	print("a_order", &ordered);
	return 0;
}

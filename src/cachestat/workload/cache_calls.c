/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cache_calls DISK BAD: reads and writes a block device through the page cache in every way that cachestat tells apart, each under another
 * name that begins with c_, and then prints what a tracer must show, a line each:
 *
 *	COMM READ_HITS READ_MISSES FAULT_HITS FAULT_MISSES READAHEAD OTHER DIRTIED WRITTEN
 *
 * What is in the cache it asks mincore(2) before each access, and how many faults there were getrusage(2).  The byte at BAD cannot be read.
 * The last line is "vmstat DIRTIED WRITTEN": by how many pages nr_dirtied and nr_written have risen since its begin.
 *
 * cache_calls large DISK: the same of one read and one write with folios of 64 kB, which block devices have since 6.15.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 64
#define ALL 256		/* pages that are looked at: read-ahead goes beyond those that are read */

struct counts {
	long read_hits, read_misses, fault_hits, fault_misses, readahead, other, dirtied, written;
};

static int disk;
static long page;
static unsigned char *map, resident[ALL];
static char *buffer;
static volatile char sink;

static void die(const char *what)
{
	perror(what);
	exit(125);
}

/* How many of the pages from first on are in the cache. */
static long cached(long first, long count)
{
	long found = 0;

	if (mincore(map, (size_t)(ALL * page), resident))
		die("mincore");
	for (long i = first; i < first + count; i++)
		found += resident[i] & 1;
	return found;
}

/* Empties the cache of the disk. */
static void empty(void)
{
	if (fsync(disk) || ioctl(disk, BLKFLSBUF, 0) || posix_fadvise(disk, 0, 0, POSIX_FADV_DONTNEED))
		die("empty");
	if (cached(0, ALL)) {
		fprintf(stderr, "%ld pages stay in the cache\n", cached(0, ALL));
		exit(125);
	}
}

/* A read, with what it must count as. */
static void read_pages(struct counts *counts, off_t at, size_t bytes)
{
	long first = at / page, count = (at + (long)bytes - 1) / page - first + 1, before = cached(0, ALL), hits = cached(first, count);

	if (pread(disk, buffer, bytes, at) != (ssize_t)bytes)
		die("pread");
	counts->read_hits += hits;
	counts->read_misses += count - hits;
	counts->readahead += cached(0, ALL) - before - (count - hits);
}

/* Page faults until now.  A fault that is tried again is one, and a major one whether it had to read or not. */
static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

/* Touches each page of a new mapping. */
static void touch(struct counts *counts, int advice, bool writes)
{
	char *bytes = mmap(NULL, (size_t)(PAGES * page), writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, disk, 0);
	long before = cached(0, ALL), misses = 0, begin;

	if (bytes == MAP_FAILED || madvise(bytes, (size_t)(PAGES * page), advice))
		die("mmap");
	begin = faults();
	for (long i = 0; i < PAGES; i++) {
		misses += !cached(i, 1);
		if (writes)
			bytes[i * page] = 1;
		else
			sink = bytes[i * page];
	}
	counts->fault_hits += faults() - begin - misses;
	counts->fault_misses += misses;
	counts->readahead += cached(0, ALL) - before - misses;
	munmap(bytes, (size_t)(PAGES * page));
}

static void cold_by_page(struct counts *counts)
{
	for (long i = 0; i < PAGES; i++)
		read_pages(counts, i * page, (size_t)page);
}

static void cold_at_once(struct counts *counts)
{
	read_pages(counts, 0, (size_t)(PAGES * page));
}

/* Of each page a byte, twice; and reads of the end of a page and the begin of the next. */
static void warm(struct counts *counts)
{
	for (long i = 0; i < 2 * PAGES; i++)
		read_pages(counts, i % PAGES * page + 7, 1);
	for (long i = 0; i < 3; i++)
		read_pages(counts, (i + 1) * page - 6, 100);
}

/* Behind the end, which is no access. */
static void at_end(struct counts *counts)
{
	off_t end = lseek(disk, 0, SEEK_END);

	if (pread(disk, buffer, (size_t)page, end - page) != page || pread(disk, buffer, (size_t)(4 * page), end - page) != page ||
	    pread(disk, buffer, (size_t)page, end))
		die("pread at the end");
	counts->read_hits += 1;
	counts->read_misses += 1;
}

static void map_random(struct counts *counts)
{
	touch(counts, MADV_RANDOM, false);
}

static void map_in_order(struct counts *counts)
{
	touch(counts, MADV_NORMAL, false);
}

/* Each page is there already; and written to, so that each is a fault. */
static void map_written(struct counts *counts)
{
	touch(counts, MADV_RANDOM, true);
	counts->dirtied += PAGES;
}

static void sync_pages(struct counts *counts)
{
	if (fsync(disk))
		die("fsync");
	counts->written += PAGES;
}

/* Read to memory that is itself a mapping of a page that is not there. */
static void nested(struct counts *counts)
{
	char *target = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE, disk, 100 * page);

	if (target == MAP_FAILED || madvise(target, (size_t)page, MADV_RANDOM))
		die("mmap");
	read_pages(counts, 0, 1);
	if (pread(disk, target, 1, 0) != 1)
		die("pread to a mapping");
	counts->fault_misses++;
	counts->read_hits++;
}

static void read_ahead(struct counts *counts)
{
	if (readahead(disk, 0, (size_t)(16 * page)))
		die("readahead");
	counts->readahead += 16;
	if (posix_fadvise(disk, 32 * page, 16 * page, POSIX_FADV_WILLNEED) || madvise(map + 64 * page, (size_t)(16 * page), MADV_WILLNEED))
		die("advice");
	counts->readahead += 32;
	/* wait for them */
	for (long i = 0; i < 16; i++) {
		read_pages(counts, i * page, 1);
		read_pages(counts, (32 + i) * page, 1);
		read_pages(counts, (64 + i) * page, 1);
	}
}

static void direct(struct counts *counts)
{
	int fd = open("/proc/self/fd/3", O_RDONLY | O_DIRECT | O_CLOEXEC);

	(void)counts;
	if (fd < 0 || pread(fd, buffer, (size_t)(16 * page), 0) != 16 * page)
		die("O_DIRECT");
	close(fd);
}

/* Whole pages, and then the same once more, which are dirty by then. */
static void write_pages(struct counts *counts)
{
	for (int i = 0; i < 2; i++)
		if (pwrite(disk, buffer, (size_t)(PAGES * page), 0) != PAGES * page)
			die("pwrite");
	counts->other += PAGES;
	counts->dirtied += PAGES;
}

static void copy(struct counts *counts)
{
	int ends[2], null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	off_t at = 0;

	if (null < 0 || pipe(ends))
		die("pipe");
	if (sendfile(null, disk, &at, (size_t)(8 * page)) != 8 * page ||
	    splice(disk, &at, ends[1], NULL, (size_t)(4 * page), 0) != 4 * page)
		die("sendfile, splice");
	close(ends[0]);
	close(ends[1]);
	close(null);
	counts->read_hits += 12;
}

static off_t bad;

/* A read that is cut short: what was read was not in the cache, and what was not is no access. */
static void cut_short(struct counts *counts)
{
	off_t from = bad / page * page - 4 * page;

	if (pread(disk, buffer, (size_t)(16 * page), from) != 4 * page || pread(disk, buffer, (size_t)(16 * page), from) != 4 * page)
		die("pread of a bad page");
	counts->read_hits += 4;
	counts->read_misses += 4;
	counts->readahead = -1;		/* which pages it has tried only it knows */
}

static const struct {
	const char *comm;
	void (*run)(struct counts *counts);
	bool is_cold;
} steps[] = {
	{ "c_by_page", cold_by_page, true }, { "c_at_once", cold_at_once, true }, { "c_warm", warm, false },
	{ "c_end", at_end, true }, { "c_random", map_random, true }, { "c_mapped", map_random, false },
	{ "c_in_order", map_in_order, true }, { "c_at_once2", cold_at_once, true }, { "c_written", map_written, false },
	{ "c_sync", sync_pages, false }, { "c_nested", nested, true }, { "c_ahead", read_ahead, true }, { "c_direct", direct, true },
	{ "c_write", write_pages, true }, { "c_sync2", sync_pages, false }, { "c_copy", copy, false }, { "c_short", cut_short, true },
};

static void print(const char *comm, const struct counts *counts)
{
	printf("%s %ld %ld %ld %ld %ld %ld %ld %ld\n", comm, counts->read_hits, counts->read_misses, counts->fault_hits,
	       counts->fault_misses, counts->readahead, counts->other, counts->dirtied, counts->written);
}

/* The sum of what all CPUs have counted, "nr_dirtied". */
static long vmstat(const char *name)
{
	FILE *refresh = fopen("/proc/sys/vm/stat_refresh", "w"), *file;
	char line[128], word[64];
	long value, found = -1;

	if (!refresh || fputs("1", refresh) < 0 || fclose(refresh))
		die("stat_refresh");
	file = fopen("/proc/vmstat", "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %ld", word, &value) == 2 && !strcmp(word, name))
			found = value;
	if (!file || found < 0)
		die(name);
	fclose(file);
	return found;
}

static void large(void)
{
	struct counts counts = { 0 };
	int size = 1 << 16;
	long dirtied;

	if (ioctl(disk, BLKBSZSET, &size))
		die("BLKBSZSET");
	empty();
	prctl(PR_SET_NAME, "c_large");
	read_pages(&counts, 3 * page, 1);
	dirtied = vmstat("nr_dirtied");
	if (pwrite(disk, "x", 1, 5 * page) != 1 || fsync(disk))
		die("pwrite");
	counts.dirtied = counts.written = vmstat("nr_dirtied") - dirtied;
	prctl(PR_SET_NAME, "cache_calls");
	print("c_large", &counts);
}

int main(int argc, char **argv)
{
	struct counts all[sizeof(steps) / sizeof(*steps)] = { { 0 } };
	bool is_large = argc == 3 && !strcmp(argv[1], "large");
	long dirtied, written;

	disk = open(argv[is_large ? 2 : 1], O_RDWR | (is_large ? O_EXCL : 0));
	if (argc != 3 || disk != 3)
		die(argv[1]);
	page = sysconf(_SC_PAGESIZE);
	bad = atol(argv[2]);
	map = mmap(NULL, (size_t)(ALL * page), PROT_READ, MAP_SHARED, disk, 0);
	buffer = aligned_alloc((size_t)page, (size_t)(ALL * page));
	if (map == MAP_FAILED || !buffer)
		die("memory");
	memset(buffer, 1, (size_t)(ALL * page));
	if (is_large) {
		large();
		return 0;
	}
	empty();
	dirtied = vmstat("nr_dirtied");
	written = vmstat("nr_written");
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		prctl(PR_SET_NAME, "c_prepare");
		if (steps[i].is_cold)
			empty();
		/* what only the second time finds mapped */
		cached(0, ALL);
		prctl(PR_SET_NAME, steps[i].comm);
		steps[i].run(&all[i]);
	}
	prctl(PR_SET_NAME, "cache_calls");
	dirtied = vmstat("nr_dirtied") - dirtied;
	written = vmstat("nr_written") - written;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		print(steps[i].comm, &all[i]);
	printf("vmstat %ld %ld\n", dirtied, written);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fault_calls DISK BAD SLOW: page faults in mappings of block devices, of memory and of shared memory, each step in a process with
 * another name that begins with f_.  The byte at BAD of DISK cannot be read; SLOW takes long.  What is in memory it asks mincore(2) before
 * each access.  It prints what a tracer must show, a line each:
 *
 *	COMM KIND READ ERR OFFSET FILE
 *
 * then for each step in which it faults itself and alone "majflt COMM N", what getrusage(2) says, and at the end "vmstat MAJOR SWAPPED_IN", by how much
 * pgmajfault and pswpin have risen since its begin.  Swap is on, and reads one page at a time (vm.page-cluster=0).
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 16

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21	/* since 5.4 */
#endif

static int disk, slow;
static off_t bad;
static long page;
static volatile char sink;
static sigjmp_buf after_signal;
static pthread_barrier_t both;
static long faults_before;	/* of the step */

static void die(const char *what)
{
	perror(what);
	exit(125);
}

/* A number of /proc/vmstat. */
static long vmstat(const char *name)
{
	char line[128];
	FILE *file = fopen("/proc/vmstat", "r");
	size_t length = strlen(name);
	long value = -1;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, length) && line[length] == ' ')
			value = atol(line + length + 1);
	if (!file || fclose(file) || value < 0)
		die(name);
	return value;
}

static long major_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_majflt;
}

static char *map(int fd, off_t at, size_t pages, int flags)
{
	char *bytes = mmap(NULL, pages * (size_t)page, fd == slow || fd == disk ? PROT_READ : PROT_READ | PROT_WRITE, flags, fd, at);

	if (bytes == MAP_FAILED)
		die("mmap");
	/* one page at a time */
	if (madvise(bytes, pages * (size_t)page, fd == slow || fd == disk ? MADV_RANDOM : MADV_NOHUGEPAGE) && fd == disk)
		die("madvise");
	return bytes;
}

static bool is_resident(char *at)
{
	unsigned char resident;

	if (mincore(at, (size_t)page, &resident))
		die("mincore");
	return resident & 1;
}

static void say(const char *kind, const char *read, const char *error, long offset, const char *file)
{
	char comm[16];

	prctl(PR_GET_NAME, comm);
	if (offset < 0)
		printf("%s %s %s %s - %s\n", comm, kind, read, error, file);
	else
		printf("%s %s %s %s %ld %s\n", comm, kind, read, error, offset, file);
}

/* Touches each page, and says which it expects to be faults. */
static void touch(char *bytes, const char *kind, const char *file)
{
	for (long i = 0; i < PAGES; i++) {
		if (!is_resident(bytes + i * page))
			say(kind, "now", "0", strcmp(kind, "swap") ? i * page : -1, file);
		sink = bytes[i * page];
	}
}

static void touch_disk(void)
{
	touch(map(disk, 0, PAGES, MAP_SHARED), "file", "nullb0");
}

/* All of it is in the cache. */
static void touch_again(void)
{
	char *bytes = map(disk, 0, PAGES, MAP_SHARED);

	for (long i = 0; i < PAGES; i++)
		if (!is_resident(bytes + i * page))
			die("not in the cache");
	touch_disk();
}

/* The kernel faults. */
static void lock_pages(void)
{
	char *bytes = map(disk, PAGES * page, PAGES, MAP_SHARED);

	for (long i = 0; i < PAGES; i++)
		say("file", "now", "0", (PAGES + i) * page, "nullb0");
	if (mlock(bytes, (size_t)(PAGES * page)))
		die("mlock");
}

static void on_signal(int signal)
{
	siglongjmp(after_signal, signal);
}

static void touch_bad(volatile char *byte)
{
	if (!sigsetjmp(after_signal, 1)) {
		sink = *byte;
		die("no SIGBUS");
	}
}

/* A read that fails is tried again; behind the end of the file nothing is read. */
static void read_bad(void)
{
	char *bytes = map(disk, bad, 1, MAP_SHARED);
	int fd = memfd_create("empty", 0);

	signal(SIGBUS, on_signal);
	say("file", "now", "0", bad, "nullb0");
	say("file", "now", "EIO", bad, "nullb0");
	touch_bad(bytes);
	touch_bad(map(fd, 0, 1, MAP_SHARED));
	touch_bad(map(disk, lseek(disk, 0, SEEK_END), 1, MAP_SHARED));
}

static void *touch_together(void *byte)
{
	pthread_barrier_wait(&both);
	sink = *(volatile char *)byte;
	return NULL;
}

/* Of two threads one reads, and the other one waits for that. */
static void wait_for_other(void)
{
	char *bytes = map(slow, 0, 1, MAP_SHARED);
	pthread_t thread;

	say("file", "now", "0", 0, "nullb1");
	say("file", "before", "0", 0, "nullb1");
	if (pthread_barrier_init(&both, NULL, 2) || pthread_create(&thread, NULL, touch_together, bytes))
		die("thread");
	touch_together(bytes);
	pthread_join(thread, NULL);
}

/* Has pages written to swap. */
static char *swap_out(int fd, int flags)
{
	char *bytes = map(fd, 0, PAGES, flags);

	for (long i = 0; i < PAGES; i++)
		bytes[i * page] = (char)(i + 1);
	if (madvise(bytes, (size_t)(PAGES * page), MADV_PAGEOUT))
		die("MADV_PAGEOUT");
	for (long i = 0; i < PAGES; i++)
		if (is_resident(bytes + i * page))
			die("a page stays in memory");
	faults_before = major_faults();
	return bytes;
}

static void swap_in(void)
{
	touch(swap_out(-1, MAP_PRIVATE | MAP_ANONYMOUS), "swap", "-");
}

static void share_in(void)
{
	int fd = memfd_create("pages", 0);

	if (fd < 0 || ftruncate(fd, PAGES * page))
		die("memfd_create");
	touch(swap_out(fd, MAP_SHARED), "shmem", "memfd:pages");
}

static void run(const char *comm, void (*step)(void), bool counts)
{
	int status;

	fflush(stdout);
	if (!fork()) {
		prctl(PR_SET_NAME, comm);
		faults_before = major_faults();
		step();
		if (counts)
			printf("majflt %s %ld\n", comm, major_faults() - faults_before);
		fflush(stdout);
		_exit(0);
	}
	if (wait(&status) < 0 || status)
		exit(125);
}

int main(int argc, char **argv)
{
	long major, swapped_in;

	if (argc != 4)
		return 125;
	page = sysconf(_SC_PAGESIZE);
	disk = open(argv[1], O_RDONLY | O_CLOEXEC);
	bad = atol(argv[2]) / page * page;
	slow = open(argv[3], O_RDONLY | O_CLOEXEC);
	if (disk < 0 || slow < 0 || ioctl(disk, BLKFLSBUF, 0) || ioctl(slow, BLKFLSBUF, 0))
		die("disk");
	major = vmstat("pgmajfault");
	swapped_in = vmstat("pswpin");
	run("f_disk", touch_disk, true);
	run("f_again", touch_again, true);
	run("f_lock", lock_pages, false);
	run("f_bad", read_bad, false);
	run("f_wait", wait_for_other, false);
	run("f_swap", swap_in, true);
	run("f_shmem", share_in, true);
	printf("vmstat %ld %ld\n", vmstat("pgmajfault") - major, vmstat("pswpin") - swapped_in);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leaks: allocates and frees in every way, and knows what it has not freed.  Prints "ready PID", waits for a line, does it, prints
 * "done ALLOCS ALLOC_BYTES FREES FREED_BYTES FAILED UNKNOWN" and waits for another line.
 *
 *	leaks at-once	waits for nothing
 *	leaks exec	likewise, but executes itself before, with something allocated
 *	leaks maps	maps memory and files, and unmaps some
 *	leaks pages	touches 256 pages and gives 56 of them back
 *	leaks files	opens 300 files and closes 100 of them: the kernel allocates
 *
 * It uses no stdio: that allocates, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PART __attribute__((noinline, noclone, noipa))
static unsigned long allocs, alloc_bytes, frees, freed_bytes, failed, unknown;
static void *volatile kept;	/* so that no call is left out */
static volatile size_t too_much = PTRDIFF_MAX;
static int wake[2], answer[2];
static size_t page;

static void die(const char *what)
{
	dprintf(2, "leaks: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void *count(void *at, size_t bytes)
{
	if (!at)
		die("an allocation");
	kept = at;
	allocs++;
	alloc_bytes += bytes;
	return at;
}

static void count_freed(size_t bytes)
{
	frees++;
	freed_bytes += bytes;
}

static void give_back(void *at, size_t bytes)
{
	count_freed(bytes);
	free(at);
}

PART void leak_by_malloc(void)
{
	for (int i = 0; i < 10; i++)
		count(malloc(100), 100);
}

PART void leak_by_calloc(void)
{
	for (int i = 0; i < 5; i++)
		count(calloc(3, 50), 150);
}

PART void leak_by_alignment(void)
{
	void *at = NULL;

	if (posix_memalign(&at, 64, 200))
		die("posix_memalign");
	count(at, 200);
	count(aligned_alloc(64, 256), 256);
	count(memalign(64, 128), 128);
	count(valloc(300), 300);
	count(pvalloc(310), 310);
}

/* Larger than what is there has room for: it moves. */
PART void leak_by_realloc(void)
{
	void *small = count(malloc(10), 10), *between = count(malloc(20), 20), *large;

	large = realloc(small, 5000);
	count_freed(10);
	count(large, 5000);
	count(reallocarray(NULL, 7, 11), 77);
	give_back(between, 20);
}

/* What is there stays. */
PART void leak_by_failure(void)
{
	void *there = count(malloc(40), 40), *at = there;

	if (realloc(there, too_much) || malloc(too_much) || reallocarray(at, too_much, 4) || posix_memalign(&at, 64, too_much) != ENOMEM)
		die("too much memory");
	failed += 4;
}

PART void free_by_realloc(void)
{
	void *there = count(malloc(60), 60);

	if (realloc(there, 0))
		die("realloc to nothing");
	count_freed(60);
}

PART void leak_nothing(void)
{
	for (int i = 0; i < 1000; i++)
		give_back(count(malloc(30), 30), 30);
}

static void *blocks[4];

PART void leak_in_thread(void)
{
	for (int i = 0; i < 4; i++)
		blocks[i] = count(malloc(1000), 1000);
}

static void *thread(void *unused)
{
	char byte;

	if (read(wake[0], &byte, 1) != 1)
		return unused;
	leak_in_thread();
	if (write(answer[1], "", 1) != 1)
		die("write");
	/* until the process ends: a thread's end frees */
	pause();
	return unused;
}

/* Its heap is its own: it frees what its parent has, and what it allocates is not its parent's. */
PART void fork_one(void)
{
	void *there = count(malloc(70), 70);
	pid_t child = fork();

	if (!child) {
		free(there);
		kept = malloc(500);
		_exit(0);
	}
	if (waitpid(child, NULL, 0) != child)
		die("fork");
}

/* It shares the memory: what it frees is free. */
PART void vfork_one(void)
{
	void *there = count(malloc(80), 80);
	pid_t child = vfork();

	if (!child) {
		free(there);
		_exit(0);
	}
	count_freed(80);
	if (waitpid(child, NULL, 0) != child)
		die("vfork");
}

static void open_files(void)
{
	int files[300];

	for (int i = 0; i < 300; i++) {
		files[i] = open("/dev/null", O_RDONLY);
		if (files[i] < 0)
			die("/dev/null");
	}
	for (int i = 0; i < 100; i++)
		close(files[i]);
}

static void touch_pages(void)
{
	char *pages = mmap(NULL, 256 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		die("mmap");
	for (int i = 0; i < 256; i++)
		pages[i * page] = 1;
	if (munmap(pages, 56 * page))
		die("munmap");
}

static void *map(size_t pages, int protection)
{
	void *at = mmap(NULL, pages * page, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

static void unmap(void *at, size_t pages)
{
	if (munmap(at, pages * page))
		die("munmap");
}

PART void leak_by_mmap(void)
{
	for (int i = 0; i < 2; i++)
		count(map(3, PROT_READ | PROT_WRITE), 3 * page);
}

PART void leak_by_part(void)
{
	void *at = count(map(4, PROT_READ), 4 * page);

	unmap(at, 1);
	freed_bytes += page;
}

/* Its size is no whole page's, and it moves. */
PART void leak_by_mremap(void)
{
	char *at = count(map(2, PROT_READ | PROT_WRITE), 2 * page);

	at = mremap(at, 2 * page, 10 * page - 1, MREMAP_MAYMOVE);
	if (at == MAP_FAILED)
		die("mremap");
	count_freed(2 * page);
	count(at, 10 * page);
	if (mremap(at, 10 * page, too_much, 0) != MAP_FAILED ||
	    mmap(NULL, too_much, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		die("too much memory");
	failed += 2;
}

PART void map_nothing(void)
{
	void *there = count(map(5, PROT_WRITE), 5 * page), *of_file;
	int file = open("/proc/self/exe", O_RDONLY);

	unmap(there, 5);
	count_freed(5 * page);
	map(100, PROT_NONE);
	of_file = mmap(NULL, page, PROT_READ, MAP_PRIVATE, file, 0);
	if (of_file == MAP_FAILED || mremap(of_file, page, 2 * page, MREMAP_MAYMOVE) == MAP_FAILED)
		die("a file");
}

/* The C library maps it. */
PART void leak_large(void)
{
	void *there = count(malloc(1 << 20), 1 << 20);

	give_back(count(malloc(3 << 20), 3 << 20), 3 << 20);
	there = realloc(there, 2 << 20);
	count_freed(1 << 20);
	count(there, 2 << 20);
}

static void wait_for_line(void)
{
	char line[16];

	if (read(0, line, sizeof(line)) < 1)
		die("no line comes");
}

static void say(const char *format, ...)
{
	char text[256];
	va_list list;
	int size;

	va_start(list, format);
	size = vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (write(1, text, size) != size)
		die("write");
}

int main(int argc, char **argv)
{
	void *before[3];
	pthread_t made;
	char byte;

	page = (size_t)sysconf(_SC_PAGESIZE);
	if (argc > 1 && !strcmp(argv[1], "maps")) {
		say("ready %d\n", getpid());
		wait_for_line();
		leak_by_mmap();
		leak_by_part();
		leak_by_mremap();
		map_nothing();
		leak_large();
		say("done %lu %lu %lu %lu %lu 0\n", allocs, alloc_bytes, frees, freed_bytes, failed);
		wait_for_line();
		_exit(0);
	}
	if (argc > 1 && !strcmp(argv[1], "exec")) {
		kept = malloc(900);
		execl("/proc/self/exe", "leaks", "at-once", NULL);
		die("/proc/self/exe");
	}
	if (argc > 1 && strcmp(argv[1], "at-once")) {
		say("ready %d\n", getpid());
		wait_for_line();
		if (!strcmp(argv[1], "files"))
			open_files();
		else
			touch_pages();
		say("done\n");
		wait_for_line();
		_exit(0);
	}
	for (int i = 0; i < 3; i++)
		kept = before[i] = malloc(77);
	if (pipe(wake) || pipe(answer) || pthread_create(&made, NULL, thread, NULL))
		die("no thread");
	if (argc < 2) {
		say("ready %d\n", getpid());
		wait_for_line();
	}
	leak_by_malloc();
	leak_by_calloc();
	leak_by_alignment();
	leak_by_realloc();
	leak_by_failure();
	free_by_realloc();
	leak_nothing();
	if (write(wake[1], "", 1) != 1 || read(answer[0], &byte, 1) != 1)
		die("the thread does not work");
	give_back(blocks[1], 1000);
	give_back(blocks[3], 1000);
	fork_one();
	vfork_one();
	for (int i = 0; i < 3; i++)
		free(before[i]);
	unknown = 3;
	say("done %lu %lu %lu %lu %lu %lu\n", allocs, alloc_bytes, frees, freed_bytes, failed, unknown);
	if (argc < 2)
		wait_for_line();
	_exit(0);
}

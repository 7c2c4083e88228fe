/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process with a known tree of calls:
 *
 *	main - busy - often		3/4 of the work
 *	            - seldom		1/4
 *	     - reads			or, asked to read: system calls all the time
 *
 *	call_tree SECONDS [read]
 *
 * It says "ready PID" and begins when a byte comes from stdin; works for about so long of its own CPU time, says "done", and ends when
 * another byte comes.
 *
 * The shares are those of the work, not of the time as the clock has it: a CPU of a guest stands still whenever the host has something
 * else to do.  It has frame pointers (call_tree.flags); the C library has none.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone, used))
/* The compiler leaves the frame pointer out of a function that calls nobody, whatever it is told; but not if the frame is looked at. */
#define KEEP_FRAME() asm volatile("" : : "r"(__builtin_frame_address(0)))
#define UNIT_NS 5000000		/* that a unit of work takes, more or less */

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#define WORK(rounds)                                             \
	for (uint64_t round = 0; round < (rounds); round++)      \
		sink = sink * 6364136223846793005u + 1442695040888963407u

KEPT void often(uint64_t rounds)
{
	KEEP_FRAME();
	WORK(rounds);
}

KEPT void seldom(uint64_t rounds)
{
	KEEP_FRAME();
	WORK(rounds);
}

/* How many rounds a unit has: the most that some tries did in its time, as others only take time away. */
static uint64_t measure_unit(void)
{
	uint64_t most = 0;

	for (int i = 0; i < 5; i++) {
		uint64_t begin = cpu_ns(), rounds = 0;

		while (cpu_ns() - begin < UNIT_NS) {
			WORK(1000);
			rounds += 1000;
		}
		most = rounds > most ? rounds : most;
	}
	return most;
}

/* Of each four units one is seldom's, by chance which: no regular sample can always meet the same. */
KEPT void busy(uint64_t ns, uint64_t unit)
{
	uint64_t begin = cpu_ns();
	uint32_t chance = 1;

	while (cpu_ns() - begin < ns) {
		chance = chance * 1103515245 + 12345;
		for (uint32_t i = 0; i < 4; i++) {
			if (i == chance >> 30)
				seldom(unit);
			else
				often(unit);
		}
	}
}

KEPT void reads(uint64_t ns)
{
	static char bytes[65536];
	int fd = open("/dev/zero", O_RDONLY);
	uint64_t begin = cpu_ns();

	while (cpu_ns() - begin < ns)
		for (int i = 0; i < 100; i++)
			if (read(fd, bytes, sizeof(bytes)) < 0)
				exit(1);
	close(fd);
}

KEPT int main(int argc, char **argv)
{
	uint64_t ns = argc > 1 ? (uint64_t)(atof(argv[1]) * 1e9) : 1000000000, unit = measure_unit();
	char byte;

	printf("ready %d\n", getpid());
	fflush(stdout);
	if (read(0, &byte, 1) != 1)
		return 1;
	if (argc > 2 && !strcmp(argv[2], "read"))
		reads(ns);
	else
		busy(ns, unit);
	printf("done\n");
	fflush(stdout);
	return read(0, &byte, 1) < 0;
}

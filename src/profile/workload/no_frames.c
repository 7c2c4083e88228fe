/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that works in main - outer - inner, all without frame pointers (no_frames.flags), and has 1 in the register where one would be,
 * as a compiler may: who called inner() cannot be seen.
 *
 *	no_frames SECONDS
 *
 * It says "ready PID", "done NAME" and takes bytes from stdin as call_tree does.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone, used))

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

KEPT void inner(uint64_t rounds)
{
#ifdef __x86_64__
	asm volatile("mov $1, %%ebp; 1: dec %0; jnz 1b" : "+r"(rounds) : : "rbp", "memory", "cc");
#else
	for (uint64_t round = 0; round < rounds; round++)
		sink = sink * 6364136223846793005u + 1442695040888963407u;
#endif
}

KEPT void outer(uint64_t ns)
{
	uint64_t begin = cpu_ns();

	while (cpu_ns() - begin < ns)
		inner(1000000);
	sink++;
}

KEPT int main(int argc, char **argv)
{
	char byte;

	printf("ready %d\n", getpid());
	fflush(stdout);
	if (argc < 2 || read(0, &byte, 1) != 1)
		return 1;
	outer((uint64_t)(atof(argv[1]) * 1e9));
	printf("done %s\n", argv[0]);
	fflush(stdout);
	return read(0, &byte, 1) < 0;
}

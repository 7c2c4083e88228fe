/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function of 400 branches, wide(), that takes 5/6 of the time, and a tight loop, narrow(), that takes the rest.
 *
 *	wide SECONDS
 *
 * It says "ready PID" and begins when a byte comes from stdin; works for so long of its own CPU time, says "done", and ends when another
 * byte comes.  It has frame pointers (wide.flags).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone, used))
#define KEEP_FRAME() asm volatile("" : : "r"(__builtin_frame_address(0)))

static volatile uint64_t sum;

/* A jump before and after each, so that an emulator interrupts it at each, too. */
#define BRANCH(n) case n: if (sum & 1) sum += n; else sum ^= n; break;
#define TEN(n) BRANCH(n) BRANCH(n + 1) BRANCH(n + 2) BRANCH(n + 3) BRANCH(n + 4) \
	BRANCH(n + 5) BRANCH(n + 6) BRANCH(n + 7) BRANCH(n + 8) BRANCH(n + 9)
#define HUNDRED(n) TEN(n) TEN(n + 10) TEN(n + 20) TEN(n + 30) TEN(n + 40) TEN(n + 50) TEN(n + 60) TEN(n + 70) TEN(n + 80) TEN(n + 90)

static uint64_t ran_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

KEPT void wide(uint64_t rounds)
{
	KEEP_FRAME();
	for (uint64_t i = 0; i < rounds; i++)
		switch (i % 400) {
		HUNDRED(0) HUNDRED(100) HUNDRED(200) HUNDRED(300)
		}
	KEEP_FRAME();
}

KEPT void narrow(uint64_t rounds)
{
	KEEP_FRAME();
	for (uint64_t i = 0; i < rounds; i++)
		sum += i;
	KEEP_FRAME();
}

/* Rounds of a function that take so long, as measured. */
static uint64_t rounds_in(void (*function)(uint64_t), uint64_t ns)
{
	uint64_t begin = ran_ns(), rounds = 200000;

	function(rounds);
	return rounds * ns / (ran_ns() - begin);
}

KEPT int main(int argc, char **argv)
{
	uint64_t ns = argc > 1 ? (uint64_t)(atof(argv[1]) * 1e9) : 0, begin, wides, narrows;
	char byte;

	if (!ns)
		return 2;
	wides = rounds_in(wide, 5000000);
	narrows = rounds_in(narrow, 1000000);
	printf("ready %d\n", getpid());
	fflush(stdout);
	if (read(0, &byte, 1) != 1)
		return 1;
	for (begin = ran_ns(); ran_ns() - begin < ns;) {
		wide(wides);
		narrow(narrows);
	}
	printf("done\n");
	fflush(stdout);
	return read(0, &byte, 1) < 0;
}

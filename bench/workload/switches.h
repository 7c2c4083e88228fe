/* SPDX-License-Identifier: BSD-2-Clause */
/* The program switches COUNT [WRITERS]: pairs of processes on one CPU (one pair) hand a byte to and fro, a context switch each time. */
#ifndef BENCH_SWITCHES_H
#define BENCH_SWITCHES_H

#include <sched.h>

#include "work.h"

static void play(int in, int out, long rounds, int serves)
{
	char ball = 0;

	for (long i = 0; i < rounds; i++) {
		if (serves && write(out, &ball, 1) != 1)
			_exit(1);
		if (read(in, &ball, 1) != 1)
			_exit(1);
		if (!serves && write(out, &ball, 1) != 1)
			_exit(1);
	}
}

/* The partner of the one that serves. */
static void start_partner(int there[2], int back[2], long rounds)
{
	if (pipe(there) || pipe(back))
		exit(1);
	if (fork())
		return;
	play(there[0], back[1], rounds, 0);
	_exit(0);
}

int main(int argc, char **argv)
{
	long pairs = work__number(argc, argv, 2, 2) / 2, rounds = work__number(argc, argv, 1, 2) / 2 / pairs;
	struct work_span span;
	int there[2], back[2];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return 1;
	for (long i = 1; i < pairs; i++) {
		start_partner(there, back, rounds);
		if (fork())
			continue;
		play(back[0], there[1], rounds, 1);
		_exit(0);
	}
	start_partner(there, back, rounds);
	span = work__begin();
	play(back[0], there[1], rounds, 1);
	/* one pair's end is the span's; of several the last one's */
	while (pairs > 1 && wait(NULL) > 0)
		;
	work__end(&span, rounds * 2 * pairs);
	while (wait(NULL) > 0)
		;
	return 0;
}

#endif

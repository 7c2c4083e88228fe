/* SPDX-License-Identifier: BSD-2-Clause */
/* switches COUNT: two processes on one CPU hand a byte to and fro, a context switch each time. */
#include <sched.h>
#include <sys/wait.h>

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

int main(int argc, char **argv)
{
	long rounds = work__number(argc, argv, 1, 2) / 2;
	struct work_span span;
	int there[2], back[2];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one) || pipe(there) || pipe(back))
		return 1;
	if (!fork()) {
		play(there[0], back[1], rounds, 0);
		_exit(0);
	}
	span = work__begin();
	play(back[0], there[1], rounds, 1);
	work__end(&span, rounds * 2);
	wait(NULL);
	return 0;
}

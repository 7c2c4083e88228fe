/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ask_time SECONDS: asks for the time all the time, which the vDSO tells. It says "ready PID" and begins when a byte comes
 * from stdin; works for so long of its own CPU time, says "done", and ends when another byte comes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0;
	char byte;

	printf("ready %d\n", getpid());
	fflush(stdout);
	if (read(0, &byte, 1) != 1)
		return 1;
	while ((double)clock() / CLOCKS_PER_SEC < seconds)
		for (int i = 0; i < 100000; i++) {
			struct timespec now;

			clock_gettime(CLOCK_MONOTONIC, &now);
		}
	printf("done\n");
	fflush(stdout);
	return read(0, &byte, 1) < 0;
}

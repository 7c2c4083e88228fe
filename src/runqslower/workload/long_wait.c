/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * long_wait TIMES MS [rt] [busy]: "waits" waits for a CPU, TIMES times and at least MS milliseconds each, while "spins" has it.  Both may
 * use CPU 0 only, and spins has a real-time priority: it wakes the other one and does not give the CPU away until the time is over.
 * rt: waits has one, too, which is lower.  busy: waits never sleeps, so it loses the CPU instead of being woken.
 * Prints "PID-OF-WAITS PID-OF-SPINS".
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool has_word(char **argv, const char *word)
{
	while (*argv && strcmp(*argv, word))
		argv++;
	return *argv;
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[1]) : 0, ms = argc > 2 ? atoi(argv[2]) : 0;
	bool is_busy = has_word(argv, "busy");
	struct sched_param priority = { .sched_priority = 1 };
	int to[2], from[2];
	cpu_set_t first;
	char byte = 0;
	pid_t child;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first) || pipe(to) || pipe(from))
		die("affinity, pipe");
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		close(to[1]);
		prctl(PR_SET_NAME, "waits");
		while (read(to[0], &byte, 1) == 1) {
			if (write(from[1], &byte, 1) != 1)
				_exit(1);
			while (is_busy)
				;
		}
		_exit(0);
	}
	prctl(PR_SET_NAME, "spins");
	if (has_word(argv, "rt") && (sched_setscheduler(child, SCHED_FIFO, &priority) || !++priority.sched_priority))
		die("sched_setscheduler");
	/* the first time only to know that the other one is in its loop */
	if (write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1)
		die("pipe");
	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		die("sched_setscheduler");
	for (int i = 0; i < times; i++) {
		int64_t until_ms;

		/* woken only once it sleeps: FIFO puts us before it, and we give the CPU away here */
		if (usleep(1000))
			die("usleep");
		if (!is_busy && write(to[1], &byte, 1) != 1)
			die("write");
		/* the other one waits from here on: a clock read before the write would count what the write takes, too */
		until_ms = now_ms() + ms;
		while (now_ms() <= until_ms)
			;
		if (!is_busy && read(from[0], &byte, 1) != 1)
			die("read");
	}
	printf("%d %d\n", child, getpid());
	close(to[1]);
	if (is_busy)
		kill(child, SIGKILL);
	wait(NULL);
	return 0;
}

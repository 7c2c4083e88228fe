/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * queue_tasks COUNT MS: COUNT real-time tasks want CPU 0 for so many milliseconds: one has it, the others wait.  MS below 900: in each
 * second real-time tasks may have 950 ms (/proc/sys/kernel/sched_rt_runtime_us).
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void set_priority(int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(0, SCHED_FIFO, &param)) {
		perror("sched_setscheduler");
		exit(125);
	}
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0, status = 0;
	cpu_set_t cpus;
	uint64_t end;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (count < 1 || sched_setaffinity(0, sizeof(cpus), &cpus)) {
		fprintf(stderr, "usage: queue_tasks COUNT MS\n");
		return 2;
	}
	/* the children run when all are there and this process sleeps */
	set_priority(2);
	end = clock_ms() + (uint64_t)atoi(argv[2]);
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 125;
		if (!pid) {
			set_priority(1);
			while (clock_ms() < end)
				;
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		if (status)
			return 125;
	printf("done\n");
	return 0;
}

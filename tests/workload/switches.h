/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * law_TOOL for tools that count switches: the number of times that the kernel switched a CPU to one of the writers, from its own
 * count of that (pcount, the last field of /proc/PID/schedstat, docs: Documentation/scheduler/sched-stats.rst).  The writers are
 * asleep at the first and at the last reading, so what lies in between is all of it: as many switches to them as from them.
 *
 * SWITCHES_AWAY before the header: the number of times that a writer left a CPU, from voluntary and nonvoluntary_ctxt_switches in
 * /proc/PID/status.  pcount lacks those who come back after they were preempted on their way to sleep: sched_info_depart() marks
 * running tasks as queued only (kernel/sched/stats.h), and a real-time kernel preempts there often.
 *
 * SWITCHES_ASLEEP: the number of sleeps of the writers that began and ended, the voluntary ones less those that they are in at the end.
 *
 * Called and answering as law_workload.h says.  Each writer hands a byte to the next one and waits for it to come around, EVENTS
 * times.
 */
#ifndef SWITCHES_H
#define SWITCHES_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asleep.h"

#define WRITERS_MAX 64

static pid_t pids[WRITERS_MAX];
static int ring[WRITERS_MAX][2];

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static void __attribute__((unused)) read_file(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	file = fopen(path, "r");
	if (!file || !fgets(text, (int)size, file))
		die(path);
	fclose(file);
}

#ifdef SWITCHES_ASLEEP
#define SWITCHES_AWAY
#define SLEEPS_ONLY true
#else
#define SLEEPS_ONLY false
#endif

#ifdef SWITCHES_AWAY
static unsigned long long count_switches(pid_t pid)
{
	unsigned long long sum = 0, count;
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	if (!file)
		die(path);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "voluntary_ctxt_switches: %llu", &count) == 1 ||
		    (!SLEEPS_ONLY && sscanf(line, "nonvoluntary_ctxt_switches: %llu", &count) == 1))
			sum += count;
	fclose(file);
	return sum;
}
#else
static unsigned long long count_switches(pid_t pid)
{
	unsigned long long count;
	char text[1024];

	read_file(pid, "schedstat", text, sizeof(text));
	if (sscanf(text, "%*u %*u %llu", &count) != 1)
		die("schedstat");
	return count;
}
#endif

/* Waits until it sleeps, and says how often it was switched to, or away. */
static unsigned long long switches_of(pid_t pid)
{

	/* not the letter S: on a real-time kernel a task may have it that is preempted on its way to sleep, and comes back once more */
	while (!is_asleep_in(SYS_read, pid))
		usleep(1000);
	return count_switches(pid);
}

static void write_ring(unsigned int self, unsigned int writers)
{
	char byte;

	prctl(PR_SET_NAME, "law_writer");
	while (read(ring[self][0], &byte, 1) == 1)
		if (write(ring[(self + 1) % writers][1], &byte, 1) != 1)
			_exit(1);
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned int events = argc > 2 ? (unsigned int)atoi(argv[1]) : 0, writers = argc > 2 ? (unsigned int)atoi(argv[2]) : 0;
	unsigned long long before[WRITERS_MAX], total = 0, first = 0;
	int back[2];
	char line[64], byte = 1;

	if (!writers || writers > WRITERS_MAX || pipe(back))
		return 125;
	for (unsigned int i = 0; i < writers; i++)
		if (pipe(ring[i]))
			die("pipe");
	for (unsigned int i = 0; i < writers; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("fork");
		if (!pids[i]) {
			/* the last one hands it back to us */
			if (i == writers - 1)
				dup2(back[1], ring[0][1]);
			write_ring(i, writers);
		}
	}
	/* the name is set before the first sleep in read() */
	for (unsigned int i = 0; i < writers; i++)
		before[i] = switches_of(pids[i]);
	printf("ready");
	for (unsigned int i = 0; i < writers; i++)
		printf(" %d", pids[i]);
	printf("\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 125;
	for (unsigned int i = 0; i < events; i++)
		if (write(ring[0][1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			die("ring");
	for (unsigned int i = 0; i < writers; i++) {
		unsigned long long count = switches_of(pids[i]) - before[i] - SLEEPS_ONLY;

		total += count;
		if (!i)
			first = count;
	}
	printf("generated %llu failed 0 first %llu\n", total, first);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		;
	for (unsigned int i = 0; i < writers; i++)
		kill(pids[i], 9);
	while (wait(NULL) > 0)
		;
	return 0;
}

#endif

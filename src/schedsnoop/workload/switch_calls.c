/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks that leave their CPU in known ways and known numbers, for tests of schedsnoop.
 *
 *	switch_calls states		each state once at least: children sleep (S), wait in the kernel (D),
 *					yield (R), are preempted (R+), stopped (T), traced (t), and end (Z or X)
 *	switch_calls ping THREADS N	THREADS threads, each woken N times on the last CPU
 *
 * ping says "ready PID TID…" when they sleep, begins at a line from stdin, then says "all COUNT…" and "switches COUNT…", how often each
 * left and got the CPU since it was made, and since it was ready, and ends at the end of stdin.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asleep.h"

#define THREADS_MAX 16

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void pin(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
}

static void wait_for(pid_t pid, int options)
{
	int status;

	if (waitpid(pid, &status, options) != pid)
		die("waitpid");
}

static pid_t child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	return pid;
}

/* How often a task has left a CPU, of its own will or not; path: /proc/PID/status */
static long switches_of(const char *path, bool both)
{
	long voluntary = -1, involuntary = -1;
	char line[256];
	FILE *file;

	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "voluntary_ctxt_switches: %ld", &voluntary);
		sscanf(line, "nonvoluntary_ctxt_switches: %ld", &involuntary);
	}
	if (!file || voluntary < 0 || involuntary < 0)
		die(path);
	fclose(file);
	return voluntary + (both ? involuntary : 0);
}

/* A child that stops tells its parent so before it leaves the CPU; returns when it has left. */
static void wait_until_stopped(pid_t pid)
{
	char path[64];

	wait_for(pid, WUNTRACED);
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	while (!switches_of(path, false))
		sched_yield();
}

/* How often this process was taken off a CPU against its will. */
static long preempted(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		die("getrusage");
	return usage.ru_nivcsw;
}

static void states(void)
{
	volatile unsigned long count = 0;
	char path[64];
	long before;
	pid_t pid;

	/* S: the parent waits */
	pid = child();
	if (!pid)
		_exit(0);
	wait_for(pid, 0);
	/* D: the parent of a vfork() waits in the kernel, and signals do not wake it; the child ends when it does */
	snprintf(path, sizeof(path), "/proc/%d/status", getpid());
	before = switches_of(path, false);
	pid = vfork();
	if (!pid) {
		while (switches_of(path, false) == before)
			usleep(1000);
		_exit(0);
	}
	wait_for(pid, 0);
	/* R+: two on one CPU that do nothing but count, so that the clock takes it from one for the other */
	pid = child();
	if (!pid)
		for (;;)
			count++;
	before = preempted();
	while (preempted() < before + 3)
		for (int i = 0; i < 100000; i++)
			count++;
	(void)count;	/* or gcc 15 takes it for a variable that nobody reads */
	/* R: the one that yields to it */
	for (int i = 0; i < 10; i++)
		sched_yield();
	kill(pid, SIGKILL);
	wait_for(pid, 0);
	/* T */
	pid = child();
	if (!pid) {
		raise(SIGSTOP);
		_exit(0);
	}
	wait_until_stopped(pid);
	kill(pid, SIGCONT);
	wait_for(pid, 0);
	/* t */
	pid = child();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGTRAP);
		_exit(0);
	}
	wait_until_stopped(pid);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	wait_for(pid, 0);
}

struct worker {
	int to[2], from[2];	/* pipes */
	pid_t tid;
	long switches;		/* before */
};

/* Returns once the thread sleeps in read(2). */
static void wait_until_asleep(pid_t tid)
{
	do
		sched_yield();
	while (!is_asleep_in(SYS_read, tid));
}

/* It is asleep, so that it came as often since it was asleep before. */
static long left_cpu(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	return switches_of(path, true);
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	char byte = 0;

	worker->tid = (pid_t)syscall(SYS_gettid);
	do {
		if (write(worker->from[1], &byte, 1) != 1)
			die("write");
	} while (read(worker->to[0], &byte, 1) == 1);
	return NULL;
}

static void ping(int threads, long times)
{
	struct worker workers[THREADS_MAX];
	char line[64], byte = 0;
	pthread_t thread;
	cpu_set_t cpus;

	/* they are born where they stay: a switch from the tool, on the first CPU, to a thread would not be shown */
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		die("sched_getaffinity");
	pin((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	for (int i = 0; i < threads; i++) {
		if (pipe(workers[i].to) || pipe(workers[i].from) || pthread_create(&thread, NULL, work, &workers[i]) ||
		    read(workers[i].from[0], &byte, 1) != 1)
			die("a thread");
		wait_until_asleep(workers[i].tid);
		workers[i].switches = left_cpu(workers[i].tid);
	}
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
	printf("ready %d", getpid());
	for (int i = 0; i < threads; i++)
		printf(" %d", workers[i].tid);
	printf("\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return;
	for (long n = 0; n < times; n++) {
		for (int i = 0; i < threads; i++)
			if (write(workers[i].to[1], &byte, 1) != 1)
				die("write");
		for (int i = 0; i < threads; i++)
			if (read(workers[i].from[0], &byte, 1) != 1)
				die("read");
	}
	printf("all");
	for (int i = 0; i < threads; i++) {
		wait_until_asleep(workers[i].tid);
		printf(" %ld", 2 * left_cpu(workers[i].tid));
	}
	printf("\nswitches");
	for (int i = 0; i < threads; i++)
		printf(" %ld", 2 * (left_cpu(workers[i].tid) - workers[i].switches));
	printf("\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		;
	_exit(0);
}

int main(int argc, char **argv)
{
	prctl(PR_SET_NAME, "switch_calls");
	if (argc == 2 && !strcmp(argv[1], "states")) {
		pin((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
		states();
	} else if (argc == 4 && !strcmp(argv[1], "ping") && atoi(argv[2]) > 0 && atoi(argv[2]) <= THREADS_MAX) {
		ping(atoi(argv[2]), atol(argv[3]));
	} else {
		fprintf(stderr, "usage: switch_calls states | ping THREADS N\n");
		return 2;
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waits for a CPU that end on another CPU than they began on, and what the kernel counts of them. Needs two CPUs, and real-time tasks that
 * may have all of a second (/proc/sys/kernel/sched_rt_runtime_us).
 *
 *	moved_waits moves TIMES MS	a task called "moved" waits for CPU 0, which another one has, and is moved to CPU 1 after MS milliseconds
 *	moved_waits load TASKS TIMES	tasks called "moved" run for 1 to 30 ms and sleep for 1 to 20 ms, so often; the kernel moves them as it likes
 *
 * The first line is "ready" and, of moves, the numbers of the task by then; then it waits for a line on stdin. At the end there is a line for
 * each task: PID, how long it waited (ns), and how often, as /proc/PID/schedstat has it.
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TASKS_MAX 16

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void allow(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set))
		die("sched_setaffinity");
}

/* How long a task that does not run has waited (ns), and how often. */
static unsigned long long read_waits(pid_t pid, unsigned long long *count)
{
	unsigned long long on_cpu, delay;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%llu %llu %llu", &on_cpu, &delay, count) != 3)
		die(path);
	fclose(file);
	return delay;
}

/* "PID DELAY COUNT" of a task that does not run. */
static void print_waits(const char *before, pid_t pid)
{
	unsigned long long count, delay = read_waits(pid, &count);

	printf("%s%d %llu %llu\n", before, pid, delay, count);
}

/* A task has ended: its numbers are whole once it has left its CPU for good, which is after it can be waited for. */
static void print_ended(pid_t pid)
{
	siginfo_t info;

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT))
		die("waitid");
	usleep(20000);
	print_waits("", pid);
	waitpid(pid, NULL, 0);
}

static void wait_for_go(void)
{
	fflush(stdout);
	if (getchar() == EOF)
		die("stdin");
}

/* A child that has its name from the first moment on. */
static pid_t fork_moved(void)
{
	pid_t child;

	prctl(PR_SET_NAME, "moved");
	child = fork();
	if (child < 0)
		die("fork");
	if (child)
		prctl(PR_SET_NAME, "mover");
	return child;
}

/*
 * A child that has the CPU while *turn is BUSY, which it makes of ASKED, and else sleeps.  It does not keep the CPU all the time: from
 * 6.12 on the kernel gives tasks that real-time ones have kept from a CPU for some 950 ms 50 ms of each second (fair server,
 * kernel/sched/deadline.c), at once then.
 */
enum { REST, ASKED, BUSY };

static pid_t burn_cpu(int cpu, _Atomic int *turn)
{
	struct sched_param priority = { .sched_priority = 1 };
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (child)
		return child;
	allow(0, cpu);
	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		die("sched_setscheduler");
	for (;;) {
		while (*turn == REST)
			usleep(1000);
		*turn = BUSY;
		while (*turn == BUSY)
			;
	}
}

/*
 * Another wait is made for each that the fair server has cut short: on 7.3 its timer, begun by one wait, runs on when the wait has ended,
 * and can come in a later one.  So before the next one the workload lets more than the timer's period of a second pass.
 */
#define FAIR_SERVER_US 1100000

static void moves(int times, int ms)
{
	unsigned long long delay, before, count, wait_ns = 0;
	_Atomic int *turn = mmap(NULL, sizeof(*turn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t burner, moved;
	int to[2], from[2];
	char byte = 0;

	if (turn == MAP_FAILED || pipe(to) || pipe(from))
		die("pipe");
	allow(0, 1);
	moved = fork_moved();
	if (!moved) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1)
			if (write(from[1], &byte, 1) != 1)
				_exit(1);
		_exit(0);
	}
	if (write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1)
		die("pipe");
	burner = burn_cpu(0, turn);
	usleep(20000);
	print_waits("ready ", moved);
	wait_for_go();
	before = read_waits(moved, &count);
	for (int whole = 0, tries = 0; whole < times; tries++) {
		if (tries == 10 * times) {
			fprintf(stderr, "the waits are cut short, to %llu ns\n", wait_ns);
			kill(burner, SIGKILL);
			exit(1);
		}
		*turn = ASKED;
		while (*turn != BUSY)
			usleep(200);
		allow(moved, 0);
		if (write(to[1], &byte, 1) != 1)
			die("write");
		usleep((useconds_t)ms * 1000);
		allow(moved, 1);
		if (read(from[0], &byte, 1) != 1)
			die("read");
		*turn = REST;
		/* it sleeps again */
		usleep(2000);
		delay = read_waits(moved, &count);
		wait_ns = delay - before;
		before = delay;
		if (wait_ns >= (unsigned long long)ms * 1000000)
			whole++;
		else
			usleep(FAIR_SERVER_US);
	}
	/* it has the pipe, too */
	kill(burner, SIGKILL);
	waitpid(burner, NULL, 0);
	close(to[1]);
	print_ended(moved);
}

static void run_and_sleep(unsigned int seed, int times)
{
	for (int i = 0; i < times; i++) {
		int64_t until;

		seed = seed * 1103515245 + 12345;
		until = now_us() + 1000 + seed / 65536 % 29000;
		while (now_us() < until)
			;
		usleep(1000 + seed / 256 % 19000);
	}
	_exit(0);
}

static void load(int tasks, int times)
{
	pid_t pids[TASKS_MAX];
	char byte;
	int go[2];

	if (tasks > TASKS_MAX || pipe(go))
		die("pipe");
	puts("ready");
	wait_for_go();
	for (int i = 0; i < tasks; i++) {
		pids[i] = fork_moved();
		if (!pids[i]) {
			close(go[1]);
			if (read(go[0], &byte, 1) < 0)
				_exit(1);
			run_and_sleep((unsigned int)i + 1, times);
		}
	}
	close(go[1]);
	for (int i = 0; i < tasks; i++)
		print_ended(pids[i]);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "moves"))
		moves(atoi(argv[2]), atoi(argv[3]));
	else if (argc == 4 && !strcmp(argv[1], "load"))
		load(atoi(argv[2]), atoi(argv[3]));
	else
		return 2;
	return 0;
}

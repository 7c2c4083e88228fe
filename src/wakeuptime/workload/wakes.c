/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that wakes another one, and knows how often and after how long:
 *
 * 	waker: main - outer - inner - …		sleeper
 *
 * 	wakes pipe MS COUNT	writes to the sleeper's pipe when it has slept for so many milliseconds
 * 	wakes naps MS COUNT	wakes nobody: the sleeper's timer does
 * 	wakes … PROGRAM		becomes another program at its end; the sleeper ends with that
 *
 * It says "ready PID", the sleeper's, and begins when a byte comes from stdin; says "done LEAST MOST" and ends when another
 * byte comes, or at the end of stdin.  LEAST and MOST: nanoseconds between which the sum of COUNT sleeps lies; LEAST is 0
 * for naps, as their timer may run out before they sleep.
 *
 * It has frame pointers (wakes.flags).
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"

#define KEPT __attribute__((noinline, noclone, used))
/* The compiler leaves the frame pointer out of a function that calls nobody, whatever it is told; but not if the frame is looked at. */
#define KEEP_FRAME() asm volatile("" : : "r"(__builtin_frame_address(0)))

static int to_sleeper[2], from_sleeper[2];

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void nap(uint64_t ns)
{
	struct timespec time = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };

	nanosleep(&time, NULL);
}

KEPT void inner(void)
{
	char byte = 1;

	KEEP_FRAME();
	if (write(to_sleeper[1], &byte, 1) != 1)
		exit(1);
	KEEP_FRAME();
}

/* It calls at three places in turn: three stacks of addresses, and one chain of functions. */
KEPT void outer(void)
{
	static unsigned int turn;

	KEEP_FRAME();
	switch (turn++ % 3) {
	case 0:
		inner();
		asm volatile("# the first");
		break;
	case 1:
		inner();
		asm volatile("# the second");
		break;
	default:
		inner();
		asm volatile("# the third");
	}
	KEEP_FRAME();
}

/* Its first sleep began before anybody looked. */
static void sleep_as(const char *how, uint64_t ns, int count)
{
	char byte;

	prctl(PR_SET_NAME, "sleeper");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(to_sleeper[1]);
	if (!strcmp(how, "naps")) {
		if (read(to_sleeper[0], &byte, 1) != 1)
			_exit(1);
		for (int i = 0; i < count; i++)
			nap(ns);
		if (write(from_sleeper[1], &byte, 1) != 1)
			_exit(1);
	}
	while (read(to_sleeper[0], &byte, 1) == 1)
		;
	_exit(0);
}

/* A task that was woken and is not on a CPU's queue yet looks as if it were asleep: not before it has read what woke it. */
static void wait_for_sleep(pid_t pid)
{
	int unread;

	while (ioctl(to_sleeper[0], FIONREAD, &unread) || unread || !is_asleep_in(SYS_read, pid))
		nap(1000000);
}

KEPT int main(int argc, char **argv)
{
	uint64_t ns, begin, least = 0;
	bool is_pipe;
	pid_t pid;
	int count;
	char byte;

	if (argc < 4 || pipe(to_sleeper) || pipe(from_sleeper))
		return 2;
	ns = (uint64_t)atoi(argv[2]) * 1000000;
	count = atoi(argv[3]);
	is_pipe = !strcmp(argv[1], "pipe");
	prctl(PR_SET_NAME, "waker");
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid)
		sleep_as(argv[1], ns, count);
	wait_for_sleep(pid);
	printf("ready %d\n", pid);
	fflush(stdout);
	if (read(0, &byte, 1) != 1)
		return 1;
	/* ends the sleep that had begun */
	begin = clock_ns();
	outer();
	for (int i = 0; i < count && is_pipe; i++) {
		uint64_t slept;

		wait_for_sleep(pid);
		slept = clock_ns();
		nap(ns);
		least += clock_ns() - slept;
		outer();
	}
	if (!is_pipe && read(from_sleeper[0], &byte, 1) != 1)
		return 1;
	printf("done %llu %llu\n", (unsigned long long)least, (unsigned long long)(clock_ns() - begin));
	fflush(stdout);
	if (read(0, &byte, 1) < 0)
		return 1;
	if (argc > 4)
		return execl(argv[4], argv[4], NULL);
	close(to_sleeper[1]);
	waitpid(pid, NULL, 0);
	return 0;
}

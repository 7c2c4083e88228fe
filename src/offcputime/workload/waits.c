/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that waits, and knows for how long:
 *
 *	main - outer - inner - …
 *
 *	waits naps MS COUNT	sleeps of so many milliseconds
 *	waits sites MS COUNT	the same, through calls of site() at five places of inner()
 *	waits crowd MS		runs for so long, beside another one on the same CPU
 *	waits vfork MS		waits uninterruptibly for a child that sleeps so long
 *	waits tree COUNT PASSES	waits once in each of so many stacks, main - outer - 18 times left() or right() - leaf(); then says "pass" and waits
 *				for a byte before the next pass
 *
 * It says "ready PID" and begins when a byte comes from stdin; says "done OFF DELAY" and ends when another byte comes.  OFF: nanoseconds that
 * outer() took, without those that it ran by the kernel's sum; DELAY: those that it waited for a CPU, of /proc/PID/schedstat.
 *
 * It has frame pointers (waits.flags).
 */
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone, used))
/* The compiler leaves the frame pointer out of a function that calls nobody, whatever it is told; but not if the frame is looked at. */
#define KEEP_FRAME() asm volatile("" : : "r"(__builtin_frame_address(0)))

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What the kernel says: nanoseconds of waiting for a CPU. */
static uint64_t read_delay(void)
{
	FILE *file = fopen("/proc/self/schedstat", "r");
	unsigned long long ran, delay;

	if (!file || fscanf(file, "%llu %llu", &ran, &delay) != 2)
		exit(1);
	fclose(file);
	return delay;
}

static void nap(uint64_t ns)
{
	struct timespec time = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };

	nanosleep(&time, NULL);
}

static void run_for(uint64_t ns)
{
	uint64_t begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin < ns)
		;
}

/* ---- a tree of calls */

#define TREE_DEPTH 18

static long count_waits(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? -1 : usage.ru_nvcsw;
}

/* Whose turn it is.  A futex: whoever sleeps here sleeps interruptibly, and takes no lock that the other one may hold. */
enum { OURS, OTHERS };
static int *turn;

static void give_turn(int whose)
{
	__atomic_store_n(turn, whose, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Starts who gives each turn back: who waits for it leaves no CPU idle, and needs no timer. */
static void start_partner(void)
{
	static const struct sched_param none;
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	turn = mmap(NULL, sizeof(*turn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	/* on one CPU, and nobody preempts who wakes him: that one would have the turn back, and not wait */
	if (turn == MAP_FAILED || sched_setaffinity(0, sizeof(first), &first) || sched_setscheduler(0, SCHED_BATCH, &none))
		exit(1);
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		while (__atomic_load_n(turn, __ATOMIC_SEQ_CST) == OURS)
			syscall(SYS_futex, turn, FUTEX_WAIT, OURS, NULL, NULL, 0);
		give_turn(OURS);
	}
}

/*
 * Waits once for the futex. On a real-time kernel the lock of the futex is waited for as well, uninterruptibly, and the futex then is not:
 * the call says so.
 */
KEPT void leaf(void)
{
	bool waited = false;

	KEEP_FRAME();
	while (!waited) {
		give_turn(OTHERS);
		while (__atomic_load_n(turn, __ATOMIC_SEQ_CST) == OTHERS) {
			long before = count_waits();

			waited |= !syscall(SYS_futex, turn, FUTEX_WAIT, OTHERS, NULL, NULL, 0) && count_waits() != before;
		}
	}
	KEEP_FRAME();
}

KEPT void left(unsigned int path, unsigned int depth);
KEPT void right(unsigned int path, unsigned int depth);

static inline __attribute__((always_inline)) void descend(unsigned int path, unsigned int depth)
{
	KEEP_FRAME();
	if (!depth)
		leaf();
	else if (path & 1)
		right(path >> 1, depth - 1);
	else
		left(path >> 1, depth - 1);
	KEEP_FRAME();
}

void left(unsigned int path, unsigned int depth) { descend(path, depth); }
void right(unsigned int path, unsigned int depth) { descend(path, depth); }

static void climb(unsigned int count, int passes)
{
	char byte;

	for (int pass = 1;; pass++) {
		for (unsigned int path = 0; path < count; path++)
			descend(path, TREE_DEPTH);
		if (pass >= passes)
			return;
		printf("pass\n");
		fflush(stdout);
		if (read(0, &byte, 1) != 1)
			return;
	}
}

KEPT void site(uint64_t ns)
{
	KEEP_FRAME();
	nap(ns);
	KEEP_FRAME();
}

KEPT void inner(char **argv, uint64_t ns)
{
	KEEP_FRAME();
	if (!strcmp(argv[1], "naps")) {
		for (int i = 0; i < atoi(argv[3]); i++)
			nap(ns);
	} else if (!strcmp(argv[1], "sites")) {
		for (int i = 0; i < atoi(argv[3]); i++) {
			site(ns);
			site(ns + 1);
			site(ns + 2);
			site(ns + 3);
			site(ns + 4);
			KEEP_FRAME();
		}
	} else if (!strcmp(argv[1], "vfork")) {
		pid_t child = vfork();

		if (!child) {
			nap(ns);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	} else if (!strcmp(argv[1], "tree")) {
		climb((unsigned int)atoi(argv[2]), atoi(argv[3]));
	} else {
		run_for(ns);
	}
}

KEPT void outer(char **argv, uint64_t ns)
{
	KEEP_FRAME();
	inner(argv, ns);
	KEEP_FRAME();
}

KEPT int main(int argc, char **argv)
{
	uint64_t ns = argc > 2 ? (uint64_t)atoi(argv[2]) * 1000000 : 0, off, delay, ran;
	cpu_set_t first;
	char byte;

	if (argc < 3 || ((!strcmp(argv[1], "naps") || !strcmp(argv[1], "sites") || !strcmp(argv[1], "tree")) && argc < 4))
		return 2;
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (!strcmp(argv[1], "crowd") && sched_setaffinity(0, sizeof(first), &first))
		return 1;
	if (!strcmp(argv[1], "tree"))
		start_partner();
	printf("ready %d\n", getpid());
	fflush(stdout);
	if (read(0, &byte, 1) != 1)
		return 1;
	if (!strcmp(argv[1], "crowd") && !fork()) {
		run_for(ns);
		_exit(0);
	}
	delay = read_delay();
	off = clock_ns(CLOCK_MONOTONIC);
	ran = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	outer(argv, ns);
	ran = clock_ns(CLOCK_THREAD_CPUTIME_ID) - ran;
	off = clock_ns(CLOCK_MONOTONIC) - off - ran;
	delay = read_delay() - delay;
	printf("done %llu %llu\n", (unsigned long long)off, (unsigned long long)delay);
	fflush(stdout);
	return read(0, &byte, 1) < 0;
}

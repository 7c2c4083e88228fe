/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lock_waits: waits in futex(2) through main - outer - inner, and knows them.  Says "ready PID" and begins when a byte comes from stdin.
 * A line for each of its locks:
 *
 *	WHAT LOCK COUNT LEAST MOST
 *
 * how many waits it makes, and between which sums of nanoseconds they take: WHAT is
 *
 *	timeout		FUTEX_WAIT that ends by its timeout
 *	stop		the same, while the process is stopped and goes on: restart_syscall(2)
 *	bitset		FUTEX_WAIT_BITSET that ends by its timeout
 *	changed		FUTEX_WAIT of a word that has another value already
 *	mutex		FUTEX_WAIT until another thread wakes it
 *	pi		FUTEX_LOCK_PI, which another thread holds
 *	first		futex_waitv of two that ends by its timeout: the first of them; where the kernel has it
 *	second		futex_waitv of the two until another thread wakes the second one
 *
 * "done COUNT" tells that all is over; it ends when another byte comes.  It has frame pointers (lock_waits.flags).
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone, used))
#define KEEP_FRAME() asm volatile("" : : "r"(__builtin_frame_address(0)))
#define MS 1000000ull

static uint32_t timeout_word, stop_word, bitset_word, changed_word, mutex_word, pi_word;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };
}

/* The system call itself: the C library's function has no frame. */
static KEPT long inner(uint32_t *word, int op, uint32_t value, const struct timespec *time)
{
	long result;

	KEEP_FRAME();
#ifdef __x86_64__
	register const struct timespec *r10 asm("r10") = time;
	register void *r8 asm("r8") = NULL;
	register unsigned long r9 asm("r9") = FUTEX_BITSET_MATCH_ANY;

	asm volatile("syscall" : "=a"(result) : "a"(SYS_futex), "D"(word), "S"((long)op), "d"((unsigned long)value), "r"(r10), "r"(r8), "r"(r9)
		     : "rcx", "r11", "memory");
#else
	/* syscall(3) is a function without a frame record, whose caller is not in the stack then */
	register long x8 asm("x8") = SYS_futex, x0 asm("x0") = (long)word, x1 asm("x1") = op, x2 asm("x2") = value, x3 asm("x3") = (long)time;
	register long x4 asm("x4") = 0, x5 asm("x5") = FUTEX_BITSET_MATCH_ANY;

	asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	result = x0;
#endif
	return result;
}

static KEPT long outer(uint32_t *word, int op, uint32_t value, const struct timespec *time)
{
	long result = inner(word, op, value, time);

	KEEP_FRAME();
	return result;
}

static int made;

static void tell(const char *what, const uint32_t *word, int count, uint64_t least, uint64_t most)
{
	made += count;
	printf("%s 0x%llx %d %llu %llu\n", what, (unsigned long long)(uintptr_t)word, count, (unsigned long long)least, (unsigned long long)most);
}

static void time_out(int count, uint64_t ns)
{
	struct timespec time = timespec_of(ns);
	uint64_t begun = now_ns();

	for (int i = 0; i < count; i++)
		if (outer(&timeout_word, FUTEX_WAIT_PRIVATE, 0, &time) != -ETIMEDOUT)
			exit(1);
	tell("timeout", &timeout_word, count, ns * (uint64_t)count, now_ns() - begun);
}

static void bitset(int count, uint64_t ns)
{
	uint64_t begun = now_ns();

	for (int i = 0; i < count; i++) {
		struct timespec until = timespec_of(now_ns() + ns);

		if (outer(&bitset_word, FUTEX_WAIT_BITSET_PRIVATE, 0, &until) != -ETIMEDOUT)
			exit(1);
	}
	/* the time is absolute: what it takes to begin is no part of the wait */
	tell("bitset", &bitset_word, count, (ns - MS) * (uint64_t)count, now_ns() - begun);
}

static void changed(int count)
{
	uint64_t begun = now_ns();

	for (int i = 0; i < count; i++)
		if (outer(&changed_word, FUTEX_WAIT_PRIVATE, 1, NULL) != -EAGAIN)
			exit(1);
	tell("changed", &changed_word, count, 0, now_ns() - begun);
}

static void nap(uint64_t ns)
{
	struct timespec time = timespec_of(ns);

	nanosleep(&time, NULL);
}

/* A child stops it in the wait and lets it go on: the wait has two parts. */
static void stop(uint64_t ns)
{
	struct timespec time = timespec_of(ns);
	uint64_t begun;
	pid_t child = fork();

	if (!child) {
		nap(ns / 4);
		kill(getppid(), SIGSTOP);
		nap(ns / 4);
		kill(getppid(), SIGCONT);
		_exit(0);
	}
	begun = now_ns();
	if (outer(&stop_word, FUTEX_WAIT_PRIVATE, 0, &time) != -ETIMEDOUT)
		exit(1);
	tell("stop", &stop_word, 2, ns - MS, now_ns() - begun);
	waitpid(child, NULL, 0);
}

static void *wake_mutex(void *ns)
{
	nap(*(uint64_t *)ns);
	__atomic_store_n(&mutex_word, 0, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &mutex_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return NULL;
}

static void start(pthread_t *thread, void *(*function)(void *), void *argument)
{
	if (pthread_create(thread, NULL, function, argument))
		exit(1);
}

static void mutex(int count, uint64_t ns)
{
	uint64_t begun = now_ns();

	for (int i = 0; i < count; i++) {
		pthread_t thread;

		mutex_word = 2;
		start(&thread, wake_mutex, &ns);
		if (outer(&mutex_word, FUTEX_WAIT_PRIVATE, 2, NULL))
			exit(1);
		while (pthread_tryjoin_np(thread, NULL))
			nap(MS);
	}
	tell("mutex", &mutex_word, count, (ns - MS) * (uint64_t)count, now_ns() - begun);
}

static volatile bool is_held;

static void *hold_pi(void *ns)
{
	if (syscall(SYS_futex, &pi_word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0))
		exit(1);
	is_held = true;
	nap(*(uint64_t *)ns);
	syscall(SYS_futex, &pi_word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
	return NULL;
}

/* The thread that holds it has locked it by the same call. */
static void pi(int count, uint64_t ns)
{
	uint64_t begun = now_ns();

	for (int i = 0; i < count; i++) {
		pthread_t thread;

		is_held = false;
		start(&thread, hold_pi, &ns);
		while (!is_held)
			nap(MS / 10);
		if (outer(&pi_word, FUTEX_LOCK_PI_PRIVATE, 0, NULL))
			exit(1);
		syscall(SYS_futex, &pi_word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
		while (pthread_tryjoin_np(thread, NULL))
			nap(MS);
	}
	tell("pi", &pi_word, 2 * count, (ns - MS) * (uint64_t)count, now_ns() - begun);
}

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

static uint32_t first_word, second_word;

static KEPT long wait_for_both(const struct timespec *until)
{
	struct {
		uint64_t value, address;
		uint32_t flags, reserved;
	} two[2] = { { .address = (uintptr_t)&first_word, .flags = 2 /* 32 bits */ }, { .address = (uintptr_t)&second_word, .flags = 2 } };

	return syscall(SYS_futex_waitv, two, 2, 0, until, CLOCK_MONOTONIC);
}

static void *wake_second(void *ns)
{
	nap(*(uint64_t *)ns);
	syscall(SYS_futex, &second_word, FUTEX_WAKE, 1, NULL, NULL, 0);
	return NULL;
}

/* Asked without the call: one that fails would be one that a filter drops. */
static bool has_futex_waitv(void)
{
	struct utsname name;
	int major, minor;

	return !uname(&name) && sscanf(name.release, "%d.%d", &major, &minor) == 2 && (major > 5 || (major == 5 && minor >= 16));
}

static void vector(int count, uint64_t ns)
{
	struct timespec until = timespec_of(now_ns() + ns);
	uint64_t begun = now_ns();

	if (!has_futex_waitv())
		return;
	if (wait_for_both(&until) >= 0 || errno != ETIMEDOUT)
		exit(1);
	tell("first", &first_word, 1, ns - MS, now_ns() - begun);
	begun = now_ns();
	for (int i = 0; i < count; i++) {
		pthread_t thread;

		start(&thread, wake_second, &ns);
		if (wait_for_both(NULL) != 1)
			exit(1);
		while (pthread_tryjoin_np(thread, NULL))
			nap(MS);
	}
	tell("second", &second_word, count, (ns - MS) * (uint64_t)count, now_ns() - begun);
}

int main(void)
{
	char byte;

	printf("ready %d\n", getpid());
	fflush(stdout);
	if (read(0, &byte, 1) != 1)
		return 1;
	time_out(10, 5 * MS);
	bitset(5, 4 * MS);
	changed(7);
	mutex(4, 6 * MS);
	pi(3, 8 * MS);
	stop(40 * MS);
	vector(2, 3 * MS);
	printf("done %d\n", made);
	fflush(stdout);
	if (read(0, &byte, 1) != 1)
		return 1;
	return 0;
}

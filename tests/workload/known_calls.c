/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * known_calls THREADS: so many threads, named known_thread, each of which
 *
 *	calls read(2) ten times, whose function in the kernel ends with a jump to another one (a tail call);
 *	sleeps in readv(2), all of them at the same time, for 20 ms at least;
 *	ends by exit(2), whose functions do not return.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"

#define THREADS_MAX 1000
#define READS 10
#define SLEEP_NS 20000000

static atomic_int tids[THREADS_MAX];
static int zero, ends[2];

static void *thread(void *tid)
{
	struct iovec vector;
	char byte;

	prctl(PR_SET_NAME, "known_thread");
	for (int i = 0; i < READS; i++)
		if (read(zero, &byte, 1) != 1)
			_exit(1);
	vector = (struct iovec){ &byte, 1 };
	atomic_store((atomic_int *)tid, (int)syscall(SYS_gettid));
	if (readv(ends[0], &vector, 1))
		_exit(1);
	return NULL;
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

int main(int argc, char **argv)
{
	int count = argc == 2 ? atoi(argv[1]) : 0;
	pthread_t threads[THREADS_MAX];
	pthread_attr_t attr;
	long long since_ns;

	if (count < 1 || count > THREADS_MAX)
		return 2;
	zero = open("/dev/zero", O_RDONLY);
	if (zero < 0 || pipe(ends))
		return 1;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], &attr, thread, &tids[i]))
			return 1;
	for (int i = 0; i < count; i++)
		while (!tids[i] || !is_asleep_in(SYS_readv, tids[i]))
			usleep(1000);
	/* after the last one has fallen asleep */
	since_ns = now_ns();
	while (now_ns() - since_ns < SLEEP_NS)
		usleep(SLEEP_NS / 1000);
	close(ends[1]);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* graph_threads THREADS: so many threads are in one clock_nanosleep(2) each at the same time. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_barrier_t together;

static void *nap(void *unused)
{
	struct timespec ms = { .tv_nsec = 20 * 1000 * 1000 };

	pthread_barrier_wait(&together);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &ms, NULL);
	return unused;
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? (unsigned int)atoi(argv[1]) : 0;
	pthread_t threads[1024];

	if (!count || count > 1024)
		return 2;
	pthread_barrier_init(&together, NULL, count);
	for (unsigned int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, nap, NULL))
			return 1;
	for (unsigned int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("%u\n", count);
	return 0;
}

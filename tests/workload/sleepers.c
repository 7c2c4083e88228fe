/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sleepers N: N threads are in pause(2) at the same time, and then all return from it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "asleep.h"
#include "machine.h"

#define SLEEPERS_MAX 2000

static atomic_int tids[SLEEPERS_MAX];

static void none(int signal)
{
	(void)signal;
}

static void *sleeper(void *tid)
{
	atomic_store((atomic_int *)tid, (int)syscall(SYS_gettid));
	syscall(SYS_pause);
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc == 2 ? atoi(argv[1]) : 0;
	struct sigaction action = { .sa_handler = none };
	pthread_t threads[SLEEPERS_MAX];
	pthread_attr_t attr;

	if (count < 1 || count > SLEEPERS_MAX)
		return 2;
	sigaction(SIGUSR1, &action, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], &attr, sleeper, &tids[i]))
			return 1;
	for (int i = 0; i < count; i++)
		while (!tids[i] || !is_asleep_in(machine__nr(SYS_pause), tids[i]))
			usleep(1000);
	for (int i = 0; i < count; i++)
		pthread_kill(threads[i], SIGUSR1);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spins CGROUP THREADS MS: enters the cgroup of that directory, and has each of THREADS threads, "spin1", "spin2" …, use MS milliseconds of
 * CPU time.  Prints the process.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static int64_t wanted_ns;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void *spin(void *number)
{
	struct timespec used;
	char name[16];

	snprintf(name, sizeof(name), "spin%ld", (long)(intptr_t)number);
	prctl(PR_SET_NAME, name);
	do {
		for (volatile int i = 0; i < 10000; i++)
			;
		if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used))
			die("clock_gettime");
	} while ((int64_t)used.tv_sec * 1000000000 + used.tv_nsec < wanted_ns);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	int count, procs;
	char path[4096];

	if (argc != 4 || (count = atoi(argv[2])) < 1 || count > 64) {
		fprintf(stderr, "usage: spins CGROUP THREADS MS\n");
		return 2;
	}
	wanted_ns = atoll(argv[3]) * 1000000;
	printf("%d\n", getpid());
	snprintf(path, sizeof(path), "%s/cgroup.procs", argv[1]);
	procs = open(path, O_WRONLY);
	if (procs < 0 || write(procs, "0", 1) != 1)
		die(path);
	close(procs);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, spin, (void *)(intptr_t)(i + 1)))
			die("pthread_create");
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

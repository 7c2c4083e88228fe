/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sleeps uninterruptibly: vfork(2) does until its child ends.
 *
 *	vforks MS COUNT		so many children that sleep so many milliseconds
 *	vforks wait		a child that ends when a byte comes from stdin
 *
 * It prints its pid, first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"

static void nap(long ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

#ifndef SYS_vfork
#define SYS_vfork SYS_clone	/* newer architectures have that one only */
#endif

/* Until the process sleeps uninterruptibly: what a child does before that is not part of its parent's sleep. */
static void await_sleep(pid_t pid)
{
	int file = open_asleep(pid);

	while (!is_asleep(SYS_vfork, file))
		;
	close(file);
}

int main(int argc, char **argv)
{
	int waits = argc == 2 && !strcmp(argv[1], "wait");
	char byte;

	if (argc != 3 && !waits)
		return 2;
	printf("%d\n", getpid());
	fflush(stdout);
	for (int i = 0; i < (waits ? 1 : atoi(argv[2])); i++) {
		pid_t child = vfork();

		if (child < 0)
			return 1;
		if (!child) {
			if (waits && read(0, &byte, 1) != 1)
				_exit(1);
			if (!waits) {
				await_sleep(getppid());
				nap(atol(argv[1]));
			}
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}

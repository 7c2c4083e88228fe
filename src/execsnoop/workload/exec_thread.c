/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exec_thread PROGRAM ARG…: prints "PID TID" of a thread that is not the process's first, which executes PROGRAM when
 * a line comes from stdin.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *run(void *argv)
{
	char **program = argv, line[16];

	printf("%d %d\n", getpid(), gettid());
	fflush(stdout);
	if (read(STDIN_FILENO, line, sizeof(line)) > 0)
		execv(*program, program);
	perror("exec_thread");
	_exit(1);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2 || pthread_create(&thread, NULL, run, argv + 1)) {
		fprintf(stderr, "usage: exec_thread PROGRAM ARG...\n");
		return 2;
	}
	pthread_join(thread, NULL);
	return 1;
}

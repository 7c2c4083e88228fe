/* SPDX-License-Identifier: BSD-2-Clause */
/* ending_thread: prints the number of a second thread, which ends when a line is read; the process goes on until it is killed. */
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *until_a_line(void *unused)
{
	char byte;

	printf("%ld\n", syscall(SYS_gettid));
	fflush(stdout);
	while (read(0, &byte, 1) == 1 && byte != '\n')
		;
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, until_a_line, NULL))
		return 1;
	pthread_join(thread, NULL);
	for (;;)
		pause();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make_calls WHAT N: makes calls whose number is known, under the name "calls".
 *
 *	getpgid N	N getpgid(), and in a second thread with another name N more
 *	fail N		N unlink() of what is not there, and N read() of no descriptor
 *	fork N		N forks
 *	signal N	N times a signal's handler, which ends with rt_sigreturn()
 *	restart N	N times a read() that a signal interrupts, and that the kernel begins again
 *	exec N		a thread that is not the first one executes "make_calls getpgid N"
 *	32 N		N 32-bit getpgid(); exit status 77 where the kernel has none
 *	wait N		begins getpgid() N times, says "ready PID", and reads its stdin
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asleep.h"
#include "call32.h"

#define GETPGID32 132	/* the number of getpgid in the 32-bit ABI of x86 and arm */

static int count;

static void *make_in_thread(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "another name");
	for (int i = 0; i < count; i++)
		getpgid(0);
	return NULL;
}

static void *exec_in_thread(void *unused)
{
	char number[16];

	(void)unused;
	snprintf(number, sizeof(number), "%d", count);
	execl("/proc/self/exe", "make_calls", "getpgid", number, (char *)NULL);
	_exit(1);
}

static void on_signal(int signal)
{
	(void)signal;
}

static int ends[2];

/* What the read waits for: the one that is begun again finds it. */
static void on_signal_write(int signal)
{
	(void)signal;
	if (write(ends[1], "", 1) != 1)
		_exit(1);
}

static int restart(void)
{
	const struct sigaction action = { .sa_handler = on_signal_write, .sa_flags = SA_RESTART };
	pid_t self = getpid(), child;
	int next[2];
	char byte;

	if (pipe(ends) || pipe(next) || sigaction(SIGUSR1, &action, NULL))
		return 1;
	child = fork();
	if (!child) {
		prctl(PR_SET_NAME, "signaller");
		while (read(next[0], &byte, 1) == 1 && byte) {
			while (!is_asleep_in(SYS_read, self))
				usleep(1000);
			kill(self, SIGUSR1);
		}
		_exit(0);
	}
	for (int i = 0; i < count; i++)
		if (write(next[1], "x", 1) != 1 || read(ends[0], &byte, 1) != 1)
			return 1;
	return write(next[1], "", 1) != 1 || waitpid(child, NULL, 0) != child;
}

static int run(const char *what)
{
	pthread_t thread;
	char byte;

	if (!strcmp(what, "getpgid")) {
		for (int i = 0; i < count; i++)
			getpgid(0);
		return pthread_create(&thread, NULL, make_in_thread, NULL) || pthread_join(thread, NULL);
	}
	if (!strcmp(what, "fail")) {
		for (int i = 0; i < count; i++)
			if (!unlink("/nonexistent/make_calls") || read(-1, &byte, 1) >= 0)
				return 1;
		return 0;
	}
	if (!strcmp(what, "fork")) {
		for (int i = 0; i < count; i++) {
			pid_t child = fork();

			if (!child)
				_exit(0);
			if (child < 0 || waitpid(child, NULL, 0) != child)
				return 1;
		}
		return 0;
	}
	if (!strcmp(what, "signal")) {
		signal(SIGUSR1, on_signal);
		for (int i = 0; i < count; i++)
			raise(SIGUSR1);
		return 0;
	}
	if (!strcmp(what, "restart"))
		return restart();
	if (!strcmp(what, "exec"))
		return pthread_create(&thread, NULL, exec_in_thread, NULL) || pthread_join(thread, NULL);
	if (!strcmp(what, "32")) {
		call32__need();
		for (int i = 0; i < count; i++)
			if (call32(GETPGID32, 0, 0, 0, 0, 0) < 0)
				return 1;
		return 0;
	}
	if (!strcmp(what, "wait")) {
		for (int i = 0; i < count; i++)
			getpgid(0);
		printf("ready %d\n", getpid());
		fflush(stdout);
		return read(0, &byte, 1) < 0;
	}
	return 2;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	count = atoi(argv[2]);
	prctl(PR_SET_NAME, "calls");
	return run(argv[1]);
}

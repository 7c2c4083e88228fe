/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_signals: a process sends SIGUSR1 to a thread of its own, the thread sends SIGUSR2 to the process, and the kernel sends
 * SIGALRM.  Prints "PID TID", the thread's.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static pid_t tid;
static pthread_barrier_t ready, end;

static void none(int signal)
{
	(void)signal;
}

static void *run(void *unused)
{
	prctl(PR_SET_NAME, "sig_thread");
	tid = (pid_t)syscall(SYS_gettid);
	kill(getpid(), SIGUSR2);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&end);
	return unused;
}

int main(void)
{
	struct itimerval soon = { .it_value.tv_usec = 1000 };
	pthread_t thread;
	sigset_t set;
	int got;

	signal(SIGUSR1, none);
	signal(SIGUSR2, none);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_barrier_init(&ready, NULL, 2);
	pthread_barrier_init(&end, NULL, 2);
	pthread_create(&thread, NULL, run, NULL);
	pthread_barrier_wait(&ready);
	syscall(SYS_tgkill, getpid(), tid, SIGUSR1);
	pthread_barrier_wait(&end);
	pthread_join(thread, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	sigwait(&set, &got);
	printf("%d %d\n", getpid(), tid);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waits for a lock of the kernel, one at a time: a process that reads a terminal holds a mutex of it until a line comes
 * (n_tty_read() in drivers/tty/n_tty.c), which never does, and another one that reads it waits until a signal ends that.
 */
#ifndef PTY_LOCK_H
#define PTY_LOCK_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asleep.h"

struct pty_lock {
	int master, slave;
	pid_t holder;
};

static void pty_lock__on_alarm(int signal)
{
	(void)signal;
}

/* Returns once the lock is held. */
static inline struct pty_lock pty_lock__hold(void)
{
	struct sigaction action = { .sa_handler = pty_lock__on_alarm };
	struct pty_lock lock = { .master = posix_openpt(O_RDWR | O_NOCTTY) };
	char byte;

	if (lock.master < 0 || grantpt(lock.master) || unlockpt(lock.master) ||
	    (lock.slave = open(ptsname(lock.master), O_RDWR | O_NOCTTY)) < 0 || sigaction(SIGALRM, &action, NULL) ||
	    (lock.holder = fork()) < 0) {
		perror("pty");
		exit(125);
	}
	if (!lock.holder) {
		prctl(PR_SET_NAME, "holder");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(read(lock.slave, &byte, 1) < 0);
	}
	while (!is_asleep_in(SYS_read, lock.holder))
		poll(NULL, 0, 1);
	return lock;
}

/* Waits for it once, so many microseconds. */
static inline void pty_lock__wait(const struct pty_lock *lock, unsigned int us)
{
	/* again and again: a first signal may come before the wait begins */
	const struct itimerval time = { .it_value.tv_usec = us, .it_interval.tv_usec = us }, off = { .it_value.tv_usec = 0 };
	char byte;

	setitimer(ITIMER_REAL, &time, NULL);
	if (read(lock->slave, &byte, 1) != -1 || errno != EINTR) {
		perror("read");
		exit(125);
	}
	setitimer(ITIMER_REAL, &off, NULL);
}

static inline void pty_lock__release(const struct pty_lock *lock)
{
	kill(lock->holder, SIGKILL);
	waitpid(lock->holder, NULL, 0);
}

#endif

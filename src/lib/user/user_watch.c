/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

static int inotify = -1;
static struct user_links *watched;
static volatile sig_atomic_t has_fired;

/* Everything here may be called in a signal's handler. */
static void on_write(int number)
{
	siginfo_t nobody = { .si_signo = SIGINT };
	struct sigaction stop;
	int saved = errno;

	(void)number;
	if (!has_fired) {
		has_fired = 1;
		user_links__close(watched);
		/* as SIGINT would end the run, which a process without rights cannot send itself (lib/run/privileges.c) */
		if (!sigaction(SIGINT, NULL, &stop) && stop.sa_flags & SA_SIGINFO)
			stop.sa_sigaction(SIGINT, &nobody, NULL);
	}
	errno = saved;
}

static int start(void)
{
	struct sigaction action = { .sa_handler = on_write, .sa_flags = SA_RESTART };
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), err;

	if (fd < 0)
		return -errno;
	sigaction(SIGIO, &action, NULL);
	if (fcntl(fd, F_SETOWN, getpid()) || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC)) {
		err = -errno;
		close(fd);
		return err;
	}
	inotify = fd;
	return 0;
}

int user_watch__add(const struct user_target *target, struct user_links *links)
{
	char path[64];
	int err = inotify < 0 ? start() : 0;

	if (err)
		return err;
	watched = links;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", target->fd);
	return inotify_add_watch(inotify, path, IN_MODIFY) < 0 ? -errno : 0;
}

bool user_watch__has_fired(void)
{
	return has_fired;
}

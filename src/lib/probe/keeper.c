/* SPDX-License-Identifier: BSD-2-Clause */
#include "keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/kernel/arming.h"

/* The keeper's files: the owner's pidfd, and the socket through which it is asked and answers. */
enum { OWNER_FD, ASK_FD, FDS };

/* Closes all files but those. */
static void close_others(void)
{
	struct dirent *entry;
	DIR *dir;

	if (!syscall(SYS_close_range, FDS, ~0U, 0))
		return;
	/* seccomp profiles of older container runtimes refuse what they do not know */
	dir = opendir("/proc/self/fd");
	while (dir && (entry = readdir(dir)))
		if (atoi(entry->d_name) >= FDS && atoi(entry->d_name) != dirfd(dir))
			close(atoi(entry->d_name));
	for (int fd = FDS; !dir && fd < sysconf(_SC_OPEN_MAX); fd++)
		close(fd);
	if (dir)
		closedir(dir);
}

/* Makes fds the files 0, 1 and 2. */
static void take_files(int fds[FDS])
{
	for (int i = 0; i < FDS; i++) {
		/* out of the way of those that come */
		int above = fcntl(fds[i], F_DUPFD, FDS);

		fds[i] = above >= 0 ? above : fds[i];
	}
	/* Nothing of the owner's may stay open here: not its programs and links, not its output. */
	for (int i = 0; i < FDS; i++)
		dup2(fds[i], i);
	close_others();
}

/* What it is asked by a byte.  Not by a signal: a tool that has dropped its privileges may not send one (lib/run/privileges.c). */
enum { CLEAN = 'c', END = 'e', WORK = 'w' };

/* Says how something went. */
static void answer(signed char err)
{
	/* the owner waits for an answer, and may still ask for the end */
	if (write(ASK_FD, &err, 1) != 1)
		shutdown(ASK_FD, SHUT_WR);
}

/* The keeper's whole life.  Does not return. */
static void keep(const struct keeper_jobs *jobs, void *context)
{
	struct pollfd ends[2] = { { .fd = OWNER_FD, .events = POLLIN }, { .fd = ASK_FD, .events = POLLIN } };
	char asked;

	if (jobs->make)
		answer((signed char)jobs->make(context));
	for (;;) {
		if (poll(ends, 2, -1) < 0)
			continue;
		/* Readable once the owner is a zombie, which is after its files, and so its probes, are closed. */
		if (ends[0].revents)
			break;
		if (read(ASK_FD, &asked, 1) != 1) {
			/* the owner is ending */
			ends[1].fd = -1;
			continue;
		}
		if (asked == END)
			_exit(0);
		answer((signed char)(asked == WORK ? jobs->work : jobs->clean)(context));
	}
	jobs->clean(context);
	_exit(0);
}

/* Waits for what it says: 0 or -errno; -ESRCH where it is gone. */
static int hear(const struct keeper *keeper)
{
	signed char err;
	ssize_t got;

	do
		got = read(keeper->ask_fd, &err, 1);
	while (got < 0 && errno == EINTR);
	return got == 1 ? err : -ESRCH;
}

int keeper__start(struct keeper *keeper, const struct keeper_jobs *jobs, void *context)
{
	int fds[FDS], ends[2], err = 0;
	sigset_t all, before;

	*keeper = (struct keeper){ .ask_fd = -1 };
	fds[OWNER_FD] = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (fds[OWNER_FD] < 0)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		err = -errno;
		close(fds[OWNER_FD]);
		return err;
	}
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	keeper->pid = fork();
	if (!keeper->pid) {
		setsid();
		prctl(PR_SET_NAME, "probelight-keep");
		fds[ASK_FD] = ends[1];
		take_files(fds);
		arming__forget();
		keep(jobs, context);
	}
	if (keeper->pid < 0) {
		err = -errno;
		keeper->pid = 0;
		close(ends[0]);
	} else {
		keeper->ask_fd = ends[0];
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	close(fds[OWNER_FD]);
	if (!err && jobs->make) {
		err = hear(keeper);
		if (err)
			keeper__end(keeper);
	}
	return err;
}

/* Asks it for something; false where somebody has killed it. */
static bool ask(const struct keeper *keeper, char what)
{
	return keeper->pid && write(keeper->ask_fd, &what, 1) == 1;
}

int keeper__begin(struct keeper *keeper)
{
	keeper->works = ask(keeper, WORK);
	return keeper->works ? 0 : -ESRCH;
}

int keeper__finish(struct keeper *keeper)
{
	bool works = keeper->works;

	keeper->works = false;
	return works ? hear(keeper) : 0;
}

int keeper__clean(struct keeper *keeper)
{
	/* the answers come in the order of what was asked */
	keeper__finish(keeper);
	return ask(keeper, CLEAN) ? hear(keeper) : -ESRCH;
}

void keeper__end(struct keeper *keeper)
{
	if (!keeper->pid)
		return;
	keeper__finish(keeper);
	/* one that cannot be asked ends after its owner: to wait for it would take for ever */
	if (ask(keeper, END))
		while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
			;
	close(keeper->ask_fd);
	*keeper = (struct keeper){ .ask_fd = -1 };
}

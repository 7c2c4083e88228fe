/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/print/say.h"

/* Of a rename over a file, its removal and a new hard link of it: its number of links changes. */
#define EVENTS (IN_MODIFY | IN_ATTRIB)

static int inotify = -1;
static struct user_links *watched;
static void (*volatile cut)(void);
static volatile sig_atomic_t has_fired, has_changed, is_to_tell;

static struct file {
	const struct user_target *target;
	bool is_here;		/* its path is one of ours, and not of another root directory */
	bool is_told;
} *files;
static size_t count;

/* Whether one of the events that have come is a write; where some were dropped nobody knows.  The others are noted. */
static bool was_written(void)
{
	union {
		char bytes[4096];
		struct inotify_event event;
	} room;
	bool was = false;
	ssize_t size;

	while ((size = read(inotify, &room, sizeof(room))) > 0) {
		const struct inotify_event *event;

		for (ssize_t at = 0; at < size; at += (ssize_t)(sizeof(*event) + event->len)) {
			event = (const struct inotify_event *)(room.bytes + at);
			was |= event->mask & (IN_MODIFY | IN_Q_OVERFLOW);
			if (event->mask & IN_ATTRIB)
				has_changed = is_to_tell = 1;
		}
	}
	return was;
}

/* Everything here may be called in a signal's handler. */
static void on_event(int number)
{
	siginfo_t nobody = { .si_signo = SIGINT };
	struct sigaction stop;
	int saved = errno;

	(void)number;
	if (was_written() && !has_fired) {
		has_fired = 1;
		user_links__close(watched);
		if (cut)
			cut();
		/* as SIGINT would end the run, which a process without rights cannot send itself (lib/run/privileges.c) */
		if (!sigaction(SIGINT, NULL, &stop) && stop.sa_flags & SA_SIGINFO)
			stop.sa_sigaction(SIGINT, &nobody, NULL);
	}
	errno = saved;
}

static int start(void)
{
	struct sigaction action = { .sa_handler = on_event, .sa_flags = SA_RESTART };
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

/* Whether the file's path leads to it. */
static bool is_there(const struct user_target *target)
{
	struct stat status;

	return !stat(target->path, &status) && status.st_dev == target->device && status.st_ino == target->inode;
}

static bool is_watched(const struct user_target *target)
{
	for (size_t i = 0; i < count; i++)
		if (files[i].target == target)
			return true;
	return false;
}

/* 0 or -ENOMEM. */
static int add_file(const struct user_target *target)
{
	struct file *list = realloc(files, (count + 1) * sizeof(*files));

	if (!list)
		return -ENOMEM;
	files = list;
	files[count++] = (struct file){ .target = target, .is_here = is_there(target) };
	return 0;
}

int user_watch__add(const struct user_target *target, struct user_links *links)
{
	char path[64];
	int err = inotify < 0 ? start() : 0;

	if (err)
		return err;
	watched = links;
	/* once for all of its functions */
	if (is_watched(target))
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", target->fd);
	if (inotify_add_watch(inotify, path, EVENTS) < 0)
		return -errno;
	return add_file(target);
}

void user_watch__set_cut(void (*function)(void))
{
	cut = function;
}

bool user_watch__has_fired(void)
{
	return has_fired;
}

bool user_watch__has_changed(void)
{
	bool had = has_changed;

	has_changed = 0;
	return had;
}

/* A file of another root directory is known to be replaced when it has no name any more. */
static void tell(struct file *file, const char *otherwise)
{
	const struct user_target *target = file->target;
	struct stat status;

	if (fstat(target->fd, &status) || (file->is_here ? is_there(target) : status.st_nlink > 0))
		return;
	file->is_told = true;
	if (file->is_here && !stat(target->path, &status))
		say("%.256s is another file now; processes that execute that one %s", target->path, otherwise);
	else
		say("%.256s was removed or replaced; processes that execute another file of this name %s", target->path, otherwise);
}

/* A perf event of a process ends with its first thread. */
static void tell_of_process(void)
{
	static bool is_process_told;

	if (is_process_told || !watched || !user_links__has_lost_process(watched))
		return;
	is_process_told = true;
	say("the first thread of process %u has ended: before Linux 6.6 the calls of its other threads are not seen from now on (start again)",
	    watched->pid);
}

void user_watch__tell(const char *otherwise)
{
	struct pollfd to = { .fd = STDERR_FILENO, .events = POLLOUT };

	if (poll(&to, 1, 0) <= 0)
		return;
	tell_of_process();
	if (!is_to_tell)
		return;
	is_to_tell = 0;
	for (size_t i = 0; i < count; i++)
		if (!files[i].is_told)
			tell(&files[i], otherwise);
}

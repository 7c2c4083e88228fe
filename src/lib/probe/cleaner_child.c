/* SPDX-License-Identifier: BSD-2-Clause */
#include "cleaner_child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/kernel/arming.h"

/* Its files, as numbers 0 and 1: the owner's pidfd, and the socket through which it is asked and answers. */
enum { OWNER_FD, ASK_FD, FDS };

#define TRIES 200
#define TRY_MS 10

static struct child {
	struct cleaner_job jobs[CLEANER_JOBS_MAX];
	int watched[CLEANER_JOBS_MAX];		/* descriptors; -1: none */
	size_t count;
	bool is_sealed;
	int given[CLEANER_FDS_MAX];		/* by the work that is done */
	size_t given_count;
} child;

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

/* Makes them its files. */
static void take_files(int owner_fd, int ask_fd)
{
	/* out of the way of those that come */
	int owner = fcntl(owner_fd, F_DUPFD, FDS), ask = fcntl(ask_fd, F_DUPFD, FDS);

	/* nothing of the owner's may stay open here: not its programs and links, not its output */
	dup2(owner >= 0 ? owner : owner_fd, OWNER_FD);
	dup2(ask >= 0 ? ask : ask_fd, ASK_FD);
	close_others();
}

int cleaner__give(int fd)
{
	if (child.given_count == CLEANER_FDS_MAX)
		return -ENOSPC;
	child.given[child.given_count++] = fd;
	return 0;
}

static void answer(uint32_t sequence, int err, const struct cleaner_job *job)
{
	struct cleaner_answer says = { .err = err, .sequence = sequence };
	char control[CMSG_SPACE(sizeof(child.given))] = { 0 };
	struct iovec piece = { .iov_base = &says, .iov_len = sizeof(says) };
	struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };
	size_t size = child.given_count * sizeof(*child.given);

	if (job)
		memcpy(says.context, job->context, job->size);
	if (size && !err) {
		struct cmsghdr *header = (struct cmsghdr *)control;

		*header = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(size) };
		memcpy(CMSG_DATA(header), child.given, size);
		message.msg_control = control;
		message.msg_controllen = CMSG_SPACE(size);
	}
	/* the owner waits for an answer, and may still ask for the end */
	if (sendmsg(ASK_FD, &message, 0) != sizeof(says))
		shutdown(ASK_FD, SHUT_WR);
	while (child.given_count)
		close(child.given[--child.given_count]);
}

static void drop(size_t at)
{
	child.count--;
	memmove(child.jobs + at, child.jobs + at + 1, (child.count - at) * sizeof(*child.jobs));
	memmove(child.watched + at, child.watched + at + 1, (child.count - at) * sizeof(*child.watched));
}

static void take(const struct cleaner_request *request)
{
	struct cleaner_job *job = &child.jobs[child.count];
	int err = 0;

	if (child.is_sealed || child.count == CLEANER_JOBS_MAX || request->job.size > CLEANER_CONTEXT_MAX) {
		answer(request->sequence, -EPERM, NULL);
		return;
	}
	*job = request->job;
	if (request->what == CLEANER_MAKE && job->work->make)
		err = job->work->make(job->context);
	if (!err) {
		child.watched[child.count] = job->work->watch ? job->work->watch(job->context) : -1;
		child.count++;
	}
	answer(request->sequence, err, job);
}

static int undo(size_t at)
{
	int err = child.jobs[at].work->undo(child.jobs[at].context);

	if (!err)
		drop(at);
	return err;
}

static int work(struct cleaner_job *job, int argument)
{
	return job->work->work ? job->work->work(job->context, argument) : -EINVAL;
}

static void serve(const struct cleaner_request *request)
{
	size_t at = 0;

	switch (request->what) {
	case CLEANER_MAKE:
	case CLEANER_TAKE:
		take(request);
		return;
	case CLEANER_SEAL:
		child.is_sealed = true;
		answer(request->sequence, 0, NULL);
		return;
	case CLEANER_END:
		_exit(0);
	default:
		break;
	}
	while (at < child.count && child.jobs[at].id != request->job.id)
		at++;
	if (at == child.count)
		answer(request->sequence, -ENOENT, NULL);
	else if (request->what == CLEANER_DROP)
		drop(at);
	else if (request->what == CLEANER_UNDO)
		answer(request->sequence, undo(at), NULL);
	else
		answer(request->sequence, work(&child.jobs[at], request->argument), NULL);
}

/* The owner is gone: the last job first; what is busy may be in use by one that comes later. */
static void undo_all(void)
{
	for (int tries = 0; tries < TRIES && child.count; tries++) {
		for (size_t left = child.count; left; left--) {
			int err = undo(left - 1);

			/* what fails otherwise is the next start's */
			if (err && err != -EBUSY)
				drop(left - 1);
		}
		if (child.count)
			poll(NULL, 0, TRY_MS);
	}
}

void cleaner_child__run(int owner_fd, int ask_fd)
{
	static struct cleaner_request request;
	struct pollfd from[2 + CLEANER_JOBS_MAX] = { { .fd = OWNER_FD, .events = POLLIN }, { .fd = ASK_FD, .events = POLLIN } };

	setsid();
	prctl(PR_SET_NAME, "probelight-keep");
	take_files(owner_fd, ask_fd);
	arming__forget();
	for (;;) {
		size_t count = child.count;

		for (size_t i = 0; i < count; i++)
			from[2 + i] = (struct pollfd){ .fd = child.watched[i], .events = POLLIN };
		if (poll(from, 2 + count, -1) < 0)
			continue;
		/* readable once the owner is a zombie, which is after its files, and so its probes, are closed */
		if (from[0].revents)
			break;
		for (size_t i = 0; i < count; i++)
			if (from[2 + i].revents)
				child.jobs[i].work->readable(child.jobs[i].context);
		if (!from[1].revents)
			continue;
		if (read(ASK_FD, &request, sizeof(request)) >= (ssize_t)offsetof(struct cleaner_request, job.context))
			serve(&request);
		else
			/* the owner is ending */
			from[1].fd = -1;
	}
	undo_all();
	_exit(0);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cleaner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleaner_child.h"
#include "lib/kernel/file.h"

#define STEP_MS 200
#define LIMIT_MS 60000
#define STOPPED_LIMIT_MS 2000
#define END_TRIES 100

/* A process has one cleaner. */
static pid_t pid;
static int ask_fd = -1;
static uint32_t sequence;		/* of the last request */
static bool is_sealed, is_deaf;		/* it did not answer in time */
static struct cleaner_job jobs[CLEANER_JOBS_MAX];
static size_t jobs_count;
static int last_id;
static int given[CLEANER_FDS_MAX];	/* with the last answer */
static size_t given_count;
static int working;			/* the job that cleaner__begin() asked for; 0: none */
static uint32_t working_sequence;

/* ---- asking */

/* It is gone: its jobs stay, for the next one. */
static void forget(void)
{
	if (!pid)
		return;
	/* its files are closed some time before it is a zombie; one that only cannot answer lives on */
	for (int tries = 0; tries < END_TRIES && !waitpid(pid, NULL, WNOHANG); tries++)
		poll(NULL, 0, 1);
	close(ask_fd);
	pid = 0;
	ask_fd = -1;
	working = 0;
	is_deaf = false;
}

/* Whether somebody has stopped it: its state in /proc/PID/stat. */
static bool is_stopped(void)
{
	char path[64], text[512];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file__read_small(path, text, sizeof(text)) <= 0)
		return false;
	at = strrchr(text, ')');
	return at && (at[2] == 'T' || at[2] == 't');
}

/* Sends a request.  0, -ESRCH where it is gone, or -EAGAIN where it does not read. */
static int send_request(struct cleaner_request *request)
{
	size_t size = offsetof(struct cleaner_request, job.context) + request->job.size;

	if (!pid)
		return -ESRCH;
	request->sequence = ++sequence;
	if (write(ask_fd, request, size) == (ssize_t)size)
		return 0;
	if (errno == EAGAIN)
		return -EAGAIN;
	forget();
	return -ESRCH;
}

/* Reads an answer, and the descriptors that come with it.  Its size, or as read(2). */
static ssize_t receive(struct cleaner_answer *answer)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(given))];
	struct iovec piece = { .iov_base = answer, .iov_len = sizeof(*answer) };
	struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	ssize_t got = recvmsg(ask_fd, &message, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;

	/* of an answer that nobody waited for */
	while (given_count)
		close(given[--given_count]);
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
		given_count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(*given);
		memcpy(given, CMSG_DATA(header), given_count * sizeof(*given));
	}
	return got;
}

/*
 * Waits for the answer to a request: 0, with what it says, -ESRCH where the cleaner is gone, or -ETIMEDOUT.  A signal shortens a step.
 */
static int hear(uint32_t asked, struct cleaner_answer *answer)
{
	struct pollfd from = { .fd = ask_fd, .events = POLLIN };
	int limit_ms = is_deaf ? 0 : LIMIT_MS, stopped_ms = 0;

	while (pid) {
		if (poll(&from, 1, STEP_MS) > 0) {
			ssize_t got = receive(answer);

			if (got < (ssize_t)offsetof(struct cleaner_answer, context)) {
				forget();
				break;
			}
			if (answer->sequence == asked)
				return 0;
			/* what was asked before, and not waited for */
			continue;
		}
		stopped_ms = is_stopped() ? stopped_ms + STEP_MS : 0;
		limit_ms -= STEP_MS;
		if (limit_ms <= 0 || stopped_ms >= STOPPED_LIMIT_MS) {
			is_deaf = true;
			return -ETIMEDOUT;
		}
	}
	return -ESRCH;
}

/* Asks, and waits for the answer.  0, -errno of what was asked for, or as of the two above. */
static int ask(struct cleaner_request *request, struct cleaner_answer *answer)
{
	int err = send_request(request);

	if (!err)
		err = hear(request->sequence, answer);
	return err ? err : answer->err;
}

/* ---- starting and ending */

static int start(void)
{
	int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0), ends[2], err = 0;
	sigset_t all, before;

	if (pidfd < 0)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		err = -errno;
		close(pidfd);
		return err;
	}
	/* the owner never waits for it in write(2) */
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (!pid)
		cleaner_child__run(pidfd, ends[1]);
	if (pid < 0) {
		err = -errno;
		pid = 0;
		close(ends[0]);
	} else {
		ask_fd = ends[0];
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	close(pidfd);
	return err;
}

/* Hands it a job.  0 or -errno. */
static int hand_over(struct cleaner_job *job, bool is_made, bool *answered)
{
	struct cleaner_request request = { .what = is_made ? CLEANER_TAKE : CLEANER_MAKE, .job = *job };
	struct cleaner_answer answer = { .err = 0 };
	int err = ask(&request, &answer);

	*answered = err == answer.err;
	if (*answered)
		memcpy(job->context, answer.context, job->size);
	return err;
}

/* Starts it once more, where somebody has killed it, with all jobs that it had.  0 or the first error. */
static int start_again(void)
{
	int err = start();
	bool answered;

	for (size_t i = 0; i < jobs_count && !err; i++)
		err = hand_over(&jobs[i], !jobs[i].work->ends_with_cleaner, &answered);
	return err;
}

/* It has nothing to do any more. */
static void end(void)
{
	struct cleaner_request request = { .what = CLEANER_END };
	struct pollfd gone = { .fd = ask_fd };
	int limit_ms = is_deaf ? 0 : LIMIT_MS;

	if (send_request(&request))
		limit_ms = 0;
	while (pid && limit_ms > 0 && !(poll(&gone, 1, STEP_MS) > 0 && gone.revents & POLLHUP) && !is_stopped())
		limit_ms -= STEP_MS;
	/* one that has closed its end is about to be a zombie; another one ends after its owner */
	if (pid && gone.revents & POLLHUP)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	forget();
}

bool cleaner__is_alive(void)
{
	struct pollfd to = { .fd = ask_fd };

	if (pid && poll(&to, 1, 0) > 0 && to.revents & (POLLHUP | POLLERR))
		forget();
	return pid;
}

pid_t cleaner__pid(void)
{
	return pid;
}

/* ---- jobs */

static struct cleaner_job *find(int id)
{
	for (size_t i = 0; i < jobs_count; i++)
		if (jobs[i].id == id)
			return &jobs[i];
	return NULL;
}

/* Takes it off the list; the cleaner ends after the last one. */
static void drop(struct cleaner_job *job)
{
	memmove(job, job + 1, (size_t)(jobs + jobs_count - (job + 1)) * sizeof(*job));
	if (!--jobs_count && pid)
		end();
}

int cleaner__add(const struct cleaner_work *work, void *context, size_t size)
{
	struct cleaner_job *job = &jobs[jobs_count];
	bool answered = false;
	int err;

	if (is_sealed)
		return -EPERM;
	if (jobs_count == CLEANER_JOBS_MAX || size > CLEANER_CONTEXT_MAX)
		return -ENOSPC;
	err = cleaner__is_alive() ? 0 : start_again();
	if (err)
		return err;
	*job = (struct cleaner_job){ .id = ++last_id, .work = work, .size = size };
	memcpy(job->context, context, size);
	err = hand_over(job, false, &answered);
	/* killed meanwhile, perhaps after it was made */
	if (err == -ESRCH && !answered) {
		err = start_again();
		if (!err)
			err = hand_over(job, false, &answered);
	}
	if (answered)
		memcpy(context, job->context, size);
	jobs_count++;
	if (err)
		drop(job);
	return err ? err : job->id;
}

static int begin(int id, int argument)
{
	const struct cleaner_job *job = find(id);
	struct cleaner_request request = { .what = CLEANER_WORK, .job.id = id, .argument = argument };
	int err = job ? send_request(&request) : -ESRCH;

	if (!err) {
		working = id;
		working_sequence = request.sequence;
	}
	return err;
}

int cleaner__begin(int id)
{
	return begin(id, 0);
}

int cleaner__finish(int id)
{
	struct cleaner_answer answer;
	int err;

	if (!working || working != id)
		return 0;
	working = 0;
	err = hear(working_sequence, &answer);
	return err ? err : answer.err;
}

int cleaner__ask(int id, int argument, int *fds, size_t most)
{
	int err = begin(id, argument);
	size_t count;

	if (!err)
		err = cleaner__finish(id);
	if (err)
		return err;
	count = given_count < most ? given_count : most;
	memcpy(fds, given, count * sizeof(*fds));
	while (given_count > count)
		close(given[--given_count]);
	given_count = 0;
	return (int)count;
}

int cleaner__undo(int id)
{
	struct cleaner_job *job = find(id);
	struct cleaner_request request = { .what = CLEANER_UNDO, .job.id = id };
	struct cleaner_answer answer;
	int err = job ? ask(&request, &answer) : -ESRCH;

	if (job && (!err || err == -ESRCH))
		drop(job);
	return err == -EAGAIN ? -ETIMEDOUT : err;
}

void cleaner__drop(int id)
{
	struct cleaner_job *job = find(id);
	struct cleaner_request request = { .what = CLEANER_DROP, .job.id = id };

	if (!job)
		return;
	send_request(&request);
	drop(job);
}

int cleaner__seal(void)
{
	struct cleaner_request request = { .what = CLEANER_SEAL };
	struct cleaner_answer answer;
	int err = 0;

	if (is_sealed || !jobs_count)
		return 0;
	if (!cleaner__is_alive())
		err = start_again();
	if (!err)
		err = ask(&request, &answer);
	/* killed just now */
	if (err == -ESRCH) {
		err = start_again();
		if (!err)
			err = ask(&request, &answer);
	}
	is_sealed = true;
	return err;
}

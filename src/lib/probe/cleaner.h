/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cleaner: one child process that undoes what this process has done when it dies, SIGKILL included.  It is for what the
 * kernel keeps beyond the process, such as probes in kprobe_events and instances of tracefs.  It has the capabilities that
 * this process had at its first job, and none of its files.  Expects SIGPIPE to be ignored, as loop__catch_signals() does.
 *
 * A job is undone when its owner asks for that, or when the owner is gone: then all are, the last one first.  What is busy
 * is tried again for two seconds.
 */
#ifndef PROBELIGHT_CLEANER_H
#define PROBELIGHT_CLEANER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CLEANER_JOBS_MAX 16
#define CLEANER_CONTEXT_MAX 2048
#define CLEANER_FDS_MAX 200	/* less than what one message takes (SCM_MAX_FD, 253) */

/* What runs in the cleaner, on a copy of the job's context; it must be static.  Each returns 0 or -errno, and may be NULL but for undo. */
struct cleaner_work {
	/* first, for what a kernel does badly for a process that is being killed, or what needs capabilities later */
	int (*make)(void *context);
	/* when cleaner__begin() or cleaner__ask() does, whose argument it is, or 0; it may call cleaner__give() */
	int (*work)(void *context, int argument);
	int (*undo)(void *context);	/* when cleaner__undo() asks, and after the owner's end; again after an error */
	int (*watch)(void *context);	/* after make: a descriptor to be watched, or -1 */
	void (*readable)(void *context);	/* whenever there is something to be read from it */
	bool ends_with_cleaner;		/* what make has made is gone with a cleaner that was killed: make it again in the next one */
};

/*
 * Adds a job, and starts the cleaner for the first one.  context has size bytes, at most CLEANER_CONTEXT_MAX; what make
 * changes in it is copied back, also where make fails.  A cleaner that somebody has killed is started again, with all jobs.
 * The job's number, or -errno: of make, of pidfd_open(2) (since Linux 5.3), socketpair(2) or fork(2), -EPERM after
 * cleaner__seal(), -ENOSPC.
 */
int cleaner__add(const struct cleaner_work *work, void *context, size_t size);

/*
 * Has it work while this process goes on, and waits for that: 0, -errno of work, or as cleaner__undo().  cleaner__finish() without
 * cleaner__begin() does nothing.  One job at a time.
 */
int cleaner__begin(int job);
int cleaner__finish(int job);

/*
 * Has it work, and waits for that.  How many descriptors it gave, which are in fds and the caller's, `most` at most; or as
 * cleaner__finish(). So a process that has dropped its privileges gets what only the cleaner can open, if the job that it had
 * before says that the cleaner does so.
 */
int cleaner__ask(int job, int argument, int *fds, size_t most);

/* In work: this descriptor is the owner's and closed here, once work has returned 0.  0, or -ENOSPC after CLEANER_FDS_MAX. */
int cleaner__give(int fd);

/*
 * Undoes a job, and waits for that, at most a minute; two seconds where the cleaner is stopped (SIGSTOP).  The cleaner ends
 * after its last job.  0, -errno of undo, -ESRCH: somebody has killed it, or -ETIMEDOUT.  After an error but -ESRCH the
 * cleaner has the job still, and undoes it after the owner's end.
 */
int cleaner__undo(int job);

/* The owner has undone it itself: the cleaner forgets it, and ends after its last job. */
void cleaner__drop(int job);

/* Whether it is there, and has not been killed. */
bool cleaner__is_alive(void);

/*
 * Before privileges are dropped: starts a cleaner again that was killed, and then no more jobs are taken: whoever takes over
 * the owner cannot have the cleaner, which has all privileges, run something else.  0 or -errno.  Does nothing without jobs.
 */
int cleaner__seal(void);

/* Its process, for tests; 0: there is none. */
pid_t cleaner__pid(void);

#endif

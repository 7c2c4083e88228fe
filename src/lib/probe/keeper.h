/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A child process that cleans up when this process dies, SIGKILL included: for what the kernel keeps beyond the process, such as
 * probes in kprobe_events and instances of tracefs.  It has the capabilities that this process had when it was started, and none
 * of its files.  Expects SIGPIPE to be ignored, as loop__catch_signals() does.
 */
#ifndef PROBELIGHT_KEEPER_H
#define PROBELIGHT_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

struct keeper {
	pid_t pid;	/* 0: none */
	int ask_fd;	/* takes a byte that says what to do, and gives one that says how it went */
	bool works;	/* keeper__begin(), and keeper__finish() has not waited for it yet */
};

/* What runs in the child, on memory as it is at keeper__start().  Each returns 0 or -errno. */
struct keeper_jobs {
	int (*make)(void *context);	/* first, for what a kernel does badly for a process that is being killed; NULL: nothing */
	int (*work)(void *context);	/* when keeper__begin() asks; NULL where nobody does */
	int (*clean)(void *context);	/* each time that it is asked, and once after the owner's end */
};

/*
 * Starts it.  0 or -errno: of pidfd_open(2) (since Linux 5.3), socketpair(2) or fork(2), of make, or -ESRCH: somebody has killed the
 * child meanwhile.  After an error there is none.
 */
int keeper__start(struct keeper *keeper, const struct keeper_jobs *jobs, void *context);

/*
 * Has it work while this process goes on, and waits for that: 0, -errno of work, or -ESRCH.  keeper__finish() without keeper__begin() does
 * nothing.  If this process dies meanwhile, the keeper cleans up after its work.
 */
int keeper__begin(struct keeper *keeper);
int keeper__finish(struct keeper *keeper);

/* Has it clean up now, and waits for that.  0, -errno of clean, or -ESRCH: somebody has killed it.  It stays. */
int keeper__clean(struct keeper *keeper);

/* Ends it; it does not clean up.  Does nothing without one. */
void keeper__end(struct keeper *keeper);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A child process that cleans up when this process dies, SIGKILL included: for what the kernel keeps beyond the process, such as
 * probes in kprobe_events and instances of tracefs.  It has the capabilities that this process had when it was started, and none
 * of its files.  Expects SIGPIPE to be ignored, as loop__catch_signals() does.
 */
#ifndef PROBELIGHT_KEEPER_H
#define PROBELIGHT_KEEPER_H

#include <sys/types.h>

struct keeper {
	pid_t pid;	/* 0: none */
	int ask_fd;	/* takes a byte that says what to do, and gives one that says how it went */
};

/*
 * Starts it.  clean(context) runs in the child, on memory as it is now, and returns 0 or -errno; it may run several times, each
 * time that it is asked and once after the owner's end.  Before that make(context) runs there, unless it is NULL: for what a kernel
 * does badly for a process that is being killed.  0 or -errno: of pidfd_open(2) (since Linux 5.3), socketpair(2) or fork(2), of make,
 * or -ESRCH: somebody has killed the child meanwhile.  After an error there is none.
 */
int keeper__start(struct keeper *keeper, int (*make)(void *context), int (*clean)(void *context), void *context);

/* Has it clean up now, and waits for that.  0, -errno of clean, or -ESRCH: somebody has killed it.  It stays. */
int keeper__clean(struct keeper *keeper);

/* Ends it; it does not clean up.  Does nothing without one. */
void keeper__end(struct keeper *keeper);

#endif

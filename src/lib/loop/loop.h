/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ends a run, and sleeping until then: SIGINT, SIGTERM, SIGHUP, a deadline, a process's end, an output that fails or
 * is closed. Signals and the tick are the process's, so there is one of each.
 */
#ifndef PROBELIGHT_LOOP_H
#define PROBELIGHT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/print/out.h"

struct loop {
	struct out *out;	/* its error ends the run */
	int64_t deadline_ms;	/* CLOCK_MONOTONIC; 0: none */
	int process_fd;		/* a pidfd: the end of that process ends the run; 0: there is none */
};

/*
 * From now on SIGINT, SIGTERM and SIGHUP (unless it is ignored: nohup(1)) ask to stop, and SIGPIPE and SIGXFSZ are errors
 * of write().
 */
void loop__catch_signals(void);

/*
 * From now on a system call that blocks is interrupted once a second (setitimer(2)), so that a write to a pipe that nobody
 * reads can be given up.
 */
void loop__start_tick(void);

/* Whether one of the signals came. */
bool loop__is_stopping(void);

/* Which of them came last; 0: none. */
int loop__stop_signal(void);

/* The CLOCK_MONOTONIC time in milliseconds that deadline_ms compares with. */
int64_t loop__now_ms(void);

/* Whether the deadline has passed, or the process has ended. */
bool loop__is_time_over(const struct loop *loop);

/* Whether anything has ended the run. */
bool loop__is_over(const struct loop *loop);

/*
 * Sleeps at most timeout_ms, and not past the deadline: until wake_fd is readable (-1: no such file), a signal comes, the
 * process has ended, or the far end of the output is closed, which becomes the output's error -EPIPE.
 */
void loop__sleep(const struct loop *loop, int wake_fd, int64_t timeout_ms);

/*
 * Waits until a process has ended, at most timeout_ms (-1: without a limit) and until one of the signals comes; earlier
 * ones do not count.  fd: a pidfd of it.  Whether it has ended.
 */
bool loop__await_process(int fd, int64_t timeout_ms);

/* Waits until stderr takes a line, as long as that is; a signal that asks to stop ends the waiting. */
void loop__await_stderr(void);

#endif

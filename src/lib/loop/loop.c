/* SPDX-License-Identifier: BSD-2-Clause */
#include "loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "lib/kernel/clock.h"

static volatile sig_atomic_t stop_signal;

static int echo_fd = -1;	/* the terminal that the tool prints to, and that shows ^C where somebody types it; or -1 */

/* "^C" stays on a line that has nothing else: a row, or the summary, begins on the next one. */
static void on_signal(int signal, siginfo_t *info, void *context)
{
	int err = errno;

	(void)context;
	/* the terminal sends it, and no process (kill(2) has SI_USER) */
	if (signal == SIGINT && !stop_signal && info->si_code == SI_KERNEL && echo_fd >= 0 && write(echo_fd, "\n", 1) < 0)
		echo_fd = -1;
	errno = err;
	stop_signal = signal;
}

static bool echoes(int fd)
{
	struct termios terminal;

	return !tcgetattr(fd, &terminal) && terminal.c_lflag & ECHO && terminal.c_lflag & ECHOCTL;
}

void loop__catch_signals(void)
{
	/* no SA_RESTART: a write to a pipe that nobody reads must come back */
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO }, inherited;

	echo_fd = echoes(STDERR_FILENO) ? STDERR_FILENO : echoes(STDOUT_FILENO) ? STDOUT_FILENO : -1;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup(1): the terminal may go, the tool goes on */
	if (!sigaction(SIGHUP, NULL, &inherited) && inherited.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
	/* ulimit -f: a file that cannot be kept must not end the tool */
	sigaction(SIGXFSZ, &action, NULL);
}

static void on_tick(int signal)
{
	(void)signal;
}

void loop__start_tick(void)
{
	const struct sigaction action = { .sa_handler = on_tick };
	const struct itimerval second = { .it_interval.tv_sec = 1, .it_value.tv_sec = 1 };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &second, NULL);
}

bool loop__is_stopping(void)
{
	return stop_signal;
}

int loop__stop_signal(void)
{
	return stop_signal;
}

int64_t loop__now_ms(void)
{
	return (int64_t)(now_ns() / 1000000);
}

static bool has_process_ended(int fd)
{
	struct pollfd process = { .fd = fd, .events = POLLIN };

	return fd && poll(&process, 1, 0) > 0;
}

bool loop__is_time_over(const struct loop *loop)
{
	return (loop->deadline_ms && loop__now_ms() >= loop->deadline_ms) || has_process_ended(loop->process_fd);
}

bool loop__is_over(const struct loop *loop)
{
	return stop_signal || loop->out->error || loop__is_time_over(loop);
}

/*
 * ppoll(2) that ends with a signal that asks to stop, also one that came since the caller's last look: signals are blocked
 * between the look at stop_signal and the sleep, so that none slips through.  The tick waits.
 */
static void sleep_on(struct pollfd *fds, nfds_t count, int64_t timeout_ms)
{
	struct timespec timeout = { .tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000 };
	sigset_t signals, asleep, before;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &before);
	asleep = before;
	sigaddset(&asleep, SIGALRM);
	if (!stop_signal)
		ppoll(fds, count, timeout_ms < 0 ? NULL : &timeout, &asleep);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void loop__sleep(const struct loop *loop, int wake_fd, int64_t timeout_ms)
{
	struct pollfd fds[] = {
		{ .fd = loop->out->sink.fd },
		{ .fd = wake_fd, .events = POLLIN },
		{ .fd = loop->process_fd, .events = POLLIN },
	};

	if (loop->deadline_ms && timeout_ms > loop->deadline_ms - loop__now_ms())
		timeout_ms = loop->deadline_ms - loop__now_ms();
	sleep_on(fds, loop->process_fd ? 3 : 2, timeout_ms < 0 ? 0 : timeout_ms);
	/* POLLERR: the read end of a pipe is closed; POLLHUP: a terminal is gone */
	if (fds[0].revents & (POLLERR | POLLHUP) && !loop->out->error)
		loop->out->error = -EPIPE;
}

bool loop__await_process(int fd, int64_t timeout_ms)
{
	struct pollfd process = { .fd = fd, .events = POLLIN };

	stop_signal = 0;
	sleep_on(&process, 1, timeout_ms);
	return process.revents;
}

void loop__await_stderr(void)
{
	struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };

	while (poll(&fd, 1, -1) < 0 && !stop_signal)
		;
}

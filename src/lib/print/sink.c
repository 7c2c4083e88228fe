/* SPDX-License-Identifier: BSD-2-Clause */
#include "sink.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Whether fd takes at least PIPE_BUF bytes without blocking (POLLOUT, pipe(7)), or has an error, now or in a second's time. */
static bool is_writable_in_a_second(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	const struct timespec second = { .tv_sec = 1 };
	sigset_t no_tick;

	/* the timer that makes writes return each second would interrupt this, too */
	sigprocmask(SIG_SETMASK, NULL, &no_tick);
	sigaddset(&no_tick, SIGALRM);
	return ppoll(&poll_fd, 1, &second, &no_tick) != 0;
}

int sink__write(const struct sink *sink, const char *bytes, size_t size)
{
	while (size) {
		ssize_t wrote;

		if (sink->should_stop && sink->should_stop()) {
			if (!is_writable_in_a_second(sink->fd))
				return -EAGAIN;
			wrote = write(sink->fd, bytes, size < PIPE_BUF ? size : PIPE_BUF);
		} else {
			wrote = write(sink->fd, bytes, size);
		}
		if (wrote < 0 && errno == EAGAIN) {
			struct pollfd fd = { .fd = sink->fd, .events = POLLOUT };

			poll(&fd, 1, 1000);
		} else if (wrote < 0 && errno != EINTR) {
			return -errno;
		} else if (wrote > 0) {
			bytes += wrote;
			size -= (size_t)wrote;
		}
		if (size && sink->on_blocked)
			sink->on_blocked(sink->on_blocked_ctx);
	}
	return 0;
}

bool sink__is_same_file(const struct sink *sink, int fd)
{
	struct stat file, other;

	return !fstat(sink->fd, &file) && !fstat(fd, &other) && file.st_dev == other.st_dev && file.st_ino == other.st_ino;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "ended.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/print/say.h"
#include "lib/shared/event.h"

#define WATCHED_MAX (2 * TASK_FILTER_IDS_MAX + 1)	/* -p, -t, --target */
#define PIDFD_THREAD O_EXCL				/* include/uapi/linux/pidfd.h, since 6.9 */

static struct pollfd pidfds[WATCHED_MAX];
static struct watched {
	uint32_t id;
	const char *option;
	bool is_thread;
	int name_fd;		/* its name in /proc, where it has no pidfd; -1: it has, or has ended */
} watched[WATCHED_MAX];
static nfds_t count;
static bool by_name;		/* one of them has no pidfd */
static bool is_watching;	/* one of them has not ended */

void ended__watch(uint32_t id, const char *option)
{
	struct watched to = { .id = id, .option = option, .name_fd = -1 };
	char path[64];
	int fd;

	if (count == WATCHED_MAX)
		return;
	fd = (int)syscall(SYS_pidfd_open, id, 0);
	if (fd < 0) {
		to.is_thread = true;
		fd = (int)syscall(SYS_pidfd_open, id, PIDFD_THREAD);
	}
	if (fd < 0) {
		snprintf(path, sizeof(path), "/proc/%u/comm", id);
		to.name_fd = open(path, O_RDONLY | O_CLOEXEC);
		if (to.name_fd < 0)
			return;
		by_name = true;
	}
	pidfds[count] = (struct pollfd){ .fd = fd, .events = POLLIN };
	watched[count++] = to;
	is_watching = true;
}

/* Reading the name of a task that has ended fails with ESRCH (comm_show() in fs/proc/base.c). */
static bool has_no_name(int fd)
{
	char name[32];

	return fd >= 0 && !lseek(fd, 0, SEEK_SET) && read(fd, name, sizeof(name)) < 0 && errno == ESRCH;
}

int64_t ended__look_ms(void)
{
	return is_watching ? 1000 : INT64_MAX;
}

void ended__tell(void)
{
	struct pollfd to = { .fd = STDERR_FILENO, .events = POLLOUT };

	/* a stderr that nobody reads must not hold the run up: later */
	if (!count || (poll(pidfds, count, 0) <= 0 && !by_name) || poll(&to, 1, 0) <= 0)
		return;
	is_watching = false;
	for (nfds_t i = 0; i < count; i++) {
		struct watched *task = &watched[i];

		if (!(pidfds[i].fd >= 0 && pidfds[i].revents) && !has_no_name(task->name_fd)) {
			is_watching |= pidfds[i].fd >= 0 || task->name_fd >= 0;
			continue;
		}
		say("%s %u has ended; another one that gets this number passes %s, too", task->is_thread ? "thread" : "process", task->id,
		    task->option);
		close(pidfds[i].fd >= 0 ? pidfds[i].fd : task->name_fd);
		pidfds[i].fd = task->name_fd = -1;
	}
}

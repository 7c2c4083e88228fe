/* SPDX-License-Identifier: BSD-2-Clause */
#include "ended.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/print/say.h"
#include "lib/shared/event.h"

static struct pollfd processes[TASK_FILTER_IDS_MAX];
static uint32_t pids[TASK_FILTER_IDS_MAX];
static nfds_t count;

void ended__watch(uint32_t pid)
{
	int fd = count < TASK_FILTER_IDS_MAX ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

	if (fd < 0)
		return;
	pids[count] = pid;
	processes[count++] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

void ended__tell(void)
{
	struct pollfd to = { .fd = STDERR_FILENO, .events = POLLOUT };

	/* a stderr that nobody reads must not hold the run up: later */
	if (!count || poll(processes, count, 0) <= 0 || poll(&to, 1, 0) <= 0)
		return;
	for (nfds_t i = 0; i < count; i++) {
		if (processes[i].fd < 0 || !processes[i].revents)
			continue;
		say("process %u has ended; another one that gets this number passes -p, too", pids[i]);
		close(processes[i].fd);
		processes[i].fd = -1;
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu_changes.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"

#define LOOK_NS 1000000000ull
#define MESSAGE_MAX 4096

/* The kernel's own messages of devices that come and go. */
static int open_messages(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -1;
	}
	return fd;
}

int cpu_changes__open(struct cpu_changes *changes)
{
	/* before: what changes meanwhile is in both */
	*changes = (struct cpu_changes){ .fd = open_messages(), .looked_ns = now_ns() };
	return cpus__read(CPUS_ONLINE, &changes->online);
}

void cpu_changes__close(struct cpu_changes *changes)
{
	if (changes->fd >= 0)
		close(changes->fd);
	changes->fd = -1;
}

static void set_online(struct cpu_changes *changes, int cpu, bool is_online)
{
	uint64_t bit = 1ull << cpu % 64;

	if (is_online)
		changes->online.words[cpu / 64] |= bit;
	else
		changes->online.words[cpu / 64] &= ~bit;
}

/*
 * Reads messages, "online@/devices/system/cpu/cpu1", up to one that a known CPU has gone, whose number it returns.  -1: no
 * more for now.  A CPU may be back before that message is read.
 */
static int read_messages(struct cpu_changes *changes)
{
	char message[MESSAGE_MAX], action[16];
	ssize_t got;
	int cpu;

	while ((got = read(changes->fd, message, sizeof(message) - 1)) > 0 || (got < 0 && (errno == EINTR || errno == ENOBUFS))) {
		if (got < 0) {
			changes->has_lost |= errno == ENOBUFS;
			continue;
		}
		message[got] = 0;
		if (sscanf(message, "%15[a-z]@/devices/system/cpu/cpu%d", action, &cpu) != 2 || cpu < 0 || cpu >= CPUS_MAX)
			continue;
		changes->is_behind = true;
		if (!strcmp(action, "offline") && cpu_set__has(&changes->online, cpu))
			return cpu;
	}
	return -1;
}

/* After a loss of messages: a CPU that was reported as online, which may have gone and come; -1: none is left. */
static int find_doubtful(struct cpu_changes *changes)
{
	for (int cpu = 0; changes->has_lost && cpu < CPUS_MAX; cpu++)
		if (cpu_set__has(&changes->online, cpu))
			return cpu;
	changes->is_behind |= changes->has_lost;
	changes->has_lost = false;
	return -1;
}

bool cpu_changes__next(struct cpu_changes *changes, int *cpu, bool *has_come)
{
	struct cpu_set online;

	*has_come = false;
	*cpu = changes->fd >= 0 ? read_messages(changes) : -1;
	if (*cpu < 0)
		*cpu = find_doubtful(changes);
	if (*cpu >= 0) {
		set_online(changes, *cpu, false);
		return true;
	}
	if (changes->fd < 0 && now_ns() - changes->looked_ns >= LOOK_NS)
		changes->is_behind = true;
	if (!changes->is_behind || cpus__read(CPUS_ONLINE, &online))
		return false;
	changes->looked_ns = now_ns();
	for (*cpu = 0; *cpu < CPUS_MAX; ++*cpu) {
		*has_come = cpu_set__has(&online, *cpu);
		if (*has_come == cpu_set__has(&changes->online, *cpu))
			continue;
		set_online(changes, *cpu, *has_come);
		return true;
	}
	changes->is_behind = false;
	return false;
}

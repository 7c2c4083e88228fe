/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/kernel/cpu_changes: what the kernel's messages of CPUs tell, on a machine whose CPUs stay as they are. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "lib/kernel/cpu_changes.h"

static struct cpu_changes changes;
static int kernel;		/* the other end of its messages */

static void say(const char *message)
{
	CHECK(write(kernel, message, strlen(message) + 1) > 0);
}

/* "-0 +0 ": the changes that are told now. */
static const char *told(void)
{
	static char text[256];
	size_t used = 0;
	bool has_come;
	int cpu;

	*text = 0;
	while (cpu_changes__next(&changes, &cpu, &has_come) && used < sizeof(text) - 16)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%c%d ", has_come ? '+' : '-', cpu);
	return text;
}

int main(void)
{
	int ends[2], first = cpus__first_online();
	char message[64], expected[64];

	CHECK_INT(cpu_changes__open(&changes), 0);
	CHECK(cpu_set__has(&changes.online, first));
	CHECK_STR(told(), "");
	cpu_changes__close(&changes);
	cpu_changes__close(&changes);

	CHECK(!socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends));
	changes.fd = ends[0];
	kernel = ends[1];
	/* it was away for a moment: told as both, also where the second message is not read yet */
	snprintf(message, sizeof(message), "offline@/devices/system/cpu/cpu%d", first);
	snprintf(expected, sizeof(expected), "-%d +%d ", first, first);
	say(message);
	CHECK_STR(told(), expected);
	snprintf(message, sizeof(message), "online@/devices/system/cpu/cpu%d", first);
	say(message);
	CHECK_STR(told(), "");
	/* other devices, and what is no CPU's number */
	say("add@/devices/virtual/net/lo");
	say("offline@/devices/system/cpu/cpuidle");
	say("offline@/devices/system/cpu/cpu8192");
	say("offline@/devices/system/cpu/cpu-1");
	say("");
	CHECK_STR(told(), "");
	/* one that is not there any more by the file, and one that has come */
	changes.online.words[CPUS_MAX / 64 - 1] |= 1ull << 63;
	changes.online.words[first / 64] &= ~(1ull << first % 64);
	snprintf(expected, sizeof(expected), "+%d -%d ", first, CPUS_MAX - 1);
	say(message);
	CHECK_STR(told(), expected);
	/* messages were lost: each may have gone and come */
	changes.has_lost = true;
	for (int cpu = 0; cpu < CPUS_MAX / 64; cpu++)
		changes.online.words[cpu] = 0;
	changes.online.words[first / 64] |= 1ull << first % 64;
	snprintf(expected, sizeof(expected), "-%d +%d ", first, first);
	CHECK(!strncmp(told(), expected, strlen(expected)));
	/* without messages it looks at the file once a second */
	cpu_changes__close(&changes);
	changes.looked_ns = 0;
	changes.online.words[first / 64] &= ~(1ull << first % 64);
	snprintf(expected, sizeof(expected), "+%d ", first);
	CHECK_STR(told(), expected);
	changes.online.words[first / 64] &= ~(1ull << first % 64);
	CHECK_STR(told(), "");
	close(kernel);
	return check_done();
}

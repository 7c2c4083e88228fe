/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu_timers.h"

#include "lib/kernel/clock.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the keeper tells its parent, once. */
struct reply {
	int err;
	int cpu;
	uint64_t period_ns;
};

#define EXPIRIES 16
#define PERIOD_PER_EXPIRY 111	/* so that expiries take 0.9 % */
#define PERIOD_MAX_NS 10000000
#define PERIOD_STEP_NS 10000

struct keeper {
	const struct cpu_set *wanted;
	uint64_t period_ns;
	int events[CPUS_MAX];		/* descriptors; -1: none */
};

/* cpu: -1: on the CPU that this thread runs on, while it does */
static int open_event(int cpu, uint64_t period_ns)
{
	/*
	 * The timer alone is wanted, no samples.  perf would also stop an event with more samples between two ticks than
	 * kernel.perf_event_max_sample_rate allows: after 40 ms of an idle CPU, which has no ticks, until the first tick after that.
	 */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attr), .sample_period = period_ns,
		.exclude_user = 1, .exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * How long an expiry stops what runs, in nanoseconds; 0 where it cannot be measured.  A loop reads the clock while a timer runs.  Its longest
 * pauses are the expiries, and a few other things: their median is that of an expiry.
 */
static uint64_t measure_expiry(uint64_t period_ns)
{
	uint64_t longest[EXPIRIES] = { 0 }, shortest = UINT64_MAX, last, end;
	int fd = open_event(-1, period_ns);

	if (fd < 0)
		return 0;
	last = now_ns();
	end = last + (EXPIRIES + 1) * period_ns;
	while (last < end) {
		uint64_t now = now_ns(), pause = now - last;
		size_t least = 0;

		last = now;
		shortest = pause < shortest ? pause : shortest;
		for (size_t i = 1; i < EXPIRIES; i++)
			if (longest[i] < longest[least])
				least = i;
		if (pause > longest[least])
			longest[least] = pause;
	}
	close(fd);
	qsort(longest, EXPIRIES, sizeof(*longest), compare);
	/* a machine that is stalled may not get that far: the clock was read fewer times than there are places */
	return longest[EXPIRIES / 2] > shortest ? longest[EXPIRIES / 2] - shortest : 0;
}

/* The period, or a longer one where the timer would take more than 1 % of a CPU: it takes that from whatever runs there. */
static uint64_t affordable_period(uint64_t period_ns)
{
	uint64_t least_ns = measure_expiry(period_ns) * PERIOD_PER_EXPIRY;

	if (least_ns > period_ns)
		period_ns = (least_ns + PERIOD_STEP_NS - 1) / PERIOD_STEP_NS * PERIOD_STEP_NS;
	return period_ns < PERIOD_MAX_NS ? period_ns : PERIOD_MAX_NS;
}

/*
 * Opens the events of the CPUs that came, closes those of the CPUs that went: the kernel takes an event off a CPU that goes
 * offline, and does not put it back.  0 or the first error; *failed is its CPU.
 */
static int follow_cpus(struct keeper *keeper, int *failed)
{
	struct cpu_set online;
	int err = cpus__read(CPUS_ONLINE, &online), first = 0;

	*failed = -1;
	if (err)
		return err;
	for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
		bool wanted = cpu_set__has(keeper->wanted, cpu) && cpu_set__has(&online, cpu);
		int fd;

		if (!wanted && keeper->events[cpu] >= 0) {
			close(keeper->events[cpu]);
			keeper->events[cpu] = -1;
		}
		if (!wanted || keeper->events[cpu] >= 0)
			continue;
		fd = open_event(cpu, keeper->period_ns);
		/* it went again meanwhile */
		if (fd == -ENODEV)
			continue;
		if (fd < 0 && !first) {
			first = fd;
			*failed = cpu;
		}
		keeper->events[cpu] = fd < 0 ? -1 : fd;
	}
	return first;
}

/* The kernel's own messages of devices that come and go; -1 where there are none, and CPUs that come are not noticed. */
static int open_uevents(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * The kernel's message that a CPU went or came: "online@/devices/system/cpu/cpu1".  Its event is closed in any case: a CPU may be back before
 * the message that it went is read, and the old event does not run on it any more.  An empty message: some were lost.
 */
static void forget(struct keeper *keeper, const char *message)
{
	int about = -1;

	if (*message && sscanf(message, "%*[a-z]@/devices/system/cpu/cpu%d", &about) != 1)
		return;
	for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (keeper->events[cpu] < 0 || (*message && cpu != about))
			continue;
		close(keeper->events[cpu]);
		keeper->events[cpu] = -1;
	}
}

/* Runs until the parent closes its end of the pipe, or dies. */
static void keep(const struct cpu_set *cpus, uint64_t period_ns, bool is_fixed, int pipe_fd, pid_t parent)
{
	static struct keeper keeper;
	struct reply reply = { 0 };
	struct pollfd fds[2];
	char message[4096];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	/* Ctrl-C is for the tool, which then ends its keeper */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	/* nothing of the tool's stays open here: not its output, not its programs */
	fds[1].fd = dup2(pipe_fd, 0);
	syscall(SYS_close_range, 1, ~0U, 0);
	fds[0].fd = open_uevents();
	fds[0].events = fds[1].events = POLLIN;
	keeper.wanted = cpus;
	keeper.period_ns = is_fixed ? period_ns : affordable_period(period_ns);
	reply.period_ns = keeper.period_ns;
	memset(keeper.events, -1, sizeof(keeper.events));
	reply.err = follow_cpus(&keeper, &reply.cpu);
	if (write(0, &reply, sizeof(reply)) != sizeof(reply) || reply.err)
		_exit(1);
	for (;;) {
		int failed;
		ssize_t got;

		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[1].revents)
			_exit(0);
		got = recv(fds[0].fd, message, sizeof(message) - 1, MSG_DONTWAIT);
		message[got > 0 ? got : 0] = 0;
		if (got > 0 && !strstr(message, "/devices/system/cpu/cpu"))
			continue;
		forget(&keeper, message);
		follow_cpus(&keeper, &failed);
	}
}

int cpu_timers__start(struct cpu_timers *timers, const struct cpu_set *cpus, uint64_t *period_ns, bool is_fixed)
{
	struct reply reply = { .err = -ECHILD, .cpu = -1 };
	pid_t parent = getpid();
	ssize_t got;
	int fds[2];

	*timers = (struct cpu_timers){ .pipe_fd = -1, .failed_cpu = -1 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return -errno;
	timers->keeper = fork();
	if (timers->keeper < 0) {
		int err = -errno;

		timers->keeper = 0;
		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (!timers->keeper)
		keep(cpus, *period_ns, is_fixed, fds[1], parent);
	close(fds[1]);
	timers->pipe_fd = fds[0];
	do {
		got = read(fds[0], &reply, sizeof(reply));
	} while (got < 0 && errno == EINTR);
	if (!reply.err) {
		*period_ns = reply.period_ns;
		return 0;
	}
	timers->failed_cpu = reply.cpu;
	cpu_timers__end(timers);
	return reply.err;
}

void cpu_timers__end(struct cpu_timers *timers)
{
	if (!timers->keeper)
		return;
	close(timers->pipe_fd);
	while (waitpid(timers->keeper, NULL, 0) < 0 && errno == EINTR)
		;
	timers->keeper = 0;
}

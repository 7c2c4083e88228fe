/* SPDX-License-Identifier: BSD-2-Clause */
#include "counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "lib/perf/event_name.h"
#include "lib/print/say.h"
#include "lib/probe/attached.h"

static int open_event(const char *name, int cpu, int group_fd)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .disabled = group_fd < 0,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd;

	if (!event_name__parse(name, &attr))
		return -EINVAL;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void close_cpu(struct counters_cpu *cpu)
{
	for (size_t i = 0; i < COUNTERS_EVENTS; i++)
		if (cpu->fds[i] >= 0)
			close(cpu->fds[i]);
}

/* Whether it is the processor that does not count it: no counters, or not of that. */
static bool is_not_counted(int err)
{
	return err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV || err == -EINVAL;
}

/* 0, or -errno with the name of the event. */
static int open_cpu(struct counters *counters, int number, const char **failed)
{
	struct counters_cpu *cpu = &counters->list[counters->cpus];
	int err = 0;

	*cpu = (struct counters_cpu){ .cpu = number, .fds = { -1, -1 } };
	for (size_t i = 0; i < COUNTERS_EVENTS && !err; i++) {
		*failed = counters->names[i];
		cpu->fds[i] = open_event(counters->names[i], number, i ? cpu->fds[0] : -1);
		if (cpu->fds[i] < 0)
			err = cpu->fds[i];
		else if (bpf_map_update_elem(counters->maps[i], &number, &cpu->fds[i], BPF_ANY))
			err = -errno;
	}
	if (err)
		close_cpu(cpu);
	else
		counters->cpus++;
	return err;
}

int counters__open(struct counters *counters, struct tool *tool)
{
	const char *failed = NULL;
	int err, none = 0;

	counters->list = calloc(CPUS_MAX, sizeof(*counters->list));
	if (!counters->list)
		return tool__fail(tool, -ENOMEM, "no memory for the counters");
	err = cpu_changes__open(&counters->changes);
	if (err)
		return tool__fail(tool, err, CPUS_ONLINE " cannot be read: %s", strerror(-err));
	for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (!cpu_set__has(&counters->changes.online, cpu))
			continue;
		err = open_cpu(counters, cpu, &failed);
		if (err == -EACCES || err == -EPERM)
			return tool__fail_perf_events(tool, err);
		if (err && !is_not_counted(err))
			return tool__fail(tool, err, "%s cannot be counted on CPU %d: perf_event_open: %s", failed, cpu, strerror(-err));
		if (err)
			none = err;
		/* processors of two kinds */
		if (err && counters->cpus)
			say("CPU %d does not count %s: what runs there is not in the numbers", cpu, failed);
	}
	if (!counters->cpus)
		return tool__fail(tool, none ?: -ENOENT, "this machine counts no %s for perf, as virtual machines often do not (others: --events "
				  "page-faults,major-faults; or have the hypervisor give the machine a PMU)", failed);
	for (size_t i = 0; i < COUNTERS_EVENTS; i++)
		attached__note(NULL, "perf_event", counters->names[i]);
	return 0;
}

void counters__close(struct counters *counters)
{
	if (!counters->list)
		return;
	for (size_t i = 0; i < counters->cpus; i++)
		close_cpu(&counters->list[i]);
	free(counters->list);
	counters->list = NULL;
	counters->cpus = 0;
	cpu_changes__close(&counters->changes);
}

static int switch_all(struct counters *counters, unsigned long request)
{
	int err = 0;

	for (size_t i = 0; i < counters->cpus; i++)
		if (ioctl(counters->list[i].fds[0], request, PERF_IOC_FLAG_GROUP) && !err)
			err = -errno;
	return err;
}

int counters__start(struct counters *counters)
{
	return switch_all(counters, PERF_EVENT_IOC_ENABLE);
}

int counters__stop(struct counters *counters)
{
	return switch_all(counters, PERF_EVENT_IOC_DISABLE);
}

void counters__follow_cpus(struct counters *counters)
{
	bool has_come;
	int cpu;

	while (counters->list && cpu_changes__next(&counters->changes, &cpu, &has_come)) {
		if (has_come)
			say("CPU %d came online, and is not counted (start it again)", cpu);
		else
			say("CPU %d went offline: what it counted last is of no task", cpu);
	}
}

int counters__read(const struct counters *counters, struct counters_sums *sums)
{
	struct {
		uint64_t count, enabled_ns, running_ns;
	} now;

	*sums = (struct counters_sums){ .enabled_ns = 0 };
	for (size_t i = 0; i < counters->cpus; i++) {
		for (size_t j = 0; j < COUNTERS_EVENTS; j++) {
			ssize_t got = read(counters->list[i].fds[j], &now, sizeof(now));

			if (got != sizeof(now))
				return got < 0 ? -errno : -EIO;
			sums->counts[j] += now.count;
			sums->enabled_ns += j ? 0 : now.enabled_ns;
			sums->running_ns += j ? 0 : now.running_ns;
		}
	}
	return 0;
}

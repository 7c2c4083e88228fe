/* SPDX-License-Identifier: BSD-2-Clause */
#include "watchpoint.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/kernel/cpus.h"
#include "links.h"

static int explain(int err, int cpu, struct fault *fault)
{
	if (err == -ENOSPC)
		return fault__set(fault, err, "all watchpoints of CPU %d are taken, by debuggers, perf or this run (x86-64 has four)", cpu);
	if (err == -EINVAL || err == -EOPNOTSUPP)
		return fault__set(fault, err, "this machine does not watch such a place: %s", strerror(-err));
	return fault__set(fault, err, "CPU %d cannot watch it: %s", cpu, strerror(-err));
}

int watchpoint__attach(const struct bpf_program *program, const struct watch *watch, struct fault *fault)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .bp_type = (__u32)watch->type,
					.bp_addr = watch->address, .bp_len = watch->size, .sample_period = 1 };
	struct cpu_set online;
	int err = cpus__read(CPUS_ONLINE, &online);

	if (err)
		return fault__set(fault, err, CPUS_ONLINE ": %s", strerror(-err));
	for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
		int fd;

		if (!cpu_set__has(&online, cpu))
			continue;
		fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd < 0)
			return explain(-errno, cpu, fault);
		err = ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(program)) ? -errno : links__own_event(program, fd);
		if (err) {
			close(fd);
			return explain(err, cpu, fault);
		}
	}
	return 0;
}

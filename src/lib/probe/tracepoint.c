/* SPDX-License-Identifier: BSD-2-Clause */
#include "tracepoint.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/format/events.h"
#include "lib/kernel/arming.h"
#include "lib/kernel/cpus.h"
#include "lib/kernel/tracefs.h"

const char *tracepoint__of(const struct bpf_program *program)
{
	return events__of_section(bpf_program__section_name(program));
}

int tracepoint__id(const char *event)
{
	char relative[256], *text;
	size_t size;
	int err, id;

	if (snprintf(relative, sizeof(relative), "events/%s/id", event) >= (int)sizeof(relative))
		return -ENAMETOOLONG;
	err = tracefs__read(relative, 64, &text, &size);
	if (err)
		return err;
	id = atoi(text);
	free(text);
	return id > 0 ? id : -EINVAL;
}

/* pid: as tracepoint__open_for() has it. */
static int open_event(const char *event, uint32_t pid)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	static int cpu = -1;	/* one that is online, or was */
	int id = tracepoint__id(event), fd;

	if (id < 0)
		return id;
	attr.config = (__u64)id;
	if (pid) {
		fd = (int)syscall(SYS_perf_event_open, &attr, (int)pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	fd = cpu < 0 ? -1 : (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && (cpu < 0 || errno == ENODEV)) {
		cpu = cpus__first_online();
		fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

static void close_event(void *fd)
{
	close(*(int *)fd);
}

int tracepoint__open(const char *event)
{
	return tracepoint__open_for(event, 0);
}

int tracepoint__open_for(const char *event, uint32_t pid)
{
	struct fault fault;
	int fd, err;

	/* the event of somebody's probe hooks a function while it is in use */
	if (!tracefs__is_made(event))
		return open_event(event, pid);
	err = arming__begin(&fault);
	if (err)
		return err;
	fd = open_event(event, pid);
	err = arming__end(fd < 0 ? fd : 0, fd < 0 ? NULL : close_event, &fd, &fault);
	return err ? err : fd;
}

struct bpf_link *tracepoint__attach(const struct bpf_program *program, const char *event)
{
	return tracepoint__attach_with(program, event, 0);
}

struct bpf_link *tracepoint__attach_with(const struct bpf_program *program, const char *event, __u64 cookie)
{
	LIBBPF_OPTS(bpf_perf_event_opts, options, .bpf_cookie = cookie);
	int fd = tracepoint__open(event), err;
	struct bpf_link *link;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	link = bpf_program__attach_perf_event_opts(program, fd, &options);
	/*
	 * It is there for the program, which runs on every CPU as long as it is open.  As our programs let perf's events have what
	 * they have seen, it would count as well: on its CPU each event would pay for that.
	 */
	if (link)
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (!link) {
		err = errno;
		close(fd);
		errno = err;
	}
	return link;
}

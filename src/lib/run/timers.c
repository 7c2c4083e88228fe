/* SPDX-License-Identifier: BSD-2-Clause */
#include "timers.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "lib/kernel/clock.h"
#include "lib/print/say.h"
#include "lib/probe/attached.h"
#include "lib/probe/cleaner.h"

/* The timer of a CPU. */
struct timer {
	int cpu;
	bool is_offline;
	int fd;
	struct bpf_link *link;		/* owns fd; NULL: fd is the timer's own */
	uint64_t begin, end;		/* ns of CLOCK_MONOTONIC, or the cycles that the event has counted */
	uint64_t due;			/* samples of earlier timers of that CPU */
};

/* What the cleaner opens on a CPU that comes. */
struct opener {
	struct perf_event_attr attr;
	uint32_t program;		/* its id */
};

static struct perf_event_attr attr_of(const struct timers *timers)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attr), .sample_period = timers->period,
	};

	if (timers->cycles) {
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = PERF_COUNT_HW_CPU_CYCLES;
	}
	return attr;
}

static int open_timer(const struct timers *timers, struct tool *tool, const struct bpf_program *program, struct timer *timer)
{
	struct perf_event_attr attr = attr_of(timers);
	int err;

	timer->fd = (int)syscall(SYS_perf_event_open, &attr, -1, timer->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (timer->fd < 0) {
		err = -errno;
		if (err == -EACCES || err == -EPERM)
			return tool__fail_perf_events(tool, err);
		if (timers->cycles && (err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV))
			return tool__fail(tool, err, "--cycles: this machine counts no cycles for perf, as virtual machines often do not (without "
					  "--cycles samples are taken by the time)");
		return tool__fail(tool, err, "no timer on CPU %d: perf_event_open: %s", timer->cpu, strerror(-err));
	}
	timer->link = bpf_program__attach_perf_event(program, timer->fd);
	if (timer->link)
		return 0;
	err = -errno;
	close(timer->fd);
	timer->fd = -1;
	return tool__fail(tool, err, "the timer of CPU %d: cannot be attached to: %s", timer->cpu, strerror(-err));
}

static void close_timer(struct timer *timer)
{
	if (timer->link)
		bpf_link__destroy(timer->link);
	else if (timer->fd >= 0)
		close(timer->fd);
	timer->link = NULL;
	timer->fd = -1;
}

/* In the cleaner. */
static int open_in_cleaner(void *context, int cpu)
{
	struct opener *opener = context;
	int fd = (int)syscall(SYS_perf_event_open, &opener->attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC), program, err = 0;

	if (fd < 0)
		return -errno;
	program = bpf_prog_get_fd_by_id(opener->program);
	if (program < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, program))
		err = -errno;
	if (program >= 0)
		close(program);
	if (!err)
		err = cleaner__give(fd);
	if (err)
		close(fd);
	return err;
}

static int nothing_to_undo(void *context)
{
	(void)context;
	return 0;
}

/* A machine with one CPU needs no cleaner.  Without one, CPUs that come are reported as not sampled. */
static void start_opener(struct timers *timers, const struct bpf_program *program)
{
	static const struct cleaner_work work = { .work = open_in_cleaner, .undo = nothing_to_undo };
	struct opener opener = { .attr = attr_of(timers) };
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);
	int job;

	if (!cpus__can_come() || bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
		return;
	opener.program = info.id;
	job = cleaner__add(&work, &opener, sizeof(opener));
	timers->job = job > 0 ? job : 0;
}

int timers__open(struct timers *timers, struct tool *tool, const struct bpf_program *program)
{
	int err;

	timers->list = calloc(CPUS_MAX, sizeof(*timers->list));
	if (!timers->list)
		return tool__fail(tool, -ENOMEM, "no memory for the timers");
	err = cpu_changes__open(&timers->changes);
	if (err)
		return tool__fail(tool, err, CPUS_ONLINE " cannot be read: %s", strerror(-err));
	for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
		struct timer *timer = &timers->list[timers->cpus];

		if (!cpu_set__has(&timers->changes.online, cpu))
			continue;
		*timer = (struct timer){ .cpu = cpu, .fd = -1 };
		if (open_timer(timers, tool, program, timer))
			return tool->err;
		timers->cpus++;
	}
	start_opener(timers, program);
	attached__note(bpf_program__name(program), "perf_event", timers->cycles ? "cycles" : "cpu-clock");
	return 0;
}

void timers__close(struct timers *timers)
{
	if (!timers->list)
		return;
	for (size_t i = 0; i < timers->cpus; i++)
		close_timer(&timers->list[i]);
	free(timers->list);
	timers->list = NULL;
	if (timers->job)
		cleaner__undo(timers->job);
	timers->job = 0;
	cpu_changes__close(&timers->changes);
}

/*
 * Time is not what the event has counted: that is the CPU's local_clock(), which may stand still while the CPU is idle where the kernel
 * does not trust the TSC (kernel/sched/clock.c).  5.10 in an emulated guest counted 58 to 92 % of the time so.
 */
static int read_clock(const struct timers *timers, const struct timer *timer, uint64_t *clock)
{
	if (!timers->cycles) {
		*clock = now_ns();
		return 0;
	}
	return read(timer->fd, clock, sizeof(*clock)) == sizeof(*clock) ? 0 : -errno;
}

static uint64_t due_of(const struct timers *timers, const struct timer *timer)
{
	return timer->due + (timer->end - timer->begin) / timers->period;
}

int timers__start(struct timers *timers)
{
	int err = 0;

	for (size_t i = 0; i < timers->cpus && !err; i++) {
		struct timer *timer = &timers->list[i];

		if (!timer->is_offline)
			err = read_clock(timers, timer, &timer->begin);
		timer->end = timer->begin;
	}
	return err;
}

/* The timer of a CPU, offline if it is new. */
static struct timer *timer_of(struct timers *timers, int cpu)
{
	size_t i = 0;

	while (i < timers->cpus && timers->list[i].cpu != cpu)
		i++;
	if (i == timers->cpus)
		timers->list[timers->cpus++] = (struct timer){ .cpu = cpu, .is_offline = true, .fd = -1 };
	return &timers->list[i];
}

/* A CPU has come: a new timer on it.  0 or -errno. */
static int add_cpu(struct timers *timers, int cpu)
{
	struct timer *timer = timer_of(timers, cpu);
	int fd, count = timers->job ? cleaner__ask(timers->job, cpu, &fd, 1) : -EOPNOTSUPP, err;

	if (count != 1)
		return count < 0 ? count : -EIO;
	*timer = (struct timer){ .cpu = cpu, .fd = fd, .due = due_of(timers, timer) };
	err = read_clock(timers, timer, &timer->begin);
	timer->end = timer->begin;
	return err;
}

void timers__follow_cpus(struct timers *timers)
{
	bool has_come;
	int cpu, err;

	while (timers->list && cpu_changes__next(&timers->changes, &cpu, &has_come)) {
		if (!has_come) {
			struct timer *timer = timer_of(timers, cpu);

			/* the kernel takes it off a CPU that goes */
			close_timer(timer);
			timer->is_offline = true;
			continue;
		}
		err = add_cpu(timers, cpu);
		/* it went again meanwhile */
		if (err && err != -ENODEV)
			say("CPU %d came online, and is not sampled: %s (start it again)", cpu, strerror(-err));
		else if (!err)
			say("CPU %d came online: it is sampled from now on", cpu);
	}
}

int timers__count_due(struct timers *timers, uint64_t *due)
{
	int err = 0;

	timers__follow_cpus(timers);
	*due = 0;
	for (size_t i = 0; i < timers->cpus && !err; i++) {
		struct timer *timer = &timers->list[i];

		if (!timer->is_offline)
			err = read_clock(timers, timer, &timer->end);
		*due += due_of(timers, timer);
	}
	return err;
}

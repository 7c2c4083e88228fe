/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/kernel/arming.h"
#include "lib/kernel/tracefs.h"

int recorder__open(struct recorder *recorder, unsigned int buffer_kb, struct fault *fault)
{
	int err;

	*recorder = (struct recorder){ .stream = { .cpus_count = 0 } };
	err = task_events__open(&recorder->tasks, fault);
	if (err)
		return err;
	err = instance__make(&recorder->instance, buffer_kb);
	if (!err)
		err = instance__set_clock(&recorder->instance);
	if (!err)
		err = stream__open(&recorder->stream, recorder->instance.path);
	intact__begin(&recorder->intact, &recorder->instance, &recorder->stream);
	return err ? fault__set(fault, err, "an instance in tracefs cannot be made: %s", strerror(-err)) : 0;
}

/* Switches an event on.  0, or -errno with a line in fault. */
static int enable(struct recorder *recorder, const struct format *format, bool hooks, struct fault *fault)
{
	char file[2 * FORMAT_NAME_MAX + 32];
	int err = hooks ? arming__begin(fault) : 0, ended;

	if (err)
		return err;
	snprintf(file, sizeof(file), "events/%s/%s/enable", format->system, format->name);
	err = instance__write(&recorder->instance, file, "1\n");
	/* the instance's removal detaches it */
	ended = hooks ? arming__end(err, NULL, NULL, fault) : err;
	if (err && ended == err)
		fault__set(fault, ended, "%s:%s cannot be recorded: %s", format->system, format->name, strerror(-err));
	return ended;
}

int recorder__add(struct recorder *recorder, const struct format *format, const char *filter, bool hooks,
		  struct fault *fault)
{
	char file[2 * FORMAT_NAME_MAX + 32];
	int err;

	if (filter) {
		snprintf(file, sizeof(file), "events/%s/%s/filter", format->system, format->name);
		err = instance__write(&recorder->instance, file, filter);
		if (err)
			return fault__set(fault, err, "%s:%s: the kernel does not take the filter %s: %s", format->system,
					  format->name, filter, strerror(-err));
		/* of many the first ones do: whoever clears one clears all, and recorder__start() has files to add */
		if (recorder->intact.files_count < INTACT_FILES / 2)
			err = intact__add(&recorder->intact, file);
		if (err)
			return fault__set(fault, err, "%s:%s: the filter cannot be read: %s", format->system, format->name,
					  strerror(-err));
	}
	return enable(recorder, format, hooks, fault);
}

int recorder__start(struct recorder *recorder)
{
	/* all events are on, or some are: "set_event" lists them */
	int err = intact__add(&recorder->intact, "set_event");

	if (!err)
		err = intact__add(&recorder->intact, "set_event_pid");
	if (!err)
		err = intact__add(&recorder->intact, "tracing_cpumask");
	return err ? err : intact__add_text(&recorder->intact, "tracing_on", "1\n");
}

int recorder__prepare_cut(struct recorder *recorder, const char *system)
{
	char file[sizeof(recorder->instance.path) + FORMAT_NAME_MAX + 32], path[512];
	int err, fd;

	snprintf(file, sizeof(file), "%s/events/%s/enable", recorder->instance.path, system);
	err = tracefs__path(path, sizeof(path), file);
	if (err)
		return err;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	recorder->switch_fd = fd;
	return 0;
}

void recorder__cut(const struct recorder *recorder)
{
	/* an error is nothing that a handler could do something about: the run ends and removes the instance */
	if (recorder->switch_fd > 0 && write(recorder->switch_fd, "0", 1) < 0)
		return;
}

int recorder__next(struct recorder *recorder, struct raw_record *record)
{
	struct stream_record next;
	const struct task *task;
	int more;

	/* a record without room for the common fields is none of an event */
	while ((more = stream__next(&recorder->stream, &next)) > 0 && next.record.size < RAW_RECORD_MIN)
		;
	if (more <= 0)
		return more;
	*record = (struct raw_record){
		.time_ns = next.record.time, .cpu = (uint32_t)next.cpu, .type = next.record.type,
		.data = next.record.data, .size = next.record.size,
	};
	memcpy(&record->tid, next.record.data + RAW_RECORD_TID, sizeof(record->tid));
	task = task_events__at(&recorder->tasks, record->tid, record->time_ns);
	record->pid = task ? task->pid : record->tid;
	record->comm = task_events__old_comm(&recorder->tasks, record->type, record->data, record->size);
	if (!record->comm && task)
		record->comm = task->comm;
	return 1;
}

void recorder__end(struct recorder *recorder)
{
	intact__finish(&recorder->intact);
	instance__write(&recorder->instance, "tracing_on", "0\n");
	/* a record that another CPU was writing is finished after this (synchronize_rcu(); not on kernels booted with nohz_full) */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	stream__end(&recorder->stream);
	task_events__end(&recorder->tasks);
}

int recorder__lost(const struct recorder *recorder, uint64_t *lost)
{
	struct stream_stats stats;
	int err = stream__stats(&recorder->stream, &stats);

	if (!err)
		*lost = stats.overrun + stats.refused;
	return err;
}

int recorder__close(struct recorder *recorder)
{
	int err, tasks_err;

	/* it holds the instance */
	if (recorder->switch_fd > 0)
		close(recorder->switch_fd);
	recorder->switch_fd = 0;
	stream__close(&recorder->stream);
	intact__end(&recorder->intact);
	err = instance__remove(&recorder->instance);
	tasks_err = task_events__close(&recorder->tasks);
	return err ? err : tasks_err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "task_events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/format/events.h"
#include "lib/format/format.h"

/* A new task takes 64 bytes: 4,000 of them on each CPU between two looks. */
#define BUFFER_KB 256
#define CLONE_THREAD 0x10000	/* include/uapi/linux/sched.h */

/* Adds where a field of size bytes is. */
static int find(const struct format *format, const char *name, unsigned int size, unsigned int *offset, unsigned int *record_size)
{
	const struct format_field *field = format__field(format, name);

	if (!field || field->size != size)
		return -EINVAL;
	*offset = field->offset;
	if (*record_size < field->offset + size)
		*record_size = field->offset + size;
	return 0;
}

static int read_formats(struct task_events *events, struct fault *fault)
{
	struct format *format;
	int err;

	err = events__format("task", "task_newtask", &format, fault);
	if (err)
		return err;
	events->new_type = (uint16_t)format->id;
	if (find(format, "common_pid", 4, &events->common_pid, &events->new_size) ||
	    find(format, "pid", 4, &events->new_pid, &events->new_size) ||
	    find(format, "comm", TASK_COMM_LEN, &events->new_comm, &events->new_size) ||
	    find(format, "clone_flags", 8, &events->clone_flags, &events->new_size))
		err = -EINVAL;
	format__free(format);
	if (!err)
		err = events__format("task", "task_rename", &format, fault);
	if (err)
		goto out;
	events->rename_type = (uint16_t)format->id;
	if (find(format, "pid", 4, &events->rename_pid, &events->rename_size) ||
	    find(format, "oldcomm", TASK_COMM_LEN, &events->old_comm, &events->rename_size) ||
	    find(format, "newcomm", TASK_COMM_LEN, &events->new_name, &events->rename_size))
		err = -EINVAL;
	format__free(format);
out:
	if (err == -EINVAL)
		fault__set(fault, err, "task/task_newtask and task/task_rename do not have the fields that name tasks");
	return err;
}

int task_events__open(struct task_events *events, struct fault *fault)
{
	int err;

	*events = (struct task_events){ .has_next = false };
	err = read_formats(events, fault);
	if (err)
		return err;
	err = instance__make(&events->instance, BUFFER_KB);
	if (!err)
		err = instance__set_clock(&events->instance);
	if (!err)
		err = instance__write(&events->instance, "events/task/task_newtask/enable", "1\n");
	if (!err)
		err = instance__write(&events->instance, "events/task/task_rename/enable", "1\n");
	if (!err)
		task_free__watch(&events->task_free, &events->instance);
	if (!err)
		err = stream__open(&events->stream, events->instance.path);
	if (err)
		return fault__set(fault, err, "an instance in tracefs for the names of tasks cannot be made: %s",
				  strerror(-err));
	/* afterwards: whoever is renamed meanwhile is renamed to the same name once more by the event */
	err = tasks__scan(&events->tasks);
	return err ? fault__set(fault, err, "the tasks in /proc cannot be read: %s", strerror(-err)) : 0;
}

static uint32_t number_at(const struct page_record *record, unsigned int offset)
{
	uint32_t number;

	memcpy(&number, record->data + offset, sizeof(number));
	return number;
}

static const char *text_at(const struct page_record *record, unsigned int offset)
{
	return (const char *)record->data + offset;
}

static void apply(struct task_events *events, const struct page_record *record)
{
	const struct task *task;
	uint64_t flags;
	uint32_t tid;

	if (record->type == events->new_type && record->size >= events->new_size) {
		tid = number_at(record, events->new_pid);
		memcpy(&flags, record->data + events->clone_flags, sizeof(flags));
		/* a thread of the process that the current one belongs to, or a process of its own */
		task = flags & CLONE_THREAD ? tasks__look_up(&events->tasks, number_at(record, events->common_pid)) : NULL;
		tasks__set(&events->tasks, tid, task ? task->pid : tid, text_at(record, events->new_comm));
	} else if (record->type == events->rename_type && record->size >= events->rename_size) {
		tid = number_at(record, events->rename_pid);
		task = tasks__look_up(&events->tasks, tid);
		tasks__set(&events->tasks, tid, task ? task->pid : tid, text_at(record, events->new_name));
	} else if (task_free__is(&events->task_free, record, &tid)) {
		tasks__end(&events->tasks, tid);
	}
}

/* The next record, or until when there is none.  1, 0, or -errno of reading. */
static int look(struct task_events *events)
{
	int more = stream__next(&events->stream, &events->next);

	events->has_next = more > 0;
	if (!events->has_next)
		events->known_ns = stream__known_until(&events->stream);
	return more;
}

void task_events__go_on(struct task_events *events, uint64_t time_ns)
{
	for (;;) {
		if (!events->has_next && time_ns > events->known_ns)
			look(events);
		if (!events->has_next || events->next.record.time > time_ns)
			break;
		/* what is not known any more is looked up anew */
		if (events->next.lost_some) {
			tasks__free(&events->tasks);
			tasks__scan(&events->tasks);
		}
		apply(events, &events->next.record);
		events->has_next = false;
	}
}

uint64_t task_events__look(struct task_events *events)
{
	/* there may be more behind the next one; and where it cannot be read, nobody waits for it */
	return events->has_next || look(events) ? UINT64_MAX : events->known_ns;
}

const char *task_events__old_comm(const struct task_events *events, uint16_t type, const void *record, size_t size)
{
	const struct page_record page_record = { .data = record };

	if (type != events->rename_type || size < events->rename_size || size < events->common_pid + sizeof(uint32_t) ||
	    number_at(&page_record, events->common_pid) != number_at(&page_record, events->rename_pid))
		return NULL;
	return (const char *)record + events->old_comm;
}

void task_events__end(struct task_events *events)
{
	instance__write(&events->instance, "tracing_on", "0\n");
	stream__end(&events->stream);
}

int task_events__close(struct task_events *events)
{
	stream__close(&events->stream);
	tasks__free(&events->tasks);
	return instance__remove(&events->instance);
}

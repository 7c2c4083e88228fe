/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which task an event of another instance is of, by the events task/task_newtask, task/task_rename and sched/sched_process_free in an
 * instance of their own: so the answer is right for a task that has ended since, or has another name now, and a flood of other events
 * cannot overwrite them.
 */
#ifndef PROBELIGHT_TASK_EVENTS_H
#define PROBELIGHT_TASK_EVENTS_H

#include "instance.h"
#include "lib/kernel/tasks.h"
#include "lib/print/fault.h"
#include "stream.h"
#include "task_free.h"

struct task_events {
	struct instance instance;
	struct stream stream;
	struct tasks tasks;
	bool has_next;			/* a record that is younger than what was asked for */
	struct stream_record next;
	uint64_t known_ns;		/* without one: up to this time (CLOCK_MONOTONIC) there is none */
	struct task_free task_free;	/* without these records threads that have ended stay in the table */
	uint16_t new_type, rename_type;	/* of records */
	unsigned int common_pid, new_pid, new_comm, clone_flags, rename_pid, old_comm, new_name;	/* offsets in them, bytes */
	unsigned int new_size, rename_size;	/* a record has at least so many bytes */
};

/* From now on it knows the tasks. 0 or -errno with one line in fault; task_events__close() takes one that failed, too. */
int task_events__open(struct task_events *events, struct fault *fault);

/* task_events__at()'s slow part: applies the events up to a time. */
void task_events__go_on(struct task_events *events, uint64_t time_ns);

/*
 * The task that has the number tid at a time (CLOCK_MONOTONIC), which must not be before the one of the call before. NULL: nobody knows.
 * Valid until the next call.
 */
static inline const struct task *task_events__at(struct task_events *events, uint32_t tid, uint64_t time_ns)
{
	/* most often nothing has happened: to ask for that would be a read(2) of each CPU's buffer, for each event */
	if (time_ns > events->known_ns || events->has_next)
		task_events__go_on(events, time_ns);
	return tasks__look_up(&events->tasks, tid);
}

/*
 * Up to which time (CLOCK_MONOTONIC) tasks are known without another look, after one now.  Who asks about many events of the last moment
 * asks for this first, and takes younger events later: task_events__at() would have to look for each of them.
 */
uint64_t task_events__look(struct task_events *events);

/*
 * The name that the current task had when the event task_rename itself was recorded: the kernel gives it the new one afterwards. NULL: the
 * record is of another event, or is about another task.
 */
const char *task_events__old_comm(const struct task_events *events, uint16_t type, const void *record, size_t size);

/* Nothing is recorded any more. */
void task_events__end(struct task_events *events);

/* 0 or -errno of removing the instance. */
int task_events__close(struct task_events *events);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --record FILE: the events of a run go into a file as they come from the ring buffer, with all else that a row of theirs needs
 * (record_file.h), for `probelight show FILE` (show.h).  With -o there are rows, too.
 *
 *	recording__check(tool);			the command line is read
 *	recording__open(tool);			before capabilities are dropped
 *	recording__begin(tool, start);		before the header
 *	recording__add(recording, event, size);
 *	recording__flush(recording);		nothing comes by now
 *	recording__end(tool, &tally);
 *	recording__free(tool);
 */
#ifndef PROBELIGHT_RECORDING_H
#define PROBELIGHT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "record_file.h"
#include "tool.h"

/* Of struct tool_about: a tool that has --record. */
struct record_about {
	uint32_t layout;		/* NAME_records, of its skeleton's header */
	uint32_t size_min;		/* bytes of an event at least */
	/* Whether its print function can read such an event, which may be hostile.  NULL: any with size_min bytes. */
	bool (*is_intact)(const void *event, size_t size);
	/* How many of its first bytes the print function reads: the others are not recorded.  NULL: all. */
	size_t (*used)(const void *event);
	const int *kept;		/* keys of its own options that say how to read an event, ended by 0; NULL: none */
	const int *shown;		/* keys of those that are about rows alone, which `show` takes, ended by 0; NULL: none */
	const char *no_filter;		/* why `show` cannot filter by task; NULL: events are of the task that they begin with */
};

/*
 * For a tool's struct tool_about: RECORDS(opensnoop, offsetof(struct open_event, path), .is_intact = …, .shown = RECORD_KEYS('e')).  name
 * is that of its skeleton.
 */
#define RECORDS(name, size, ...) \
	.record = &(const struct record_about){ .layout = name##_records, .size_min = (uint32_t)(size), __VA_ARGS__ }
#define RECORD_KEYS(...) (const int[]){ __VA_ARGS__, 0 }

/* Whether it can be what a system call returned: not so far below 0 that it has no error number. */
static inline bool record__is_result(int64_t result)
{
	return result >= -4095;
}

/* Whether there are so many bytes at offset of an event of that size. */
static inline bool record__has(size_t size, size_t offset, size_t bytes)
{
	return offset <= size && bytes <= size - offset;
}

#define RECORDING_BUFFER (128 * 1024)

struct recording {
	struct tool *tool;
	struct event_task task;		/* of the event before */
	size_t (*used_of)(const void *event);	/* as in struct record_about */
	size_t used;			/* of buffer, which is RECORDING_BUFFER bytes */
	char *buffer;
	uint64_t added, written;	/* events */
	bool has_rows;			/* rows are printed, too */
};

/* An option of the tool's own was given: it is kept if it must be.  value: as of argp, and must stay. */
void recording__keep_option(const struct tool *tool, int key, const char *value);

/* Refuses what does not go with --record; rows are printed only with -o. */
void recording__check(struct tool *tool);

/* Makes the file.  tool->err. */
int recording__open(struct tool *tool);

/* Writes what stands before events.  start: the start record of JSON. */
void recording__begin(struct tool *tool, const char *start);

/* recording__add()'s slow part: what must stand before an event of that task, and room for so many bytes. */
void recording__prepare(struct recording *recording, const struct event_task *task, size_t size);

/* Between the time of an event and what is the tool's own of it: who it is of. */
#define RECORD_TASK_SIZE (sizeof(struct event_task) - sizeof(uint64_t))

/* An event, which begins with struct event_task. */
static inline void recording__add(struct recording *recording, const void *event, size_t size)
{
	const struct event_task *task = event;
	struct record_chunk chunk = { .kind = RECORD_AGAIN };
	const uint64_t zero = 0;
	size_t padded, rest;
	char *to;

	if (recording->used_of) {
		size_t used = recording->used_of(event);

		size = used < size ? used : size;
	}
	/* the cgroup may have its name since then */
	if (task->cgroup_id != recording->task.cgroup_id || !tool__is_same_task(task, &recording->task) ||
	    !recording->tool->out.clock.realtime_ns || RECORDING_BUFFER - recording->used < size + 2 * sizeof(chunk)) {
		recording__prepare(recording, task, size + 2 * sizeof(chunk));
		chunk.kind = RECORD_EVENT;
	}
	chunk.size = (uint32_t)(chunk.kind == RECORD_AGAIN ? size - RECORD_TASK_SIZE : size);
	padded = (chunk.size + 7) & ~(size_t)7;
	to = recording->buffer + recording->used;
	memcpy(to, &chunk, sizeof(chunk));
	memcpy(to + padded, &zero, sizeof(zero));
	memcpy(to + sizeof(chunk), event, sizeof(task->ts_ns));
	/* the end of it */
	rest = chunk.size - sizeof(task->ts_ns);
	memcpy(to + sizeof(chunk) + sizeof(task->ts_ns), (const char *)event + size - rest, rest);
	recording->used += sizeof(chunk) + padded;
	recording->added++;
}

void recording__flush(struct recording *recording);

/* Writes what stands behind the last event, and closes the file. */
void recording__end(struct tool *tool, const struct tally *tally);

void recording__free(struct tool *tool);

#endif

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
	const int *kept;		/* keys of its own options that say how to read an event, ended by 0; NULL: none */
	const int *shown;		/* keys of those that are about rows alone, which `show` takes, ended by 0; NULL: none */
	const char *no_filter;		/* why `show` cannot filter by task; NULL: events are of the task that they begin with */
};

/*
 * For a tool's struct tool_about: RECORDS(opensnoop, offsetof(struct open_event, path), .is_intact = …, .shown = RECORD_KEYS('e')).  name is
 * that of its skeleton.
 */
#define RECORDS(name, size, ...) .record = &(const struct record_about){ .layout = name##_records, .size_min = (uint32_t)(size), __VA_ARGS__ }
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
	uint64_t cgroup_id;		/* of the event before */
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

/* recording__add()'s slow part, and a chunk of any kind. */
void recording__prepare(struct recording *recording, uint64_t cgroup_id, size_t size);

/* An event, which begins with struct event_task; its memory is readable to the next multiple of 8 bytes. */
static inline void recording__add(struct recording *recording, const void *event, size_t size)
{
	const struct event_task *task = event;
	struct record_chunk chunk = { (uint32_t)size, RECORD_EVENT };
	size_t padded = (size + 7) & ~(size_t)7;
	char *to;

	if (task->cgroup_id != recording->cgroup_id || !recording->tool->out.clock.realtime_ns ||
	    RECORDING_BUFFER - recording->used < sizeof(chunk) + padded)
		recording__prepare(recording, task->cgroup_id, sizeof(chunk) + padded);
	to = recording->buffer + recording->used;
	memcpy(to, &chunk, sizeof(chunk));
	memcpy(to + sizeof(chunk), event, padded);
	recording->used += sizeof(chunk) + padded;
	recording->added++;
}

void recording__flush(struct recording *recording);

/* Writes what stands behind the last event, and closes the file. */
void recording__end(struct tool *tool, const struct tally *tally);

void recording__free(struct tool *tool);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of the running kernel, or of the copy that tracefs__use() names: their names, and their formats. */
#ifndef PROBELIGHT_EVENTS_H
#define PROBELIGHT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/print/fault.h"

struct format;

/* The system of the events that these tools make for probes of their own; no pattern means them. */
#define EVENTS_OWN_SYSTEM "probelight"

/*
 * From now on the events are those of a recording instead of the kernel's: read gives the texts of tracefs' files as tracefs__read() does.
 * It must live on.  NULL undoes it.
 */
struct events_copy {
	int (*read)(void *ctx, const char *relative, size_t size_max, char **text, size_t *size);
	void *ctx;
	const char *what;	/* "the recording", for messages */
};
void events__use(const struct events_copy *copy);

struct events {
	char **names;		/* "SYSTEM/NAME", sorted; each has a "/" */
	size_t count;
	unsigned bad_lines;	/* of available_events, that name no event: left out */
	unsigned first_bad_line;
	unsigned bad_directories;	/* the same, of directories with names that no event has */
	char *text;		/* what they point into */
};

/*
 * All events that programs can be attached to, filled into *events and released by events__free().  They come from
 * available_events, or where that is missing (a copy of the events directory) from the directories; "ftrace", whose records
 * are the tracers' own and no tracepoints, and EVENTS_OWN_SYSTEM are left out in both cases.  0 or -errno; a line of
 * available_events that is no "SYSTEM:NAME", or a directory with a name that no event or system has (format__is_name()), is
 * no error, but counted: the copy is damaged or forged.  -EBADF: available_events is no regular file.
 */
int events__list(struct events *events);
void events__free(struct events *events);

/*
 * Reads and parses an event's format; *format is freed by format__free().  0, or -errno with one line in fault that says what is
 * wrong, and for an event that does not exist names the nearest ones: "sched/swich: the running kernel has no such event; the nearest are …".
 */
int events__format(const char *system, const char *name, struct format **format, struct fault *fault);

/*
 * The same for an event that a C struct's name stands for: "tp_SYSTEM__NAME", where a character that C does not allow
 * in a name is written as "_" ("tp_sample_trace__foo_bar" for sample-trace/foo_bar).
 */
int events__format_of_struct(const char *tag, struct format **format, struct fault *fault);

/*
 * The event of a program's section, "tp/SYSTEM/NAME" or "tracepoint/SYSTEM/NAME": "SYSTEM/NAME", in section; NULL for other
 * sections.
 */
const char *events__of_section(const char *section);

/* Writes the struct's name of an event to tag.  0 or -ENAMETOOLONG. */
int events__struct_name(const char *system, const char *name, char *tag, size_t size);

#endif

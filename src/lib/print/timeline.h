/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A timeline in Chrome's trace event format, which Perfetto's and Chromium's viewers open: an array of JSON objects, each with
 *
 *	ph	what it is: "X" a slice, "i" an instant, "M" the name of a track
 *	ts	its time in microseconds; three decimals are nanoseconds
 *	dur	of a slice: how long it is, in the same unit
 *	pid	a group of tracks (a process)
 *	tid	a track in it (a thread)
 *	name	what stands on it
 *	args	what a viewer shows of the one that was selected
 *
 *	struct text_buffer text = text_buffer__growing(1 << 20);
 *
 *	timeline__begin(&text, 7, "init");
 *	timeline__slice(&text, &(struct timeline_track){ 7, 7 }, begin_ns, end_ns, "CPU 1", 5, "\"state\":\"S\"");
 *	timeline__end(&text);
 *
 * Slices of a track must not overlap; their order does not matter.  The viewers do without the end of the array: what was written by
 * the time that somebody killed the tool can be opened.
 */
#ifndef PROBELIGHT_TIMELINE_H
#define PROBELIGHT_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "text_buffer.h"

#define TIMELINE_NAME_MAX 64	/* bytes of a name that are taken */

struct timeline_track {
	uint32_t pid, tid;
};

/* The beginning, with the name of one group of tracks, and the end of the file. */
void timeline__begin(struct text_buffer *to, uint32_t pid, const char *name);
void timeline__end(struct text_buffer *to);

/* The names of a group of tracks and of a track.  They are untrusted bytes, size of them or up to a 0 byte. */
void timeline__name_group(struct text_buffer *to, uint32_t pid, const char *name, size_t size);
void timeline__name_track(struct text_buffer *to, const struct timeline_track *track, const char *name, size_t size);

/* args: JSON members, "\"a\":1,\"b\":2", or "". */
void timeline__slice(struct text_buffer *to, const struct timeline_track *track, uint64_t begin_ns, uint64_t end_ns, const char *name,
		     size_t size, const char *args);
void timeline__instant(struct text_buffer *to, const struct timeline_track *track, uint64_t ts_ns, const char *name, const char *args);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waits for an event, with a filter, that ends a recording: an instance of tracefs of its own records nothing but this event, and a reader
 * that polls it is woken by the first one.  The event is also in the recording's own instance: there it is the last record that is wanted.
 *
 * The order makes that exact.  The recording has the event before this instance has it, so the kernel writes the recording's copy
 * first; and
 * what came before since_ns (when both recorded) is no event here.
 */
#ifndef PROBELIGHT_UNTIL_H
#define PROBELIGHT_UNTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/format/format.h"
#include "lib/format/raw_record.h"
#include "lib/ftrace/recorder.h"
#include "lib/print/fault.h"

struct until {
	struct recorder recorder;	/* without the tasks' part */
	uint64_t since_ns;		/* CLOCK_MONOTONIC; the caller sets it */
	bool has_come;
	uint64_t time_ns;		/* of the first one, as this instance has it */
	uint32_t cpu;
	void *data;			/* its record, size bytes */
	size_t size;
};

/*
 * Records the event; the arguments as of recorder__add().  0, or -errno with one line in fault; until__close() takes one that failed, too.
 */
int until__open(struct until *until, const struct format *format, const char *filter, bool hooks, struct fault *fault);

/* Has epoll_fd become readable when the event comes.  0 or -errno. */
int until__wake(const struct until *until, int epoll_fd);

/* Whether the event has come.  *err: -errno of reading, or 0. */
bool until__look(struct until *until, int *err);

/* Nothing is recorded any more: has_come and what follows it are final. */
void until__end(struct until *until);

/* Whether a record of the recording is that event. */
bool until__is(const struct until *until, const struct raw_record *record);

/* 0 or -errno of removing the instance; takes a zeroed one. */
int until__close(struct until *until);

#endif

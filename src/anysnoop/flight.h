/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flight recorder, --before SECONDS [--until 'EVENT [if FILTER]']: ftrace records into buffers that overwrite their oldest records, and
 * nobody reads them until an event, SIGUSR1 or the end of the run comes.  Then the rows of the seconds before that are printed.
 *
 * Rows are complete: where a CPU's buffer was overwritten within the seconds, they begin where all CPUs have everything.  Of all records
 *
 *	recorded = shown or filtered + older + overwritten + later
 *
 * older: before the rows begin; later: between the event and the end of the recording.
 */
#ifndef PROBELIGHT_FLIGHT_H
#define PROBELIGHT_FLIGHT_H

#include "lib/ftrace/recorder.h"
#include "lib/gen/plan.h"
#include "lib/run/tool.h"
#include "until.h"

#define FLIGHT_LOOK_MS 200	/* between two looks while nothing comes: the events of tasks must not be overwritten */

struct flight {
	/* what the command line says */
	uint64_t before_ns;		/* 0: this is no flight recorder */
	struct requests requests;	/* the event that ends it, or the two with a time between them that does; or none */
	/* the event's plan: one of the run's, of two the second one, behind the first; or own; NULL: there is none */
	const struct plan *until_plan;
	struct plan own;
	bool by_program;		/* a program sees that event, which has no record (via__has_record()) */

	struct recorder *recorder;	/* that is not read; the caller's */
	struct until until;
	int epoll_fd, signal_fd;
	bool is_over;			/* the event or the signal came */
	bool has_ended;
	uint64_t started_ns;		/* CLOCK_MONOTONIC: all is recorded from then on ... */
	uint64_t from_ns, until_ns;	/* ... and these rows are wanted, where the buffers reach so far */
	bool is_short;			/* they do not, and from_ns is when they begin */
	bool is_past;			/* the event was given: what follows is later */
	uint64_t shown, older, overwritten, later;	/* records */
};

/* The arguments of the options.  What is wrong ends the run as bad usage. */
void flight__set_before(struct flight *flight, const char *text);
void flight__set_until(struct flight *flight, const char *text);

/* At the end of the command line: whether the options go together; else the run ends as bad usage. */
void flight__check(struct flight *flight, const struct tool *tool);

/*
 * Plans the event that ends the recording, which is shown as well: where it is none of the run's events, its plan becomes the last of them
 * (there is room for one more), and *plans_count grows.  tool->err.
 */
int flight__plan(struct flight *flight, struct tool *tool, struct sources *sources, struct plan *plans, size_t *plans_count);

/* Before the recorder's events are added: nothing is recorded yet.  0 or -errno. */
int flight__hold(struct flight *flight, struct recorder *recorder);

/*
 * All of them are added: looks for the event, if one ends it, by its records' format and its filter in the kernel's language; begins.
 * 0, or -errno with one line in fault; flight__close() takes one that failed, too.
 */
int flight__start(struct flight *flight, const struct format *format, const char *filter, bool hooks, struct fault *fault);

/* For who sleeps: a file that is readable when something ends the recording. */
int flight__wake_fd(const struct flight *flight);

/*
 * by_program: the program has sent the event.  Whether it is the one that ends the recording, and has a row; each further one is counted as
 * later.
 */
bool flight__takes(struct flight *flight, uint64_t time_ns);

/* While it records: looks what has come.  0 or -errno. */
int flight__look(struct flight *flight);

/* The recorder was stopped: finds which records are to be shown.  0 or -errno. */
int flight__end(struct flight *flight);

/* Whether a record, in the order of time, is to be shown; those that are not are counted here. */
bool flight__shows(struct flight *flight, const struct raw_record *record);

/* After the last row: a line on stderr, in JSON one on the output, that tells how far the rows reach. */
void flight__tell(const struct flight *flight, struct tool *tool);

/* 0 or -errno of removing the instances. */
int flight__close(struct flight *flight);

#endif

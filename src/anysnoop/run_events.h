/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of the run: a plan for each, with a number from 0 on in the order of the command line.
 *
 * Some share programs: functions that one pattern matches (u:, ur:), where the programs that are generated for them are the same.
 * A thousand functions then are one program at a thousand places, which come and go at once (lib/user/user_attach.h).  The first
 * of those that share a program is their leader, each other event is its own.
 */
#ifndef PROBELIGHT_ANYSNOOP_RUN_EVENTS_H
#define PROBELIGHT_ANYSNOOP_RUN_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "anysnoop.h"
#include "lib/gen/plan.h"

/* With those that end a recording (flight.h). */
#define EVENTS_ROOM (ANYSNOOP_SHARING_MAX + 2)

struct event_state {
	const void *pattern;	/* of which request's pattern it is, where such events may share programs; else NULL */
	uint16_t leader;
	uint8_t rank;		/* of a leader: which of them it is, from 0 */
	bool has_others;	/* of a leader: it shares its programs */
	bool is_optional;	/* one of a pattern's: it may refuse */
	bool is_refused;	/* it has refused */
	bool is_recorded;	/* ftrace records it, and no program sees it (made.h) */
};

struct run_events {
	struct plan *plans;	/* room for as many as the requests can be; they stay where they are */
	struct event_state states[EVENTS_ROOM];
	size_t count;
	size_t leaders;		/* events with programs of their own */
};
extern struct run_events run_events;

/* Makes room for the plans; may_share: for events that share programs, too.  0 or -ENOMEM. */
int run_events__make_room(bool may_share);

/*
 * Adds run_events.plans[run_events.count], which is made already.  pattern: as in struct event_state.  0, or -E2BIG: it would be
 * one more with programs of its own than ANYSNOOP_EVENTS_MAX, and is not added.
 */
int run_events__add(const void *pattern);

/* The number of one of run_events.plans. */
size_t run_events__number(const struct plan *plan);

/* Whether a plan is one of the run's events. */
bool run_events__has(const struct plan *plan);

/* How many ftrace records. */
size_t run_events__recorded(void);

void run_events__free(void);

#endif

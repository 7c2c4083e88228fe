/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs of anysnoop's events: which of the skeleton's each event takes, and what is generated into it.  anysnoop.bpf.c has them
 * compiled, as frames with marks (lib/gen/patch.h), between.bpf.c those of --between.
 */
#ifndef PROBELIGHT_EVENT_PROGRAMS_H
#define PROBELIGHT_EVENT_PROGRAMS_H

#include "anysnoop.h"
#include "between.h"
#include "counted.h"
#include "lib/gen/plan.h"
#include "lib/probe/attach.h"
#include "lib/run/tool.h"

/*
 * What a program does. A system call that returns takes two: SEES_RETURN of its event, and KEEPS_SYSCALL; so does a function's call,
 * SEES_CALL_RETURN and KEEPS_CALL.
 */
enum program_kind { SEES_EVENT, SEES_SYSCALL, SEES_RETURN, KEEPS_SYSCALL, SEES_CALL_RETURN, KEEPS_CALL, SEES_USER_CALL, SEES_HOOK,
		    PROGRAM_KINDS };

/* Of the skeleton: those that were compiled, and two for each further event (anysnoop.bpf.c). */
#define EVENT_PROGRAMS_COMPILED 14
#define EVENT_PROGRAMS_MAX (EVENT_PROGRAMS_COMPILED + 2 * (ANYSNOOP_EVENTS_MAX - 1))

/* What a program of the skeleton is made to be. */
struct event_program {
	const struct plan *event;	/* NULL: it is not needed */
	enum program_kind kind;
};

/* How the programs of the run's events are made (run_events.h); all of it is the caller's, and stays there until event_programs__free(). */
struct event_programs {
	struct attach *attach;		/* of calls of functions */
	const struct between *between;
	const struct counted *counted;
};

/* Before the skeleton is opened: which event takes which programs, and what libbpf asks when it loads one.  0 or tool->err. */
int event_programs__register(const struct event_programs *wanted, struct tool *tool);

/* After that: how many of the skeleton's programs are needed, the rest being behind them. */
int event_programs__count(void);

/* After it was opened: which programs are loaded, and whether there is the map that keeps calls. */
void event_programs__prepare(struct tool *tool);

/* The same for the map that tells events apart which share a program.  Whether one is needed. */
bool event_programs__prepare_sites(struct bpf_map *map);

/* Whether an event's program asks that map. */
bool event_programs__need_sites(const struct plan *event);

/* The skeleton's program of that number, from 0. */
const struct event_program *event_programs__at(int number);
int event_programs__number(const struct bpf_object_skeleton *skeleton, const struct bpf_program *program);

/* Whether programs of a kind keep calls for those that see their returns. */
bool event_programs__keep(enum program_kind kind);

void event_programs__free(void);

/*
 * Attaches all of them (event_attach.c): 0 or tool->err, also with wanted->attach->err.  What one of a pattern's events refuses is
 * reported.
 */
int event_programs__attach(const struct event_programs *wanted, struct tool *tool);

#endif

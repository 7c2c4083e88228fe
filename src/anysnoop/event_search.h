/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the events that the command line names, and plans them. */
#ifndef PROBELIGHT_ANYSNOOP_EVENT_SEARCH_H
#define PROBELIGHT_ANYSNOOP_EVENT_SEARCH_H

#include "between.h"
#include "counted.h"
#include "flight.h"
#include "via.h"

/* What the command line says; all of it is the caller's. */
struct event_search {
	struct requests *requests;
	const struct counted *counted;
	struct between *between;
	struct flight *flight;
	struct via *via;		/* its consumer is VIA_BPF afterwards where a program sees what ends a recording */
};

/* Fills in events (run_events.h).  tool->err. */
int event_search__run(const struct event_search *search, struct tool *tool);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of events: their columns, and how they are printed. */
#ifndef PROBELIGHT_ANYSNOOP_EVENT_ROWS_H
#define PROBELIGHT_ANYSNOOP_EVENT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/gen/plan.h"
#include "lib/run/tool.h"

extern const struct out_column event_columns[];

/* With --context: the state of the row's event (ftrace/record_state.h), which the caller sets before it prints one. */
extern uint16_t event_rows_state;

/* Once the events are planned: the ring buffer holds the largest record, and a row the longest values.  tool->err. */
int event_rows__make(struct tool *tool);

/* Makes a row hold values of so many bytes.  0 or -ENOMEM. */
int event_rows__make_room(size_t size);

/* Room for the values of any event. */
char *event_rows__room(void);

/*
 * Sets tool->columns where they are not event_columns.  One event alone (only) is a table, with its fields as columns; NULL: there are
 * several.  tool->err.
 */
int event_rows__make_columns(struct tool *tool, const struct plan *only, bool with_state);

/* Prints the row of an event; copy: as a program of lib/gen/record has sent it. */
void event_rows__print(struct tool *tool, const struct plan *event, const struct event_task *task, uint32_t cpu, const void *copy);

/* The same of what a program has sent (struct anysnoop_event), as tool_print_event. */
void event_rows__print_event(struct tool *tool, const void *data, size_t size);

void event_rows__free(void);

#endif

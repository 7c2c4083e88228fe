/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `probelight show FILE`: a tool prints the events of a file that --record has written, on any machine, without rights and without
 * tracing.  The tool runs as always, but the frame opens nothing and loads nothing: tool__opened() is false, and tool__run() takes events
 * from the file.
 */
#ifndef PROBELIGHT_SHOW_H
#define PROBELIGHT_SHOW_H

#include <stdbool.h>

#include "tool.h"

/*
 * Opens the file, "-" is stdin, and reads which tool's events it has: its name, which is good until the process ends; NULL after a
 * message.
 */
const char *show__open(const char *path);

/* Closes it, and forgets what was read; for a process that shows another one next. */
void show__close(void);

/* Whether one is open. */
bool show__is_active(void);

/* Whether an option of the tool's own makes sense for events that have happened. */
bool show__takes_own(const struct tool *tool, int key);

/* Before the command line is read: takes what the file says of the run.  Does not return where the tool cannot read these events. */
void show__begin(struct tool *tool);

/* What does not go together, once it is read. */
void show__check(struct tool *tool);

/* The name of the machine that the events are of. */
const char *show__host(void);

/* Prints the start record of the run, with -j. */
void show__print_start(struct tool *tool);

/* tool__run(), instead of all that it does else.  tool->err. */
int show__run(struct tool *tool, tool_print_event print_event);

#endif

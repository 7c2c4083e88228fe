/* SPDX-License-Identifier: BSD-2-Clause */
/* anysnoop -l: the events that a pattern matches, and their fields. */
#ifndef PROBELIGHT_EVENT_LIST_H
#define PROBELIGHT_EVENT_LIST_H

#include "lib/run/tool.h"

/* Prints "SYSTEM:NAME" and the declarations of its fields, for each event.  The exit status; ends the program where pattern is none. */
int event_list__print(struct tool *tool, const char *pattern);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* "-- COMMAND", -f and --preserve-status in the frame of a tool (tool.h): from the command line to the exit status. */
#ifndef PROBELIGHT_TOOL_COMMAND_H
#define PROBELIGHT_TOOL_COMMAND_H

#include <argp.h>

#include "tool.h"

/* Takes the word that argp is at, the first one after "--", and all that follow, as the command. */
void tool_command__take(struct tool *tool, struct argp_state *state);

/* For ARGP_KEY_END: refuses "--" without a command. */
void tool_command__end(const struct tool *tool, const struct argp_state *state);

/*
 * After the last option, and once the cgroup is known: refuses what does not go together with a command, and -f and
 * --preserve-status without what they need.
 */
void tool_command__check(struct tool *tool);

/* Makes the command's process, which counts as one of -p from then on; ends the tool if it cannot be executed. */
void tool_command__make(struct tool *tool);

/* Everything is attached: lets the command go, if there is one, and returns once it is executed.  tool->err. */
int tool_command__start(struct tool *tool);

/* At the tool's end: waits for the command.  The tool's exit status. */
int tool_command__finish(struct tool *tool);

#endif

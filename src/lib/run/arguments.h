/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments that are no options: a tool's own, and INTERVAL and COUNT of tools that count. */
#ifndef PROBELIGHT_ARGUMENTS_H
#define PROBELIGHT_ARGUMENTS_H

#include <argp.h>
#include <stdbool.h>

struct tool;

/* What --help says of them behind "[OPTION...]": a line, and one more for --count of a tool that prints rows. */
#define ARGUMENTS_DOC_SIZE 240
void arguments__describe(const struct tool *tool, bool may_count, char text[ARGUMENTS_DOC_SIZE]);

/*
 * An argument.  may_count: the tool prints rows, and counts them on request: then its arguments are kept until all options are known, as
 * a number may be its own or INTERVAL.  0, or an error of its parse function.
 */
error_t arguments__add(struct tool *tool, char *arg, struct argp_state *state, bool may_count);

/* Takes those that were kept: numbers are INTERVAL and COUNT if rows are counted.  0, or an error of its parse function. */
error_t arguments__take(struct tool *tool, struct argp_state *state, bool may_count);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* How a tool ends. */
#ifndef PROBELIGHT_EXIT_H
#define PROBELIGHT_EXIT_H

#include "lib/print/version.h"

enum tool_exit {
	TOOL_EXIT_DONE = 0,	/* done or interrupted */
	TOOL_EXIT_FAILED = 1,	/* at run time */
	TOOL_EXIT_USAGE = 2,
	TOOL_EXIT_LOST = 3,	/* events were lost or missed, and --strict was given */
};

/* Prints "NAME: … (see NAME --help)" on stderr and exits with status 2. */
void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif

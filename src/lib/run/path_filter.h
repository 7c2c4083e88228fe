/* SPDX-License-Identifier: BSD-2-Clause */
/* The argument PATH of tools whose events have a path: a part of it. */
#ifndef PROBELIGHT_RUN_PATH_FILTER_H
#define PROBELIGHT_RUN_PATH_FILTER_H

#include "tool.h"

/* Sets the filter to the argument of the command line; ends the run with a usage error if it is none. */
void path_filter__parse(const char *text);

/* Hands it to the programs of path_filter.bpf.h; between tool__opened() and tool__load(). */
void path_filter__use(const struct tool *tool);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A run in which programs see some of the events and ftrace records the others: one list of rows, in the order of time. */
#ifndef PROBELIGHT_RUN_MIXED_H
#define PROBELIGHT_RUN_MIXED_H

#include "lib/run/tool.h"
#include "via.h"

/*
 * As tool__run(), of a tool that is opened; via: of VIA_FTRACE's events, those that are recorded.  print_event: prints what a program
 * has sent.  tool->err.
 */
int mixed__run(const struct via *via, struct tool *tool, tool_print_event print_event);

#endif

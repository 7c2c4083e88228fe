/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that a tool's functions call, traced too. */
#ifndef PROBELIGHT_RUN_TRACED_CALLEES_H
#define PROBELIGHT_RUN_TRACED_CALLEES_H

#include <stdint.h>

#include "lib/traced/traced.h"

/*
 * After traced__match(): adds what the functions call, `levels` calls deep (lib/ftrace/callees.h), to the list and to the filter of the
 * instance, if there is one; TRACED_FUNCTIONS_MAX at most without --force, the nearest first.  Where they cannot be found, a line says why,
 * and that is no failure.  tool->err.
 */
int traced__add_callees(struct traced *traced, struct tool *tool, struct names *names, uint32_t levels);

#endif

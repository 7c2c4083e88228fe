/* SPDX-License-Identifier: BSD-2-Clause */
/* Refuses links at traced functions that function_graph forbids (return_conflict.h), with what the user can do. */
#ifndef PROBELIGHT_TRACED_CONFLICT_H
#define PROBELIGHT_TRACED_CONFLICT_H

#include "traced.h"

/* Fails if there is one; for a link that was asked for, or is the only way to trace all functions.  tool->err. */
int traced_conflict__refuse(const struct traced *traced, struct tool *tool);

/*
 * Call right before a link is attached, at returns or at entries.  Uses number 0 up if it is the next one, and says so with -v.  Fails if
 * the link could get number 0 and function_graph runs.  tool->err.
 */
int traced_conflict__avoid(const struct traced *traced, struct tool *tool, bool at_returns);

#endif

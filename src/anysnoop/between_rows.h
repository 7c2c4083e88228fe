/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of --between, and the one of a time between two events that ends a recording. */
#ifndef PROBELIGHT_ANYSNOOP_BETWEEN_ROWS_H
#define PROBELIGHT_ANYSNOOP_BETWEEN_ROWS_H

#include "between.h"

/* Once the keys are planned: room for a row, and, for --between, tool->columns.  between is that of the run.  tool->err. */
int between_rows__make(struct between *between, struct tool *tool);

/* Print a row of what a program has sent, as tool_print_event: with the columns of --between, and with those of anysnoop's events. */
void between_rows__print(struct tool *tool, const void *data, size_t size);
void between_rows__print_end(struct tool *tool, const void *data, size_t size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that are traced at the top of tracefs (ftrace/top_level.h), because this kernel has the tracer there alone. */
#ifndef PROBELIGHT_TRACED_TOP_H
#define PROBELIGHT_TRACED_TOP_H

#include "traced.h"

/*
 * After traced__match(): removes the instance, takes the top, and has the kernel match the patterns there.  Does nothing where the kernel
 * has function_graph in instances.  tool->err.
 */
int traced_top__move(struct traced *traced, struct tool *tool);

/* Before traced__remove_instance(): gives the top back, or says that this cannot be done yet.  Does nothing with another instance. */
void traced_top__give_back(struct traced *traced);

#endif

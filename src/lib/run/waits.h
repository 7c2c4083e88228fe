/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user side of lib/bpf/wait.bpf.h: the table of what tasks have waited.
 *
 *	tool.attach_own = waits__enter_tasks;
 *	if (tool__opened(&tool, skel))
 *		waits__prepare(&tool);			before it is loaded
 *
 * lib/probe/tracing.h's tracing__register() must have been called before the object was opened.
 */
#ifndef PROBELIGHT_WAITS_H
#define PROBELIGHT_WAITS_H

struct tool;

/*
 * Makes the table as large as the machine's tasks need, and has the program loaded that enters those that exist. On a kernel without
 * that iterator the first wait of each such task lacks what came before a move.  tool->err.
 */
void waits__prepare(struct tool *tool);

/* Enters the tasks that exist, once the other programs are attached.  tool->err, which it does not set. */
int waits__enter_tasks(struct tool *tool);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Somebody's function_graph, where one link at the returns of functions (kprobe.session, kretprobe.multi) must not run beside it.
 *
 * Since Linux 6.14 (4346ba160409) such links and function_graph share the stacks of return addresses.  There each user has one of 16 numbers, which are
 * given in turn.  The kernel marks each call for number 0 as well (kernel/trace/fgraph.c, function_graph_enter_regs()), so the links, once they have
 * that number, are asked about the returns of calls that only function_graph traces: fprobe_return() finds no data of theirs and warns, once
 * after the boot.  The start of a link that got number 0 did so on 7.2 and 7.3.  Nothing else happens, but with panic_on_warn the kernel stops.
 *
 * Not seen here: function_graph that starts later; and tasks that still sleep in a function which function_graph, or a link that is gone, has
 * traced.  A link with number 0 is asked about these returns, too.
 *
 * kprobes with kretprobes, and programs on trampolines, do not use these stacks.
 */
#ifndef PROBELIGHT_GRAPH_RIVAL_H
#define PROBELIGHT_GRAPH_RIVAL_H

#include "traced.h"

/*
 * Where function_graph runs, at the top of tracefs or in an instance: "the instance NAME in tracefs"; NULL where it runs nowhere, or
 * does no harm.  Looks once, after the instances of ours that nobody owns any more are removed.  Static.
 */
const char *graph_rival__find(void);

/* Fails where there is one: such a link is asked for, or is the only way to all of the functions.  tool->err. */
int graph_rival__refuse(const struct traced *traced, struct tool *tool);

/* With -v: that functions get probes of their own because of it.  Says nothing where there is none. */
void graph_rival__tell(const struct tool *tool);

#endif

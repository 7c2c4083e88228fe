/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Others that see functions return, and one link of ours at the returns (kprobe.session, kretprobe.multi): since Linux 6.14 the kernel may warn
 * in fprobe_return(), once after the boot, where such a link has number 0 of the users of the stacks of return addresses
 * (lib/ftrace/return_number.h).  Nothing else happens, but with panic_on_warn the kernel stops.
 *
 * So our links do not take that number: before one is attached it is used up.  With another number a link is safe, whoever is there and whoever
 * comes.
 *
 * Where the number cannot be read (lockdown, no /proc/kcore), and where links of somebody else have number 0 and ours would share it, no link is taken
 * while function_graph runs anywhere.  The kernel can still warn there: function_graph may start later, and tasks may sleep in a function
 * which it, or a link that is gone, has traced.  Everywhere the moment between the look at the number and the link is left to chance.
 *
 * kprobes with kretprobes, and programs on trampolines, do not use these stacks.
 */
#ifndef PROBELIGHT_GRAPH_RIVAL_H
#define PROBELIGHT_GRAPH_RIVAL_H

#include "traced.h"

/*
 * Where function_graph runs, at the top of tracefs or in an instance: "the instance NAME in tracefs"; NULL where it runs nowhere, or
 * does no harm to a link, or a link to it.  Looks once, after the instances of ours that nobody owns any more are removed.  Static.
 */
const char *graph_rival__find(void);

/* Fails where there is one: such a link is asked for, or is the only way to all of the functions.  tool->err. */
int graph_rival__refuse(const struct traced *traced, struct tool *tool);

/* With -v: that functions get probes of their own because of it.  Says nothing where there is none. */
void graph_rival__tell(const struct tool *tool);

/*
 * Right before a link at returns is attached: uses number 0 up if it is the next one, which -v tells.  Fails where that cannot be done and
 * function_graph runs.  tool->err.
 */
int graph_rival__avoid(const struct traced *traced, struct tool *tool);

#endif

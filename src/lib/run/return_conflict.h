/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps our links at functions (kprobe.session, kretprobe.multi, and on some kernels kprobe.multi) from making the kernel warn in
 * fprobe_return(), which it does since Linux 6.14 if they have number 0 of the return stacks (lib/ftrace/return_number.h).
 *
 * Before a link is attached, number 0 is used up if it is the next one.  A link with another number is safe, whatever else traces.
 *
 * If the number cannot be read, or links of somebody else have number 0 and ours would share it, an event in kprobe_events takes the place
 * of a link that attach__all() may replace.  Any other link is not attached while function_graph runs.  The kernel can still warn if
 * function_graph starts later, or if a task sleeps in a function that function_graph or an earlier link has recorded.  In any case another
 * program may take a number between the look and the attach.
 *
 * kprobes, kretprobes and trampolines do not use these stacks.
 */
#ifndef PROBELIGHT_RETURN_CONFLICT_H
#define PROBELIGHT_RETURN_CONFLICT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/print/fault.h"

struct tool;

/*
 * Finds a function_graph that a link of ours must not run beside: "the instance NAME in tracefs" or "the top of tracefs", a static string.
 * NULL: none runs, or the link is safe.  Looks once; first removes instances of ours whose owner is dead.
 */
const char *return_conflict__find(void);

/* As return_conflict__find(), in words: 0, or -EBUSY with a line in fault. */
int return_conflict__explain(struct fault *fault);

/* Says with -v that each function has its own probes because of it.  Silent if there is none. */
void return_conflict__tell(const struct tool *tool);

/*
 * The same as may_link of attach.h; tool is a struct tool.  A link that has a substitute is also refused while no function_graph runs.
 * 0, or -EBUSY with a line in fault.
 */
int return_conflict__may_link(void *tool, bool at_returns, bool has_substitute, struct fault *fault);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guard of ftrace's hooks.  Whatever puts a hook into a function, or takes one out, does it between the begin and the end of this file:
 * links and perf events on probes, events of kprobe_events, instances that are removed, the tracers function and function_graph.
 * While kernel.ftrace_enabled is 0 a hook that comes or goes damages the kernel (switches.h).
 *
 *	err = arming__begin(&fault);				-EBUSY: hooks are switched off
 *	if (err)
 *		return err;
 *	err = attach(…);
 *	return arming__end(err, detach, …, &fault);		somebody has switched them off meanwhile: detach() was called
 *
 * tests/host/arming reads the sources for writes and calls that leave it out.
 *
 * Nobody can keep the switch from being cleared.  Processes that use this file keep each other from it: who has set the switch waits some
 * seconds for those that attach or detach before it clears the switch again.  The lock for that is a file in run_folder__path().
 * After these seconds, and where there is no such file, it clears the switch all the same.  It leaves the switch alone if anybody has
 * written to it meanwhile (inotify(7)): an administrator who sets it while it is set for a moment wants it to stay set.
 */
#ifndef PROBELIGHT_ARMING_H
#define PROBELIGHT_ARMING_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/print/fault.h"

/*
 * Before hooks are attached.  0, and arming__end() must follow; or -EBUSY with one line in fault: hooks are switched off.  May be nested.
 */
int arming__begin(struct fault *fault);

/*
 * After it, with the result of attaching in err.  Where somebody has cleared the switch meanwhile it is set, undo(context) is called (NULL:
 * whoever closes the hook detaches it between disarming__begin() and disarming__end()), and the switch is cleared again: -EBUSY with one
 * line in fault.  Otherwise err; fault is left alone.
 */
int arming__end(int err, void (*undo)(void *context), void *context, struct fault *fault);

/* Whether this process is between the two. */
bool arming__has_begun(void);

/* Whether this process has ended an arming__begin() without an error: it has hooks, or had. */
bool arming__has_armed(void);

/*
 * Before hooks are detached: sets kernel.ftrace_enabled if it is 0.  0 where it was set, 1 where it is now, or -errno where
 * it is off and cannot be written.  After 0 or 1 call disarming__end(), which clears it again if it was clear.  May be
 * nested, also in arming__begin().
 */
int disarming__begin(void);
void disarming__end(void);

/* The same, and waits until somebody has set the switch if it cannot be written: without end.  0 or 1. */
int disarming__await(void);

/*
 * Between the two, right before each hook is detached: sets kernel.ftrace_enabled again if somebody has cleared it meanwhile.  What remains
 * is the moment until the kernel takes its lock.  Any thread may call it.
 */
void disarming__keep(void);

/* In a child process that has closed its parent's files: what the parent holds is not the child's. */
void arming__forget(void);

#endif

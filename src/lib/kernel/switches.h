/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The switches that turn the kernel's function hooks off: kernel.ftrace_enabled (all of them) and kprobes/enabled in
 * debugfs (kprobes only).
 *
 * While kernel.ftrace_enabled is 0, a hook must not be attached or detached.  The kernel skips the update of the
 * function's record then (ftrace_startup() and ftrace_shutdown() in kernel/trace/ftrace.c return early), and the record
 * keeps its flags without a hook.  When the machine's last hook goes, the kernel finds such flags, and ftrace disables
 * itself until the next boot.  No probe can be made after that.  Those that exist cannot be disarmed: they are freed,
 * but stay in the kernel's list, and reading kprobes/list is an oops.  Seen on 5.10 (kprobes), 6.1, 6.12 and 7.2 (all
 * kinds); since 7.3 the switch cannot be cleared.  It is safe to set the switch first, which updates all records, and to
 * detach then.
 *
 * A probe that is attached or detached while kprobes/enabled is 0 does no harm.  It never fires.
 */
#ifndef PROBELIGHT_SWITCHES_H
#define PROBELIGHT_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/print/fault.h"

#define SWITCHES_FTRACE "/proc/sys/kernel/ftrace_enabled"
#define SWITCHES_KPROBES "/sys/kernel/debug/kprobes/enabled"

/* Whether kernel.ftrace_enabled is 0.  False where it cannot be read (no /proc, no CONFIG_DYNAMIC_FTRACE). */
bool switches__ftrace_is_off(void);

/* Sets the fault, and returns -EBUSY: function hooks are switched off, and how to switch them on. */
int switches__explain_off(struct fault *fault);

/*
 * Sets the fault for what failed with err, -errno: "WHAT: ERROR", or, where it is -EBUSY because of kernel.ftrace_enabled, that and how to
 * switch it on.  Returns err.
 */
int switches__explain(struct fault *fault, int err, const char *what);

/* Whether kprobes are switched off: 1, 0, or -errno where nobody can tell: debugfs is not mounted, or not for this user. */
int switches__kprobes_are_off(void);

#endif

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

#define SWITCHES_FTRACE "/proc/sys/kernel/ftrace_enabled"
#define SWITCHES_KPROBES "/sys/kernel/debug/kprobes/enabled"

/* Whether kernel.ftrace_enabled is 0.  False where it cannot be read (no /proc, no CONFIG_DYNAMIC_FTRACE). */
bool switches__ftrace_is_off(void);

/*
 * Writes into why the reason for what failed with err, -errno: "WHAT: ERROR", or, where it is -EBUSY because of kernel.ftrace_enabled, that
 * and how to switch it on.  Returns err.
 */
int switches__explain(int err, char *why, size_t size, const char *what);

/* Whether kprobes are switched off: 1, 0, or -errno where nobody can tell: debugfs is not mounted, or not for this user. */
int switches__kprobes_are_off(void);

/*
 * Before hooks are detached: sets kernel.ftrace_enabled if it is 0.  Returns 0 where it was set, 1 where it is now, or
 * -errno where it is off and cannot be written.  After 0 or 1 call switches__release_ftrace(), which clears it again if it
 * was clear, and first waits for the other processes of this pid namespace that are between the two calls.
 */
int switches__hold_ftrace(void);

/*
 * Between the two, right before each hook is detached: sets kernel.ftrace_enabled again if somebody has cleared it meanwhile.  What remains
 * is the moment until the kernel takes its lock.  Any thread may call it.
 */
void switches__keep_ftrace(void);

void switches__release_ftrace(void);

#endif

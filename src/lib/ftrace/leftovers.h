/* SPDX-License-Identifier: BSD-2-Clause */
/* What tools have left that were killed together with their cleaner: the next start of any tool removes it. */
#ifndef PROBELIGHT_FTRACE_LEFTOVERS_H
#define PROBELIGHT_FTRACE_LEFTOVERS_H

/*
 * Removes what dead owners left: instances of tracefs first, which may record probes; files at the top of tracefs, by the
 * records of leases; lines in kprobe_events; files in /run/probelight that were being written.  An owner is dead where that
 * is known (lib/kernel/owner.h).  What is in use stays, and so does what this user may not remove.  Each tool calls it once,
 * at its start.
 */
void leftovers__sweep(void);

#endif

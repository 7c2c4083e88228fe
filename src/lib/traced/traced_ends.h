/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that see calls begin and return: one at both ends of all functions (bpf/session.bpf.h), where the kernel has sessions, or a
 * kprobe and a kretprobe for each of a few: session_probe, begin_probe_0 … and end_probe_0 … (bpf/traced.bpf.h).
 */
#ifndef PROBELIGHT_TRACED_ENDS_H
#define PROBELIGHT_TRACED_ENDS_H

#include <stdbool.h>

#include "traced.h"

/* Whether the kernel has kprobe.session.  Asks it, and scans its BTF, once. */
bool traced_ends__has_sessions(void);

/*
 * Decides which of the two, which traced->by_multi tells then.  Fails where the functions are too many for pairs, or --attach is in the
 * way, or somebody's function_graph (return_conflict.h); done is for the message: "traced".  tool->err.
 */
int traced_ends__choose(struct traced *traced, struct tool *tool, const char *done);

/* How it is done, and which calls may be missed, as the end of a guarantee; for engine__tell(). */
const char *traced_ends__how(const struct traced *traced);
const char *traced_ends__but(const struct traced *traced);

/* Before load: which programs are loaded.  tool->err. */
int traced_ends__prepare(const struct traced *traced, struct tool *tool);

/* After load.  The functions' addresses must be known for a session.  tool->err. */
int traced_ends__attach(const struct traced *traced, struct tool *tool);

#endif

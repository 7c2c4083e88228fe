/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracepoints and who is on them, as rows and as JSON. */
#ifndef PROBELIGHT_TRACEPOINTS_H
#define PROBELIGHT_TRACEPOINTS_H

#include <stdbool.h>

#include "lib/kernel/ksyms.h"
#include "lib/print/fault.h"
#include "lib/print/out.h"

/* Patterns that mean tracepoints (tracepoint_users__matches()): the caller's. */
struct tracepoints {
	const char *const *patterns;
	int count;
};

/* Whether a word means any of the kernel's tracepoints. */
bool tracepoints__exist(const char *pattern);

/*
 * Prints those that somebody is on, and those that are named without a glob; a pattern that nobody is on has a line on stderr.
 * 0 or -errno with one line in fault, ENOENT where the kernel has no such tracepoint, with the nearest ones.
 */
int tracepoints__show(const struct tracepoints *tracepoints, struct out *out, bool json, const struct ksyms *ksyms, struct fault *fault);

#endif

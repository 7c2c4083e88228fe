/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which functions a function calls, and these again: the calls and jumps to other functions that stand in the kernel's code as it is in
 * memory (/proc/kcore), static calls included.  Calls through pointers are not found; a byte that looks like a call may add a function that
 * is not called.
 */
#ifndef PROBELIGHT_FTRACE_CALLEES_H
#define PROBELIGHT_FTRACE_CALLEES_H

#include <stddef.h>
#include <stdint.h>

#include "functions.h"
#include "lib/kernel/names.h"
#include "lib/print/fault.h"

struct callee {
	uint64_t address;	/* of ftrace's hook: the function, or a few bytes behind it (IBT, arm64) */
	uint32_t number;	/* as set_ftrace_filter takes it: its line in available_filter_functions */
	uint32_t level;		/* calls below a root: 0 for that */
};

/*
 * Finds the roots and what they call, the nearest first, `levels` calls deep, at most `most` of them; *left_out: how many more there are at
 * the level that did not fit.  names is open.  0 and a list that the caller frees, or -errno with a line in fault: -EPERM where the
 * kernel's code cannot be read.
 */
int callees__find(const struct functions *roots, struct names *names, uint32_t levels, size_t most, struct callee **list, size_t *count,
		size_t *left_out, struct fault *fault);

#endif

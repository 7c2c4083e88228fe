/* SPDX-License-Identifier: BSD-2-Clause */
/* Which frames of a process' stack are callers, as the kernel follows frame pointers that a function may not have. */
#ifndef PROBELIGHT_CALLERS_H
#define PROBELIGHT_CALLERS_H

#include <stdbool.h>
#include <stddef.h>

#include "user_names.h"

/*
 * How many of the frames, the innermost first, are callers.  A function without frame pointer leaves something else in the register, so
 * what stands beyond the outermost function is none, nor is an address where the process has no code.
 */
size_t callers__count(const struct user_frame *const *frames, size_t count);

/* Whether a stack that ends with this frame is whole; else functions without frame pointers have ended it. */
bool callers__are_whole(const struct user_frame *last);

#endif

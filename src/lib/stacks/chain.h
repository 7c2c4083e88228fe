/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two stacks as one: that of a task that waits and, above it and upside down, that of the one that woke it.  From the root: the functions
 * of who waits, "--", the function that wakes, its callers, the waker's name.
 */
#ifndef PROBELIGHT_CHAIN_H
#define PROBELIGHT_CHAIN_H

#include "stacks.h"

#define CHAIN_SEPARATOR "--"

/* Both stacks in stacks->frames, as stacks__frames() has one: the waker's name is the first.  Returns their number. */
size_t chain__frames(struct stacks *stacks, const struct stack_key *waits, const struct stack_key *waker);

/* The waker's alone, the innermost first, and only up to where an interrupt began. */
size_t chain__waker(struct stacks *stacks, const struct stack_key *waker);

#endif

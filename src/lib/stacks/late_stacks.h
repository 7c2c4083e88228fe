/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of stacks: a stack as it is kept, and those with frames that may have names later (struct user_frame's is_late). */
#ifndef PROBELIGHT_LATE_STACKS_H
#define PROBELIGHT_LATE_STACKS_H

#include "stacks.h"

struct stack {
	uint64_t round;			/* stacks->round when it was sent last */
	uint16_t kind, count;
	bool is_named;			/* of the kernel: all addresses are in places */
	bool is_truncated;
	union {
		uint64_t address;			/* STACK_KERNEL */
		const struct user_frame *frame;		/* STACK_USER */
	} frames[];
};

/* Remembers a stack one of whose count frames may have a name later.  Without memory, or room, it stays as it is. */
void late_stacks__note(struct stacks *stacks, const struct stack_sent *sent, const struct user_frame *const *frames, size_t count);
void late_stacks__free(struct stacks *stacks);

#endif

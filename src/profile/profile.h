/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_PROFILE_H
#define PROBELIGHT_PROFILE_H

#include "lib/shared/stack.h"

struct profile_counts {
	__u64 ticks;		/* runs of the program, whatever became of them */
	__u64 idle;		/* filtered: of the idle task */
	struct stack_value others;	/* samples whose key found no room */
};

#define PROFILE_KEYS 16384

#endif

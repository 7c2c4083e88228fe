/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_WAKEUPTIME_H
#define PROBELIGHT_WAKEUPTIME_H

#include "lib/shared/stack.h"

/* What is counted apart. */
struct wakeup_key {
	struct stack_key waker;		/* the first member: what lib/run/stack_report knows */
	char woken[TASK_COMM_LEN];
};

struct wakeuptime_counts {
	struct stack_value others;	/* of the keys without room */
};

#define WAKEUPTIME_KEYS 16384
#define WAKEUPTIME_TASKS 16384	/* asleep at the same time */

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GATE_FAULTYSNOOP_H
#define GATE_FAULTYSNOOP_H

#include "lib/shared/event.h"

/* What is wrong with the tool: the mistakes that are easily made in a new one. */
enum gate_fault {
	FAULT_NONE,
	FAULT_NO_VALUE,		/* a column without a value */
	FAULT_NO_COLUMN,	/* a value without a column */
	FAULT_MANY_VALUES,	/* a hundred of them */
	FAULT_OTHER_STRUCT,	/* the struct is not that of SEC's event */
	FAULT_OTHER_EVENT,	/* SEC names no event, and the loader names another one than the struct */
	FAULT_SAME_CLASS,	/* likewise, one that has the same record: no fault */
	FAULT_NOT_ATTACHED,	/* SEC("kprobe"), and nothing in the loader */
	FAULT_NO_FUNCTION,	/* SEC("kprobe/FUNC") of a function that no kernel has */
	FAULT_FUNCTION,		/* of one that all have: no fault */
};

struct faulty_event {
	struct event_task task;
	__s32 number;
	__u32 reserved;
};

#endif

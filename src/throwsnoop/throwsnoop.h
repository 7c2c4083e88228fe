/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_THROWSNOOP_H
#define PROBELIGHT_THROWSNOOP_H

#include "lib/shared/event.h"
#include "lib/shared/path.h"

/* The type's name lies at the end, as the compiler encodes it. */
struct throw_event {
	struct event_task task;
	__u32 is_rethrow;	/* of whatever is being handled: its type is not among the arguments */
	__u32 type_size;	/* with the 0 byte; 0: it could not be read, or is_rethrow */
	char type[];
};

#endif

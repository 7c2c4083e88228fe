/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_FSSLOWER_H
#define PROBELIGHT_FSSLOWER_H

#include "lib/shared/event.h"
#include "lib/shared/file_op.h"

/* The name lies at the end; behind a short one there is room for FSSLOWER_NAME_SHORT bytes, else for FILE_NAME_SIZE. */
struct fsslower_event {
	struct event_task task;
	__u64 latency_ns;
	__s64 result;		/* bytes that were read or written, 0, or -errno */
	__u32 op;		/* enum file_op */
	__s32 fd;
	__u32 file_size;	/* of the name with its 0 byte; 0: it is not known */
	__u16 via;		/* enum file_via */
	__u16 is_closed;	/* another thread closed the descriptor meanwhile: there is no name, and no type */
	char fs[FILE_SYSTEM_SIZE];
	char file[];
};

#define FSSLOWER_NAME_SHORT 48	/* most names fit, and three times as many rows fit into the ring */

#define FSSLOWER_MIN_MS 10

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_BIOSNOOP_H
#define PROBELIGHT_BIOSNOOP_H

#include "lib/shared/block.h"
#include "lib/shared/event.h"

struct biosnoop_event {
	struct event_task task;		/* who asked; ts_ns: when the request was completed */
	__u64 queued_ns;		/* from when it was made until the driver got it */
	__u64 served_ns;		/* from then until it was completed */
	__u64 sector;			/* of the whole disk, 512 bytes each */
	__u32 bytes;
	__u32 op;			/* enum block_op, or another number */
	__s32 status;			/* 0; -errno (before 5.11) or what lib/print/block.h has */
	__u32 order;			/* enum block_order */
	char disk[DISK_NAME_LEN];	/* "": it has gone */
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_EXTACKSNOOP_H
#define PROBELIGHT_EXTACKSNOOP_H

#include "lib/shared/event.h"

/* The longest message of 6.1 to 7.2 has 130 bytes; a longer one is cut. */
#define EXTACK_MSG_SIZE 256

struct extack_event {
	struct event_task task;
	__s32 msg_copied;	/* bytes in msg with the 0 byte, or -errno */
	__u32 msg_size;		/* bytes that the message has with its 0 byte */
	char msg[EXTACK_MSG_SIZE];
};

#endif

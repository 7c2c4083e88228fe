/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_TCPACCEPT_H
#define PROBELIGHT_TCPACCEPT_H

#include "lib/shared/event.h"
#include "lib/shared/socket.h"

struct tcpaccept_event {
	struct event_task task;
	struct socket_ends ends;
	__u64 queue_ns;		/* from established to accepted */
	__u32 queue_known;	/* else queue_ns says nothing */
	__u32 reserved;
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_TCPLIFE_H
#define PROBELIGHT_TCPLIFE_H

#include "lib/shared/event.h"
#include "lib/shared/socket.h"

struct tcplife_event {
	struct event_task task;
	struct socket_ends ends;
	__u64 sent;		/* bytes, each counted once */
	__u64 received;
	__u64 retransmitted;	/* bytes that were sent again */
	__u64 life_ns;		/* since it was established; 0: not known */
};

#endif

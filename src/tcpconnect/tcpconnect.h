/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_TCPCONNECT_H
#define PROBELIGHT_TCPCONNECT_H

#include "lib/shared/event.h"
#include "lib/shared/socket.h"

#define CONNECT_GIVEN_UP (-1)	/* the program closed the socket before there was an answer */

struct tcpconnect_event {
	struct event_task task;
	struct socket_ends ends;
	__u64 latency_ns;
	__s32 err;		/* 0, a positive errno, or CONNECT_GIVEN_UP */
	__u32 udp;		/* else TCP */
};

#endif

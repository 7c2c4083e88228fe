/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_UDPSNOOP_H
#define PROBELIGHT_UDPSNOOP_H

#include "lib/shared/event.h"
#include "lib/shared/socket.h"

enum udp_op {
	UDP_SEND,
	UDP_RECV,
	UDP_DROP,	/* by the receiver's socket; of no task */
	UDP_OPS_COUNT
};

struct udpsnoop_event {
	struct event_task task;
	struct socket_ends ends;
	__s32 err;		/* 0 or a positive errno */
	__u32 bytes;		/* what the call returned; of a failed one 0 */
	__u32 op;		/* enum udp_op */
	__u32 datagram_bytes;	/* UDP_RECV: the payload of what was received, however much the program had room for */
};

#define UDP_CALLS 16384		/* sends at the same time */

#endif

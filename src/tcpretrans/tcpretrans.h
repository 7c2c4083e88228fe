/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_TCPRETRANS_H
#define PROBELIGHT_TCPRETRANS_H

#include "lib/shared/event.h"
#include "lib/shared/socket.h"

enum retrans_type {
	RETRANS_SEGMENT,
	RETRANS_SYNACK,		/* of a connection that has no socket yet */
	RETRANS_PROBE,		/* --tlp */
};

struct tcpretrans_event {
	struct event_task task;		/* the time; nobody's */
	struct socket_ends ends;
	__u32 type;			/* enum retrans_type */
	__u32 state;
	__u32 seq;			/* of RETRANS_SEGMENT */
	__s32 err;			/* 0, or a positive errno: it was not sent */
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_TCPSYNBL_H
#define PROBELIGHT_TCPSYNBL_H

#include "lib/shared/event.h"
#include "lib/shared/socket.h"

enum tcpsynbl_packet { LISTEN_SYN, LISTEN_ACK, LISTEN_PACKETS };

/* Which queue is full, so that the packet is dropped. */
enum tcpsynbl_full { FULL_NONE, FULL_SYN, FULL_ACCEPT, FULL_QUEUES };

/* The kernel's functions that get the packets, in the order of tcpsynbl.c's list. */
enum tcpsynbl_entry { ENTRY_SYN, ENTRY_ACK_V4, ENTRY_ACK_V6, TCPSYNBL_ENTRIES };

struct tcpsynbl_event {
	struct event_task task;
	struct socket_ends ends;	/* local: what the listener is bound to */
	__u32 queued;			/* connections that wait to be accepted */
	__u32 limit;
	__u32 syn_queued;		/* that are not yet established */
	__u8 packet;			/* enum tcpsynbl_packet */
	__u8 full;			/* enum tcpsynbl_full */
	__u16 reserved;
};

#endif

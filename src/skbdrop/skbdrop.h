/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_SKBDROP_H
#define PROBELIGHT_SKBDROP_H

#include "lib/shared/event.h"
#include "lib/shared/place.h"
#include "lib/shared/socket.h"

#define DROP_NO_VALUE 0xffffffffu

struct skbdrop_event {
	struct event_task task;		/* the time; nobody's */
	struct socket_ends ends;	/* source and destination */
	__u64 location;			/* address in the kernel's code */
	__u32 reason;			/* the kernel's number; DROP_NO_VALUE before 5.17 */
	__u32 qdisc_reason;		/* of a queueing discipline, DROP_NO_VALUE where it was none, or before 7.2 */
	__u32 length;
	__u16 ethertype;		/* host byte order */
	__u8 has_addresses;
	__u8 ip_protocol;		/* where it has addresses */
	__u32 has_name;			/* it is a struct skbdrop_named_event */
	__u32 reserved;
};

/* The first packet dropped in a place. */
struct skbdrop_named_event {
	struct skbdrop_event event;
	char place[PLACE_NAME_SIZE];
};

#endif

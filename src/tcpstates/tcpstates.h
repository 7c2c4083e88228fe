/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_TCPSTATES_H
#define PROBELIGHT_TCPSTATES_H

#include "lib/shared/event.h"
#include "lib/shared/socket.h"

struct tcpstates_event {
	struct event_task task;
	struct socket_ends ends;
	__u64 skaddr;		/* the socket's address in the kernel */
	__u64 old_ns;		/* time in the old state; 0: not known */
	__u32 oldstate;
	__u32 newstate;
};

#endif

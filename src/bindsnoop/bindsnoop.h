/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_BINDSNOOP_H
#define PROBELIGHT_BINDSNOOP_H

#include "lib/shared/event.h"
#include "lib/shared/socket_call.h"
#include "lib/shared/syscalls.h"

#define TRACED_CALLS(CALL) CALL(bind) CALL(socketcall)

/* Options that the socket had when bind(2) returned. */
enum bind_option {
	BIND_REUSEADDR = 1,
	BIND_REUSEPORT = 2,
	BIND_FREEBIND = 4,
	BIND_TRANSPARENT = 8,
	BIND_ADDRESS_NO_PORT = 16,
	BIND_V6ONLY = 32,
};

struct bindsnoop_event {
	struct event_task task;
	struct socket_call call;	/* of a call that failed, the address that it was given; else the one that the socket has now */
	__u32 options;			/* enum bind_option */
	__s32 ifindex;			/* the device that the socket is bound to, or 0 */
	__u16 asked_port;		/* as passed, in host byte order */
	__u16 has_asked;		/* asked_port is known */
	__u32 reserved;
};

#endif

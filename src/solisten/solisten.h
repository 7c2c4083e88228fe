/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_SOLISTEN_H
#define PROBELIGHT_SOLISTEN_H

#include "lib/shared/event.h"
#include "lib/shared/socket_call.h"
#include "lib/shared/syscalls.h"

#define TRACED_CALLS(CALL) CALL(listen) CALL(socketcall)

struct solisten_event {
	struct event_task task;
	struct socket_call call;
	__s32 backlog;		/* as passed */
	__u32 effective;	/* the backlog that the socket has now */
	__u8 has_backlog;	/* the first one is known */
	__u8 has_effective;	/* the second one is */
	__u8 reserved[6];
};

#endif

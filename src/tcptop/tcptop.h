/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_TCPTOP_H
#define PROBELIGHT_TCPTOP_H

#include "lib/shared/event.h"
#include "lib/shared/socket.h"
#include "lib/shared/task_key.h"

/* What --by does not have is 0. */
struct tcptop_key {
	struct task_key task;
	struct socket_ends ends;
};

struct tcptop_counts {
	__u64 sends, receives;	/* that moved bytes */
	__u64 sent, received;	/* bytes */
};

#define TCPTOP_KEYS 4096
#define TCPTOP_SOCKETS 65536	/* that receive */
#define TCPTOP_CALLS 16384	/* sends at the same time */

/* System calls of which it is asked whether they read: those with flags, and one that calls the function, too. */
enum tcptop_call {
	TCPTOP_RECV,			/* of 32-bit programs of arm64 */
	TCPTOP_RECVFROM,
	TCPTOP_RECVMSG,
	TCPTOP_RECVMMSG,
	TCPTOP_RECVMMSG_TIME64,		/* of 32-bit programs */
	TCPTOP_SOCKETCALL,		/* of 32-bit programs of x86 */
	TCPTOP_SETSOCKOPT,
	TCPTOP_SYSCALLS,
};
#define TCPTOP_NO_CALL 0xffffffff

#endif

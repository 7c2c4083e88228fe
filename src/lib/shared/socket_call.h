/* SPDX-License-Identifier: BSD-2-Clause */
/* What the BPF programs and the user side share about a system call on a socket.  A BPF program includes vmlinux.h before. */
#ifndef PROBELIGHT_SOCKET_CALL_H
#define PROBELIGHT_SOCKET_CALL_H

#include "socket.h"

enum socket_call_about {
	SOCKET_CALL_IS_SOCKET = 1,	/* the descriptor is an internet socket: protocol is its own */
	SOCKET_CALL_HAS_ADDRESS = 2,	/* ends.local and ends.local_port are known */
};

/* Of ends, the local one is meant. */
struct socket_call {
	struct socket_ends ends;
	__s32 result;			/* 0 or -errno */
	__u16 protocol;			/* IPPROTO_… */
	__u16 about;			/* enum socket_call_about */
};

#endif

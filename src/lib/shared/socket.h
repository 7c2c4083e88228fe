/* SPDX-License-Identifier: BSD-2-Clause */
/* What the BPF programs and the user side share about sockets.  A BPF program includes vmlinux.h before. */
#ifndef PROBELIGHT_SOCKET_H
#define PROBELIGHT_SOCKET_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* The two ends of a socket, or of a packet.  An IPv4 address is ::ffff:a.b.c.d, in whichever family the socket has it. */
struct socket_ends {
	__u8 local[16];		/* of a packet: its source */
	__u8 remote[16];	/* its destination */
	__u16 local_port;	/* host byte order; 0: not chosen yet, or none */
	__u16 remote_port;
	__u32 netns;		/* inode of the network namespace; 0: could not be read */
};

/* What of them a tool counts by (--by). */
enum socket_part {
	SOCKET_LADDR = 1,
	SOCKET_LPORT = 2,
	SOCKET_RADDR = 4,
	SOCKET_RPORT = 8,
	SOCKET_NETNS = 16,
	SOCKET_PARTS = 31,	/* all */
};

#define SOCKET_PORTS_MAX 32

/* Which sockets' or packets' events are wanted, by their ends.  Frozen rodata: what is not asked for costs no instruction. */
struct socket_filter {
	__u8 active;		/* any of the others */
	__u8 ip;		/* 4 or 6: what goes over the wire; 0: both */
	__u16 ports_count;
	__u16 local_count;
	__u16 remote_count;
	__u16 ports[SOCKET_PORTS_MAX];		/* of either end */
	__u16 local[SOCKET_PORTS_MAX];
	__u16 remote[SOCKET_PORTS_MAX];
};

#endif

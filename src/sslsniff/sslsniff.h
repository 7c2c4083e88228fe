/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_SSLSNIFF_H
#define PROBELIGHT_SSLSNIFF_H

#include "lib/shared/event.h"

enum tls_library {
	TLS_OPENSSL,
	TLS_GNUTLS,
	TLS_NSS,
	TLS_LIBRARIES,
};

enum tls_direction {
	TLS_RECEIVE,
	TLS_SEND,
	TLS_HANDSHAKE,
	TLS_DIRECTIONS,
};

/* What the programs know of a function: its library, its direction << 4, and: */
#define TLS_LIBRARY(function) ((function) & 0xf)
#define TLS_DIRECTION(function) ((function) >> 4 & 0xf)
#define TLS_COUNTS_BESIDE 0x100		/* it returns 1, and the number of bytes where its fourth argument points to */
#define TLS_TELLS_WHY 0x200		/* it says why the call before has failed */
#define TLS_TAKES_VECTORS 0x400		/* its second argument is an array of struct tls_vector */

/* PRIOVec of prio.h. */
struct tls_vector {
	__u64 data;		/* an address */
	__s32 size;
};

#define TLS_FAILED (-1)			/* bytes */
#define TLS_NO_REASON 0			/* the program did not ask for it */

/* What has no data. */
#define TLS_DATA_NONE 0xffffffffU	/* nothing was transferred, or it was not asked for */
#define TLS_DATA_UNREAD 0xfffffffeU	/* it could not be read */

#define TLS_DATA_MAX 3840		/* bytes of a row: an event has less than 4 KiB */

struct sslsniff_event {
	struct event_task task;
	__u64 latency_ns;
	__s32 bytes;		/* or TLS_FAILED */
	__s32 reason;		/* of a failure: SSL_get_error(), what a function of GnuTLS returned, PR_GetError(); or TLS_NO_REASON */
	__u8 peer[16];		/* of its TCP connection, IPv4 as ::ffff:a.b.c.d */
	__u16 peer_port;	/* 0: the peer is not known */
	__u8 library;
	__u8 direction;
	__u32 data_size;	/* bytes of data, or TLS_DATA_NONE, TLS_DATA_UNREAD */
	char data[];
};

#define TLS_CALLS_MAX 10240	/* under way at the same time */
#define TLS_SESSIONS_MAX 10240	/* whose peers are known */

#endif

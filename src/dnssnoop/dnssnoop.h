/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_DNSSNOOP_H
#define PROBELIGHT_DNSSNOOP_H

#include "lib/shared/event.h"
#include "lib/shared/socket.h"

#define DNS_PORT 53
#define DNS_QUERIES 4096	/* that wait for an answer at the same time */
#define DNS_QUESTION_SIZE 272	/* of a query this is kept: the header, a name of 255 bytes, type and class */
#define DNS_ANSWER_SIZE 1232	/* of an answer: what servers send over UDP at most, unless they are asked for more */

/* Which query an answer is to. */
struct dns_key {
	struct socket_ends ends;	/* of the query's packet */
	__u16 id;			/* as the packet has it */
	__u16 protocol;
};

#define DNS_STREAMS 1024	/* TCP connections at the same time */
#define DNS_STREAMS_BEFORE 256	/* where room for all of them is taken at the start */

/* The functions that are probed, and their places in entry_at. */
enum dns_entry { DNS_V4_SENT, DNS_V6_SENT, DNS_DATAGRAM_CAME, DNS_STREAM_SENT, DNS_STREAM_CONNECTS, DNS_STREAM_READS, DNS_ENTRIES };

#define DNS_QUERY_MAX 512	/* bytes of what the programs keep of a query, which begins with the time when it was sent */

enum dns_outcome {
	DNS_ANSWERED,
	DNS_TIMEOUT,	/* no answer within --timeout */
	DNS_RESENT,	/* the same query was sent again */
	DNS_PENDING,	/* the run ended before */
	DNS_UNPARSED,	/* no query: from there on a TCP connection's bytes are no messages, or were not seen */
	DNS_OUTCOMES
};

struct dnssnoop_event {
	struct event_task task;
	struct dns_key key;
	__u32 outcome;			/* enum dns_outcome */
	__u64 latency_ns;		/* until the answer, or how long there was none */
	__u32 question_size;		/* of what is kept of the query */
	__u32 answer_size;		/* likewise; the answer may have been larger */
	__u8 question[DNS_QUESTION_SIZE];
	__u8 answer[DNS_ANSWER_SIZE];	/* the last member: without an answer it is not sent */
};

#endif

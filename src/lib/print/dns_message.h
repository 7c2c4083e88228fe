/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of the domain name system (RFC 1035) as they come over the network.  Any bytes will do: names whose compression points
 * anywhere but backwards, sizes beyond the end and messages that were cut are no harm.
 */
#ifndef PROBELIGHT_DNS_MESSAGE_H
#define PROBELIGHT_DNS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A name has 255 bytes at most, of which each is written as \DDD at most. */
#define DNS_NAME_MAX (255 * 4 + 1)
/* "RCODE15", "TYPE65535" */
#define DNS_WORD_MAX 16

struct dns_question {
	char name[DNS_NAME_MAX];	/* "a.example.com", the root is "."; ends with a 0 byte */
	size_t name_size;
	uint16_t type;
};

struct dns_answer {
	unsigned int rcode;		/* of the header: 0 to 15 */
	unsigned int addresses;		/* A and AAAA among the answers */
	bool is_truncated;		/* TC: the server had more */
	bool is_whole;			/* all answers were there */
	uint8_t first[16];		/* of the addresses, if there is one; an IPv4 address as ::ffff:a.b.c.d */
};

/*
 * The first question.  In a name a byte that is not printable ASCII is \DDD, in decimal; \. and \\ are these characters inside of a
 * label.  false: there is none, or it is not valid.
 */
bool dns_message__question(const void *message, size_t size, struct dns_question *question);

/* What a server says.  false: there is no header. */
bool dns_message__answer(const void *message, size_t size, struct dns_answer *answer);

/* "AAAA", or "TYPE1234" in room. */
const char *dns_message__type(unsigned int type, char room[DNS_WORD_MAX]);

/* "NXDOMAIN", or "RCODE12" in room. */
const char *dns_message__rcode(unsigned int rcode, char room[DNS_WORD_MAX]);

#endif

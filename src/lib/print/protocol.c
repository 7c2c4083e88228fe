/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol.h"

#include <netinet/in.h>
#include <stdio.h>

#define PROTOCOL_MPTCP 262	/* IPPROTO_MPTCP, include/uapi/linux/in.h; C libraries have it or not */

char *protocol__text(unsigned int number, char *text, size_t size)
{
	static const struct {
		unsigned int number;
		const char *name;
	} known[] = {
		{ IPPROTO_ICMP, "icmp" }, { IPPROTO_IGMP, "igmp" }, { IPPROTO_TCP, "tcp" }, { IPPROTO_UDP, "udp" },
		{ IPPROTO_ICMPV6, "icmpv6" }, { IPPROTO_SCTP, "sctp" }, { IPPROTO_UDPLITE, "udplite" }, { PROTOCOL_MPTCP, "mptcp" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (known[i].number == number) {
			snprintf(text, size, "%s", known[i].name);
			return text;
		}
	}
	snprintf(text, size, "%u", number);
	return text;
}

void protocol__column(struct out *out, unsigned int number)
{
	char text[16];

	out__string(out, protocol__text(number, text, sizeof(text)), sizeof(text));
}

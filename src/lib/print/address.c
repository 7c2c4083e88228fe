/* SPDX-License-Identifier: BSD-2-Clause */
#include "address.h"

#include <arpa/inet.h>
#include <string.h>

const bool address_shown_netns = false;

bool address__is_v4(const uint8_t address[16])
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(address, prefix, sizeof(prefix));
}

static char *put_byte(char *to, uint8_t value)
{
	if (value >= 100)
		*to++ = (char)('0' + value / 100);
	if (value >= 10)
		*to++ = (char)('0' + value / 10 % 10);
	*to++ = (char)('0' + value % 10);
	return to;
}

size_t address__text(const uint8_t address[16], char text[ADDRESS_TEXT_MAX])
{
	char *to = text;

	if (!address__is_v4(address)) {
		/* it cannot fail: the family is known and the room is enough */
		inet_ntop(AF_INET6, address, text, ADDRESS_TEXT_MAX);
		return strlen(text);
	}
	for (int i = 12; i < 16; i++) {
		if (i > 12)
			*to++ = '.';
		to = put_byte(to, address[i]);
	}
	*to = 0;
	return (size_t)(to - text);
}

static void put_end(struct out *out, const uint8_t address[16], uint16_t port)
{
	char text[ADDRESS_TEXT_MAX];

	out__string(out, text, address__text(address, text));
	if (port)
		out__int(out, port);
	else
		out__none(out);
}

static void put_netns(struct out *out, const struct socket_ends *ends)
{
	if (ends->netns)
		out__int(out, ends->netns);
	else
		out__none(out);
}

void address__columns(struct out *out, const struct socket_ends *ends)
{
	put_netns(out, ends);
	/* of a listening socket only one of them says */
	out__int(out, address__is_v4(ends->local) || address__is_v4(ends->remote) ? 4 : 6);
	put_end(out, ends->local, ends->local_port);
	put_end(out, ends->remote, ends->remote_port);
}

void address__local_columns(struct out *out, const struct socket_ends *ends)
{
	if (!ends) {
		for (int i = 0; i < 4; i++)
			out__none(out);
		return;
	}
	put_netns(out, ends);
	out__int(out, address__is_v4(ends->local) ? 4 : 6);
	put_end(out, ends->local, ends->local_port);
}

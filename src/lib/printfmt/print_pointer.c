/* SPDX-License-Identifier: BSD-2-Clause */
#include "print_pointer.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define HEX_MAX 64	/* hex_string() in lib/vsprintf.c */

static bool begins(const char *conversion, const char *with)
{
	return !strncmp(conversion, with, strlen(with));
}

/* Bytes that the conversion takes at least; 0: it is not known. */
static size_t size_of(const char *conversion)
{
	if (!strcmp(conversion, "pI4"))
		return 4;
	if (!strcmp(conversion, "pI6") || !strcmp(conversion, "pI6c") || begins(conversion, "pU"))
		return 16;
	if (begins(conversion, "pIS"))
		return 16;
	if (!strcmp(conversion, "pM"))
		return 6;
	return begins(conversion, "ph") ? 1 : 0;
}

bool print_pointer__is_known(const char *conversion, size_t size)
{
	size_t least = size_of(conversion);

	return least && (!size || size >= least);
}

/* A struct sockaddr_in or sockaddr_in6. */
static bool put_socket(const char *conversion, const uint8_t *bytes, size_t size, char *to)
{
	char address[INET6_ADDRSTRLEN];
	uint16_t family, port;

	memcpy(&family, bytes, 2);
	memcpy(&port, bytes + 2, 2);
	if ((family != AF_INET && family != AF_INET6) || (family == AF_INET6 && size < 24)) {
		strcpy(to, "''");
		return family != AF_INET6;
	}
	inet_ntop(family, bytes + (family == AF_INET ? 4 : 8), address, sizeof(address));
	if (!strchr(conversion + 3, 'p'))
		strcpy(to, address);
	else
		sprintf(to, family == AF_INET ? "%s:%u" : "[%s]:%u", address, ntohs(port));
	return true;
}

static char *put_hex(char *to, const uint8_t *bytes, size_t size, const char *between)
{
	for (size_t i = 0; i < size; i++)
		to += sprintf(to, "%s%02x", i ? between : "", bytes[i]);
	*to = 0;
	return to;
}

/* l: the first three parts are little-endian, as in a GUID */
static void put_uuid(const char *conversion, const uint8_t *bytes, char *to)
{
	static const uint8_t big[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const uint8_t little[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	const uint8_t *order = (conversion[2] | 0x20) == 'l' ? little : big;

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*to++ = '-';
		to = put_hex(to, &bytes[order[i]], 1, "");
	}
}

bool print_pointer__text(const char *conversion, const void *bytes, size_t size, char *to)
{
	size_t least = size_of(conversion);
	const char *between = " ";

	if (!least || size < least)
		return false;
	if (begins(conversion, "pIS"))
		return put_socket(conversion, bytes, size, to);
	if (begins(conversion, "pU")) {
		put_uuid(conversion, bytes, to);
	} else if (*conversion == 'p' && conversion[1] == 'I') {
		inet_ntop(least == 4 ? AF_INET : AF_INET6, bytes, to, INET6_ADDRSTRLEN);
	} else if (conversion[1] == 'M') {
		put_hex(to, bytes, 6, ":");
	} else {
		between = conversion[2] == 'C' ? ":" : conversion[2] == 'D' ? "-" : conversion[2] == 'N' ? "" : " ";
		put_hex(to, bytes, size < HEX_MAX ? size : HEX_MAX, between);
	}
	return true;
}

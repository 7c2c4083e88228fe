/* SPDX-License-Identifier: BSD-2-Clause */
/* Internet addresses as text, and the columns of a socket's two ends. */
#ifndef PROBELIGHT_ADDRESS_H
#define PROBELIGHT_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/shared/socket.h"
#include "out.h"

#define ADDRESS_TEXT_MAX 46	/* INET6_ADDRSTRLEN */

/*
 * An IPv6 address of 16 bytes as RFC 5952 writes it, and one that stands for an IPv4 address, ::ffff:a.b.c.d, as a.b.c.d.
 * Gives the length without the 0 byte that ends it.
 */
size_t address__text(const uint8_t address[16], char text[ADDRESS_TEXT_MAX]);

/* Whether it stands for an IPv4 address. */
bool address__is_v4(const uint8_t address[16]);

/* Marks the column with the network namespace: text has it where out__show() was asked for it. */
extern const bool address_shown_netns;

/* The columns of two ends; address__columns() fills them.  IP is 4 or 6, what goes over the wire. */
/* type: of the event; ends: its member with the two ends. */
#define ADDRESS_COLUMNS(type, ends)                                    \
	{ "NETNS", 10, &address_shown_netns, NULL, { OUT_BYTES(type, ends.netns) } }, \
	{ "IP", -2, NULL, NULL, { OUT_BYTES(type, ends.local), OUT_BYTES(type, ends.remote) } }, \
	{ "LADDR", -15, NULL, NULL, { OUT_BYTES(type, ends.local) } }, \
	{ "LPORT", -5, NULL, NULL, { OUT_BYTES(type, ends.local_port) } }, \
	{ "RADDR", -15, NULL, NULL, { OUT_BYTES(type, ends.remote) } }, \
	{ "RPORT", -5, NULL, NULL, { OUT_BYTES(type, ends.remote_port) } }

/* A port that is 0 is none. */
void address__columns(struct out *out, const struct socket_ends *ends);

/* The same for sockets of which only the local end matters. */
#define ADDRESS_LOCAL_COLUMNS                                          \
	{ "NETNS", 10, &address_shown_netns, NULL },                   \
	{ "IP", -2, NULL, NULL },                                      \
	{ "LADDR", -15, NULL, NULL },                                  \
	{ "LPORT", -5, NULL, NULL }

/* NULL: the address is not known. */
void address__local_columns(struct out *out, const struct socket_ends *ends);

#endif

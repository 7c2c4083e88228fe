/* SPDX-License-Identifier: BSD-2-Clause */
/* Protocols of the internet by name. */
#ifndef PROBELIGHT_PROTOCOL_H
#define PROBELIGHT_PROTOCOL_H

#include <stddef.h>

#include "out.h"

/* Writes "tcp", or "47" of a protocol without a name here, to text (size bytes), and returns it.  number: IPPROTO_…, Linux's MPTCP too. */
char *protocol__text(unsigned int number, char *text, size_t size);

/* A column with that. */
void protocol__column(struct out *out, unsigned int number);

#endif

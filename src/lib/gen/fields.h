/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of an event's fields. */
#ifndef PROBELIGHT_FIELDS_H
#define PROBELIGHT_FIELDS_H

#include <stddef.h>

#include "lib/format/format.h"

/* Writes one line to why (size bytes): the event has no field of that name, and what it has. */
void fields__explain_missing(const struct format *format, const char *name, char *why, size_t size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of an event's fields. */
#ifndef PROBELIGHT_FIELDS_H
#define PROBELIGHT_FIELDS_H

#include <stddef.h>

#include "lib/format/format.h"
#include "lib/print/fault.h"

/* Sets the fault, and returns -EINVAL: the event has no field of that name, and what it has. */
int fields__explain_missing(const struct format *format, const char *name, struct fault *fault);

#endif

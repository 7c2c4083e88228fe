/* SPDX-License-Identifier: BSD-2-Clause */
/* The types that fields have in the grammar of the kernel's own probes (fetch.h). */
#ifndef PROBELIGHT_FETCH_TYPE_H
#define PROBELIGHT_FETCH_TYPE_H

#include <stdbool.h>

#include "made_format.h"

#define FETCH_TYPE_ELEMENTS_MAX FORMAT_TEXTS_MAX

/* Whether a field's text ends in a type that only this grammar has: "arg0:x64", "arg1:u8[4]", and not "arg0:u64". */
bool fetch_type__is_own(const char *text);

/* Makes a field whose way is known one of the type of that name.  NULL, or why it cannot be. */
const char *fetch_type__set(const char *type, struct made_field *field);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a field that a user asks for: "[NAME=]FETCH[:TYPE][/FORM]", of which the first part is its name and the last how it is shown. */
#ifndef PROBELIGHT_FETCH_NAME_H
#define PROBELIGHT_FETCH_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a field that a user asks for is in the grammar of the kernel's own probes (fetch.h), and no name of arguments.h. */
bool fetch__is(const char *text);

/* The length of a field's text without "/x", "/o" or "/s" at its end. */
size_t fetch__length(const char *text);

/* Writes the name of a field, which is what is before "=" or else all of it but that end: a copy, freed by the caller; NULL: no memory. */
char *fetch__name(const char *text);

#endif

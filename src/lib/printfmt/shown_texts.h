/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of texts: ["one","two words",<fault>], and texts in quotes. */
#ifndef PROBELIGHT_SHOWN_TEXTS_H
#define PROBELIGHT_SHOWN_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "shown.h"

struct shown_text {
	const char *bytes;	/* NULL: it could not be read */
	size_t size;		/* a 0 byte ends it before */
	size_t more;		/* so many more bytes were there */
};

/*
 * Writes an array of texts; returns its end, without a 0 byte.  In text [+more] stands behind each that was cut.  In JSON it is
 * `"name":["one",null]`; behind it name_hex has the bytes of all if one of them is no UTF-8, and name_more what is missing of each if
 * something is.
 */
char *shown_texts__put(const struct shown *shown, char *to, const struct shown_text *texts, size_t count, bool json);

/* Room for that, where no text has more than max bytes. */
size_t shown_texts__room(const struct shown *shown, size_t count, size_t max);

/* Writes "text" with its quotes, escaped as text__escape() does, and quotes in it as \x22. */
char *shown_texts__quote(char *to, const char *string, size_t size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows that were handed over instead of written (out__take_rows()): their values, and writing them into other rows. */
#ifndef PROBELIGHT_TAKEN_H
#define PROBELIGHT_TAKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "out.h"
#include "text_buffer.h"

/* Bytes of a row, which must live as long. */
struct taken {
	const char *bytes;
	size_t size;
};

/* Splits a row of text into its values.  Returns how many it has; those beyond max are not set. */
size_t taken__split(const char *row, size_t size, struct taken *values, size_t max);

/* A member of a row of JSON, `,"key":value`. */
struct taken_member {
	struct taken all, key, value;
};

/* The member at *at, which is moved behind it; false at the end, and where the bytes are no member. */
bool taken__next_member(const char **at, const char *end, struct taken_member *member);

/*
 * The number that a JSON value is, times scale, rounded down: "1.250" times 1000 is 1250.  0, -ENODATA for null, -ERANGE below 0 or beyond
 * 64 bits, -EINVAL for what is no number.
 */
int taken__number(const struct taken *value, uint64_t scale, uint64_t *number);

/* Appends a JSON value as text that is safe to show: a string without its quotes, the elements of a list, "-" for null, yes and no. */
void taken__add_text(struct text_buffer *text, const struct taken *value);

/*
 * The strings of a JSON array, each ended by a 0 byte, as out__list() takes them, at `to`, which has room for value->size bytes; returns
 * how many bytes.
 */
size_t taken__strings(char *to, const struct taken *value);

/* The value of the row's next column, of text as taken__split() and taken__add_text() give it. */
void out__taken(struct out *out, const struct taken *value);

/* Members of a row of JSON, in place of the next so many columns. */
void out__taken_members(struct out *out, const struct taken *members, size_t columns);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of out: writing into the row at hand.  The hot paths of every event are here, hence in line.
 *
 * Values are copied in fixed blocks (16 bytes of spaces, 24 of digits), which may run past the value's end.  The buffer
 * therefore always keeps OUT_SLACK bytes free behind the row, so that the overrun stays inside it.
 */
#ifndef PROBELIGHT_OUT_ROW_H
#define PROBELIGHT_OUT_ROW_H

#include <string.h>

#include "out.h"

#define OUT_SLACK 32
/* Room for one number: up to 20 digits and a sign.  Always so many bytes are copied, whatever the number's length. */
#define OUT_NUMBER_SIZE 24

/* out_row__reserve()'s slow part. */
char *out_row__make_room(struct out *out, size_t size);

/*
 * Makes room for `size` more bytes; NULL when out of memory.  May flush finished rows, which moves the current one.  Beyond
 * `size` it always leaves out->fixed bytes: enough for all numbers, keys, padding and the line end of one row.  That is why
 * out__put_int() and out__end() do not check.
 */
static inline char *out_row__reserve(struct out *out, size_t size)
{
	if (out->room - out->used >= size + out->fixed)
		return out->buffer + out->used;
	return out_row__make_room(out, size + out->fixed);
}

/* Appends bytes as they are. */
void out_row__put(struct out *out, const char *bytes, size_t size);

/* Text: a value of plain ASCII in its column. */
void out_row__put_aligned(struct out *out, const struct out_slot *slot, const char *value, size_t size);

/* JSON: `,"key":`, or with suffix "_hex" `,"key_hex":`. */
void out_row__put_key(struct out *out, const struct out_slot *slot, const char *suffix);

/* A value of plain ASCII, in its column or behind its key. */
void out_row__put_value(struct out *out, const struct out_slot *slot, const char *value, size_t size);

/* The next column's value: a word; JSON may have another one. */
void out_row__put_word(struct out *out, const char *word, const char *json_word);

/* Writes spaces (out->fill) into reserved room; returns their end.  Blocks of 16: see above. */
static inline char *out_row__spaces(const struct out *out, char *to, size_t count)
{
	memcpy(to, out->fill, 16);
	for (size_t i = 16; i < count; i += 16)
		memcpy(to + i, out->fill, 16);
	return to + count;
}

/*
 * Text: writes the spaces before a value of so many characters into reserved room; returns their end.  Padding after a
 * left-aligned value is not written at once but remembered in out->pad, and written before the next value.  So no line ends in
 * spaces.
 */
static inline char *out_row__pad(struct out *out, const struct out_slot *slot, char *to, size_t characters)
{
	size_t missing = characters < slot->width ? slot->width - characters : 0;
	size_t before = out->pad + (slot->right ? missing : 0);

	out->pad = 1 + (slot->right ? 0 : missing);
	return out_row__spaces(out, to, before);
}

/* The two digits of each number below 100. */
static const char out_row__pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
	"49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
	"9899";

/* Writes value in decimal before end, returns its start.  Two digits at a time, in 32 bits for nearly all numbers. */
static inline char *out_row__decimal(char *end, uint64_t value)
{
	uint32_t small;

	for (; value > UINT32_MAX; value /= 100)
		memcpy(end -= 2, out_row__pairs + value % 100 * 2, 2);
	small = (uint32_t)value;
	for (; small >= 100; small /= 100)
		memcpy(end -= 2, out_row__pairs + small % 100 * 2, 2);
	if (small >= 10)
		memcpy(end -= 2, out_row__pairs + small * 2, 2);
	else
		*--end = (char)('0' + small);
	return end;
}

/* The next column's slot; NULL if it is hidden. */
static inline const struct out_slot *out_row__next(struct out *out)
{
	return out__next(out) ? out->slot : NULL;
}

#endif

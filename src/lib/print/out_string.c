/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings of a row, and lists of them: untrusted bytes. */
#include "out_row.h"

#include <stdio.h>

#include "plain.h"
#include "text.h"

/* One quoted string of a JSON value. */
static bool put_quoted(struct out *out, const char *string, size_t size)
{
	char *to = out_row__reserve(out, TEXT_QUOTED_MAX(size));
	bool valid = true;

	if (to)
		out->used = (size_t)(text__quote(to, string, size, &valid) - out->buffer);
	return valid;
}

static void put_hex(struct out *out, const char *bytes, size_t size)
{
	char *to = out_row__reserve(out, size * 2 + 2);

	if (!to)
		return;
	*to++ = '"';
	to = text__hex(to, bytes, size);
	*to++ = '"';
	out->used = (size_t)(to - out->buffer);
}

/* Text: the escaped string in its column, as out_row__put_aligned() does it. */
static __attribute__((noinline)) void put_escaped(struct out *out, const struct out_slot *slot, const char *string,
						  size_t size)
{
	size_t characters, missing;
	char *start = out_row__reserve(out, out->pad + slot->width + TEXT_ESCAPED_MAX(size)), *end;

	if (!start)
		return;
	start = out_row__spaces(out, start, out->pad);
	end = text__escape(start, string, size, &characters);
	missing = characters < slot->width ? slot->width - characters : 0;
	out->pad = 1;
	if (!slot->right) {
		out->pad += missing;
	} else if (missing) {
		memmove(start + missing, start, (size_t)(end - start));
		memset(start, ' ', missing);
		end += missing;
	}
	out->used = (size_t)(end - out->buffer);
}

static void put_string(struct out *out, const struct out_slot *slot, const char *string, size_t size)
{
	char *to = out_row__reserve(out, out->pad + slot->width + size);
	size_t owed = out->pad;

	if (!to)
		return;
	to = out_row__pad(out, slot, to, size);
	if (plain__copy(to, string, size, '\\')) {
		out->used = (size_t)(to + size - out->buffer);
	} else {
		out->pad = owed;
		put_escaped(out, slot, string, size);
	}
}

static void put_string_json(struct out *out, const struct out_slot *slot, const char *string, size_t size)
{
	char *to;

	out_row__put_key(out, slot, NULL);
	to = out_row__reserve(out, size + 2);
	if (!to)
		return;
	if (plain__copy(to + 1, string, size, '"')) {
		to[0] = '"';
		to[size + 1] = '"';
		out->used += size + 2;
	} else if (!put_quoted(out, string, size)) {
		out_row__put_key(out, slot, "_hex");
		put_hex(out, string, size);
	}
}

void out__string(struct out *out, const char *string, size_t size)
{
	const struct out_slot *slot;

	if (!string) {
		out_row__put_word(out, "<fault>", "null");
		return;
	}
	slot = out_row__next(out);
	if (!slot)
		return;
	size = strnlen(string, size);
	if (out->json)
		put_string_json(out, slot, string, size);
	else
		put_string(out, slot, string, size);
}

static void put_more_json(struct out *out, const struct out_slot *slot, uint64_t more)
{
	char number[24], *digit = out_row__decimal(number + sizeof(number), more);

	out_row__put_key(out, slot, "_more");
	out_row__put(out, digit, (size_t)(number + sizeof(number) - digit));
}

/* The column of a value that follows another one of the same column. */
static const struct out_slot behind;

void out__bytes(struct out *out, const char *bytes, size_t size, uint64_t more)
{
	const struct out_slot *slot = out_row__next(out);

	if (!slot)
		return;
	if (out->json) {
		if (bytes)
			put_string_json(out, slot, bytes, size);
		else
			out_row__put_value(out, slot, "null", 4);
		put_more_json(out, slot, more);
		return;
	}
	if (!bytes) {
		const char *word = more ? "<too long>" : "<fault>";

		out_row__put_aligned(out, slot, word, strlen(word));
		return;
	}
	if (size)
		put_string(out, slot, bytes, size);
	else
		out_row__put_aligned(out, slot, "''", 2);
	if (more) {
		out->pad = 0;
		out_row__put_aligned(out, &behind, " [+more]", 8);
	}
}

void out__path(struct out *out, const char *path, size_t size, uint64_t more)
{
	out__bytes(out, path, path ? strnlen(path, size) : 0, more);
}

void out__no_path(struct out *out)
{
	const struct out_slot *slot = out_row__next(out);

	if (!slot)
		return;
	if (out->json) {
		out_row__put_value(out, slot, "null", 4);
		put_more_json(out, slot, 0);
	} else {
		out_row__put_aligned(out, slot, "-", 1);
	}
}

static void put_strings_json(struct out *out, const struct out_slot *slot, const char *strings, size_t size,
			     uint64_t more)
{
	bool valid = true;

	out_row__put_key(out, slot, NULL);
	out_row__put(out, "[", 1);
	for (size_t i = 0; i < size;) {
		size_t length = strnlen(strings + i, size - i);

		if (i)
			out_row__put(out, ",", 1);
		valid &= put_quoted(out, strings + i, length);
		i += length + 1;
	}
	out_row__put(out, "]", 1);
	if (!valid) {
		out_row__put_key(out, slot, "_hex");
		put_hex(out, strings, size);
	}
	put_more_json(out, slot, more);
}

/* Between two strings of a list: no mark of a column's (out__take_rows()). */
static void put_space(struct out *out)
{
	out_row__put(out, " ", 1);
	out->pad = 0;
}

void out__strings(struct out *out, const char *strings, size_t size, uint64_t more)
{
	const struct out_slot *slot = out_row__next(out);
	char text[40], *start;

	if (!slot)
		return;
	if (out->json) {
		put_strings_json(out, slot, strings, size, more);
		return;
	}
	for (size_t i = 0; i < size;) {
		size_t length = strnlen(strings + i, size - i);

		if (i)
			put_space(out);
		if (length)
			put_string(out, &behind, strings + i, length);
		else
			out_row__put_aligned(out, &behind, "''", 2);	/* an empty argument would vanish between two spaces */
		i += length + 1;
	}
	/* no value at all, which only who takes the row must know */
	if (!size && !more && out->take)
		out_row__put_aligned(out, &behind, "", 0);
	if (more) {
		if (size)
			put_space(out);
		start = out_row__decimal(text + 30, more);
		start -= 2;
		memcpy(start, "[+", 2);
		memcpy(text + 30, " more]", 6);
		out_row__put_aligned(out, &behind, start, (size_t)(text + 36 - start));
	}
}

/* A line of its own for one string of a list. */
static void put_line(struct out *out, const char *string, size_t size, const char *mark)
{
	static const char begin[] = "\n            ";
	size_t characters;
	char *to;

	out_row__put(out, begin, sizeof(begin) - 1);
	to = out_row__reserve(out, TEXT_ESCAPED_MAX(size));
	if (to)
		out->used = (size_t)(text__escape(to, string, size, &characters) - out->buffer);
	out_row__put(out, mark, strlen(mark));
}

void out__list(struct out *out, const char *key, const char *strings, size_t size, const char *mark)
{
	struct out_slot slot = { 0 };

	if (out->take && !out->takes_lists)
		return;
	if (!out->json) {
		if (!strings)
			put_line(out, "", 0, mark);
		for (size_t i = 0; strings && i < size; i += strnlen(strings + i, size - i) + 1)
			put_line(out, strings + i, strnlen(strings + i, size - i), mark);
		return;
	}
	slot.key_size = (size_t)snprintf(slot.key, sizeof(slot.key), ",\"%s\":", key);
	if (strings)
		put_strings_json(out, &slot, strings, size, 0);
	else
		out_row__put_value(out, &slot, "null", 4);
}

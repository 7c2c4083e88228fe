/* SPDX-License-Identifier: BSD-2-Clause */
#include "taken.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "out_row.h"
#include "text.h"

size_t taken__split(const char *row, size_t size, struct taken *values, size_t max)
{
	const char *end = row + size;
	size_t count = 0;

	for (;;) {
		const char *mark = memchr(row, OUT_MARK, (size_t)(end - row)), *stop = mark ? mark : end;

		if (count < max)
			values[count] = (struct taken){ row, (size_t)(stop - row) };
		count++;
		if (!mark)
			return count;
		row = mark + 1;
	}
}

/* Behind a string, which begins with its quote. */
static const char *skip_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\')
			at++;
	return at < end ? at + 1 : end;
}

/* Behind a value: at a comma, a closing brace or bracket, or the end. */
static const char *skip_value(const char *at, const char *end)
{
	int depth = 0;

	while (at < end) {
		if (*at == '"') {
			at = skip_string(at, end);
			continue;
		}
		if (!depth && (*at == ',' || *at == '}' || *at == ']'))
			break;
		depth += *at == '{' || *at == '[';
		depth -= *at == '}' || *at == ']';
		at++;
	}
	return at;
}

bool taken__next_member(const char **at, const char *end, struct taken_member *member)
{
	const char *begin = *at, *key = begin + 2, *key_end, *value, *value_end;

	if (end - begin < 5 || begin[0] != ',' || begin[1] != '"')
		return false;
	key_end = skip_string(begin + 1, end);
	if (key_end == end || *key_end != ':')
		return false;
	value = key_end + 1;
	value_end = skip_value(value, end);
	member->all = (struct taken){ begin, (size_t)(value_end - begin) };
	member->key = (struct taken){ key, (size_t)(key_end - 1 - key) };
	member->value = (struct taken){ value, (size_t)(value_end - value) };
	*at = value_end;
	return true;
}

static bool is_word(const struct taken *value, const char *word)
{
	return value->size == strlen(word) && !memcmp(value->bytes, word, value->size);
}

int taken__number(const struct taken *value, uint64_t scale, uint64_t *number)
{
	const char *at = value->bytes, *end = at + value->size;
	unsigned __int128 sum = 0;

	if (is_word(value, "null"))
		return -ENODATA;
	if (at < end && *at == '-')
		return end - at > 1 && isdigit((unsigned char)at[1]) ? -ERANGE : -EINVAL;
	if (at == end || !isdigit((unsigned char)*at))
		return -EINVAL;
	for (; at < end && isdigit((unsigned char)*at); at++) {
		if (sum > UINT64_MAX)
			return -ERANGE;
		sum = sum * 10 + (unsigned int)(*at - '0');
	}
	if (sum > UINT64_MAX)
		return -ERANGE;
	sum *= scale;
	if (at < end && *at == '.')
		for (at++; at < end && isdigit((unsigned char)*at); at++) {
			scale /= 10;
			sum += scale * (unsigned int)(*at - '0');
		}
	if (at != end)
		return -EINVAL;
	if (sum > UINT64_MAX)
		return -ERANGE;
	*number = (uint64_t)sum;
	return 0;
}

/* The four digits of \uXXXX. */
static uint32_t code_unit(const char *at)
{
	char digits[5] = { at[0], at[1], at[2], at[3] };

	return (uint32_t)strtoul(digits, NULL, 16);
}

static char *put_utf8(char *to, uint32_t code)
{
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(0x80 | (code & 63));
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 63));
		*to++ = (char)(0x80 | (code & 63));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 63));
		*to++ = (char)(0x80 | (code >> 6 & 63));
		*to++ = (char)(0x80 | (code & 63));
	}
	return to;
}

/* The bytes of a JSON string without its quotes; `to` has room for as many.  Returns their end. */
static char *unquote(char *to, const char *at, const char *end)
{
	static const char letters[] = "nrtbf", bytes[] = "\n\r\t\b\f";

	while (at < end) {
		const char *letter;

		if (*at != '\\' || at + 1 == end) {
			*to++ = *at++;
		} else if (at[1] == 'u' && end - at >= 6) {
			uint32_t code = code_unit(at + 2);

			at += 6;
			if (code >> 10 == 0x36 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
				code = 0x10000 + ((code & 0x3ff) << 10) + (code_unit(at + 2) & 0x3ff);
				at += 6;
			}
			to = put_utf8(to, code);
		} else {
			letter = strchr(letters, at[1]);
			*to++ = letter && *letter ? bytes[letter - letters] : at[1];
			at += 2;
		}
	}
	return to;
}

static void add_string(struct text_buffer *text, const struct taken *value)
{
	char *plain = malloc(value->size + TEXT_ESCAPED_MAX(value->size) + 1), *escaped = plain ? plain + value->size : NULL;
	size_t characters;

	if (plain) {
		size_t size = (size_t)(unquote(plain, value->bytes + 1, value->bytes + value->size - 1) - plain);

		text_buffer__put(text, escaped, (size_t)(text__escape(escaped, plain, size, &characters) - escaped));
	}
	free(plain);
}

size_t taken__strings(char *to, const struct taken *value)
{
	const char *at = value->bytes + 1, *end = value->bytes + value->size - 1, *begin = to;

	while (at < end) {
		const char *next = skip_value(at, end);

		to = unquote(to, at + 1, next - 1);
		*to++ = 0;
		at = next + 1;
	}
	return (size_t)(to - begin);
}

static void add_list(struct text_buffer *text, const struct taken *value)
{
	const char *at = value->bytes + 1, *end = value->bytes + value->size - 1;

	while (at < end) {
		const char *next = skip_value(at, end);
		struct taken element = { at, (size_t)(next - at) };

		if (at != value->bytes + 1)
			text_buffer__put(text, " ", 1);
		taken__add_text(text, &element);
		at = next + 1;
	}
}

void taken__add_text(struct text_buffer *text, const struct taken *value)
{
	if (value->size > 1 && *value->bytes == '"')
		add_string(text, value);
	else if (value->size > 1 && *value->bytes == '[')
		add_list(text, value);
	else if (is_word(value, "null"))
		text_buffer__put(text, "-", 1);
	else if (is_word(value, "true"))
		text_buffer__put(text, "yes", 3);
	else if (is_word(value, "false"))
		text_buffer__put(text, "no", 2);
	else
		text_buffer__put(text, value->bytes, value->size);
}

void out__taken(struct out *out, const struct taken *value)
{
	const struct out_slot *slot = out_row__next(out);
	size_t characters = 0;
	char *to;

	if (!slot)
		return;
	/* a sequence of UTF-8 is one */
	for (size_t i = 0; i < value->size; i++)
		characters += ((unsigned char)value->bytes[i] & 0xc0) != 0x80;
	to = out_row__reserve(out, out->pad + slot->width + value->size);
	if (!to)
		return;
	to = out_row__pad(out, slot, to, characters);
	memcpy(to, value->bytes, value->size);
	out->used = (size_t)(to + value->size - out->buffer);
}

void out__taken_members(struct out *out, const struct taken *members, size_t columns)
{
	while (columns--)
		out->slot = out->slot->next;
	out_row__put(out, members->bytes, members->size);
}

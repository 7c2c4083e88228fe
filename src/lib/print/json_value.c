/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_value.h"

#include <stdint.h>
#include <string.h>

static const char *skip_space(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
		at++;
	return at;
}

/* After the quote that ends the string which begins at `at`; NULL: none does. */
static const char *skip_string(const char *at, const char *end)
{
	for (at++; at < end; at++) {
		if (*at == '"')
			return at + 1;
		at += *at == '\\';
	}
	return NULL;
}

/* After the value that begins at `at`; NULL: it does not end. */
static const char *skip_value(const char *at, const char *end)
{
	size_t depth = 0;

	while (at && at < end) {
		switch (*at) {
		case '"':
			at = skip_string(at, end);
			break;
		case '{':
		case '[':
			depth++;
			at++;
			break;
		case '}':
		case ']':
			if (!depth)
				return at;
			depth--;
			at++;
			break;
		case ',':
			if (!depth)
				return at;
			/* fallthrough */
		default:
			at++;
			continue;
		}
		if (!depth)
			return at;
	}
	return depth ? NULL : at;
}

/* Four hexadecimal digits as a number; -1: they are none. */
static int32_t parse_unit(const char *at, const char *end)
{
	int32_t unit = 0;

	if (end - at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef";
		const char *digit = at[i] ? strchr(digits, at[i] >= 'A' && at[i] <= 'F' ? at[i] + 32 : at[i]) : NULL;

		if (!digit)
			return -1;
		unit = unit * 16 + (int32_t)(digit - digits);
	}
	return unit;
}

/* The UTF-8 of a code point below 0x110000; returns how many bytes. */
static size_t put_utf8(char to[4], uint32_t code)
{
	size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const unsigned char first[] = { 0, 0xc0, 0xe0, 0xf0 };

	to[0] = (char)(first[more] | code >> 6 * more);
	for (size_t i = 1; i <= more; i++)
		to[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3f));
	return more + 1;
}

/* What follows "\u" at *at, which it moves on; the bytes, of which there are *size. false: no digits. */
static bool parse_escaped(const char **at, const char *end, char bytes[4], size_t *size)
{
	int32_t unit = parse_unit(*at, end), low = -1;

	if (unit < 0)
		return false;
	*at += 4;
	if (unit >= 0xd800 && unit < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u')
		low = parse_unit(*at + 2, end);
	if (low >= 0xdc00 && low < 0xe000) {
		*at += 6;
		*size = put_utf8(bytes, 0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
	} else {
		*size = put_utf8(bytes, !unit || (unit >= 0xd800 && unit < 0xe000) ? '?' : (uint32_t)unit);
	}
	return true;
}

/* The character at *at, which it moves on, of the string that ends before end. */
static bool parse_character(const char **at, const char *end, char bytes[4], size_t *size)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *letter;

	*size = 1;
	if (**at != '\\') {
		bytes[0] = **at ? **at : '?';
		++*at;
		return true;
	}
	if (++*at >= end || !**at)
		return false;
	if (**at == 'u') {
		++*at;
		return parse_escaped(at, end, bytes, size);
	}
	letter = strchr(letters, **at);
	if (!letter)
		return false;
	bytes[0] = meant[letter - letters];
	++*at;
	return true;
}

bool json_value__string(struct json_value value, char *text, size_t size)
{
	const char *at = value.at, *end;
	size_t used = 0;

	*text = '\0';
	end = at < value.end && *at == '"' ? skip_string(at, value.end) : NULL;
	if (!end)
		return false;
	end--;
	for (at++; at < end;) {
		char bytes[4];
		size_t count;

		if (!parse_character(&at, end, bytes, &count) || used + count >= size) {
			*text = '\0';
			return false;
		}
		memcpy(text + used, bytes, count);
		used += count;
	}
	text[used] = '\0';
	return true;
}

/* After the opening bracket, or the comma, which must be at `at`; NULL: there is no more. */
static const char *go_on(const char *at, const char *end, char opening, char closing)
{
	at = skip_space(at, end);
	if (at >= end || (*at != opening && *at != ','))
		return NULL;
	at = skip_space(at + 1, end);
	return at < end && *at != closing ? at : NULL;
}

bool json_value__member(struct json_value object, const char *name, struct json_value *value)
{
	const char *at = skip_space(object.at, object.end), *end = object.end;
	char opening = '{', key[128];

	while ((at = go_on(at, end, opening, '}'))) {
		const char *begin = at, *next;
		bool is_key;

		if (*at != '"' || !(at = skip_string(at, end)))
			return false;
		is_key = json_value__string((struct json_value){ begin, at }, key, sizeof(key)) && !strcmp(key, name);
		at = skip_space(at, end);
		if (at >= end || *at != ':')
			return false;
		at = skip_space(at + 1, end);
		next = skip_value(at, end);
		if (!next || next == at)
			return false;
		if (is_key) {
			*value = (struct json_value){ at, next };
			return true;
		}
		at = next;
		opening = ',';
	}
	return false;
}

bool json_value__next(struct json_value *list, struct json_value *element)
{
	const char *at = go_on(list->at, list->end, '[', ']'), *next = at ? skip_value(at, list->end) : NULL;

	if (!next || next == at)
		return false;
	*element = (struct json_value){ at, next };
	list->at = next;
	return true;
}

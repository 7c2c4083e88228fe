/* SPDX-License-Identifier: BSD-2-Clause */
#include "text.h"

#include <string.h>

static const char hex_digits[] = "0123456789abcdef";

/* Characters that are not shown, beyond the control characters: first and last of each range, in rising order. */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0xad, 0xad },			/* soft hyphen */
	{ 0x34f, 0x34f },		/* combining grapheme joiner */
	{ 0x61c, 0x61c },		/* Arabic letter mark: bidirectional */
	{ 0x115f, 0x1160 },		/* Hangul fillers */
	{ 0x17b4, 0x17b5 },		/* Khmer inherent vowels */
	{ 0x180b, 0x180f },		/* Mongolian variation selectors */
	{ 0x200b, 0x200f },		/* zero width; left-to-right and right-to-left mark */
	{ 0x2028, 0x202e },		/* line and paragraph separator, bidirectional embeddings and overrides */
	{ 0x2060, 0x206f },		/* word joiner, invisible operators, bidirectional isolates, deprecated */
	{ 0x3164, 0x3164 },		/* Hangul filler */
	{ 0xfe00, 0xfe0f },		/* variation selectors */
	{ 0xfeff, 0xfeff },		/* byte order mark, zero width no-break space */
	{ 0xffa0, 0xffa0 },		/* halfwidth Hangul filler */
	{ 0xfff0, 0xfffb },		/* unassigned, ignorable; interlinear annotation */
	{ 0x1bca0, 0x1bca3 },		/* shorthand format controls */
	{ 0x1d173, 0x1d17a },		/* musical format controls */
	{ 0xe0000, 0xe0fff },		/* tags, variation selectors supplement */
};

bool text__is_shown(uint32_t code_point)
{
	if (code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0))
		return false;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden) && code_point >= hidden[i].first; i++)
		if (code_point <= hidden[i].last)
			return false;
	return true;
}

size_t text__utf8(const char *string, size_t size, uint32_t *code_point, size_t *bad)
{
	const unsigned char *s = (const unsigned char *)string;
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	*bad = 1;
	*code_point = s[0];
	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		low = 0xa0;	/* overlong */
	else if (s[0] == 0xed)
		high = 0x9f;	/* surrogates */
	else if (s[0] == 0xf0)
		low = 0x90;	/* overlong */
	else if (s[0] == 0xf4)
		high = 0x8f;	/* beyond U+10FFFF */
	*code_point = s[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if (i >= size || s[i] < low || s[i] > high) {
			*bad = i;
			return 0;
		}
		*code_point = *code_point << 6 | (s[i] & 0x3f);
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

char *text__hex(char *to, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		*to++ = hex_digits[(unsigned char)bytes[i] >> 4];
		*to++ = hex_digits[bytes[i] & 15];
	}
	return to;
}

char *text__escape(char *to, const char *string, size_t size, size_t *characters)
{
	*characters = 0;
	for (size_t i = 0; i < size;) {
		char *start = to;
		uint32_t code_point;
		size_t bad, length;

		if (string[i] >= 0x20 && string[i] < 0x7f && string[i] != '\\') {
			*to++ = string[i++];
			++*characters;
			continue;
		}
		length = text__utf8(string + i, size - i, &code_point, &bad);
		if (length && string[i] != '\\' && text__is_shown(code_point)) {
			memcpy(to, string + i, length);
			to += length;
			i += length;
			++*characters;
			continue;
		}
		if (string[i] == '\n' || string[i] == '\\') {
			*to++ = '\\';
			*to++ = string[i] == '\n' ? 'n' : '\\';
			i++;
		} else {
			for (size_t last = i + (length ? length : bad); i < last; i++) {
				*to++ = '\\';
				*to++ = 'x';
				to = text__hex(to, string + i, 1);
			}
		}
		*characters += (size_t)(to - start);
	}
	return to;
}

/* One \uNNNN. */
static char *put_unit(char *to, uint32_t unit)
{
	const char bytes[] = { (char)(unit >> 8), (char)unit };

	*to++ = '\\';
	*to++ = 'u';
	return text__hex(to, bytes, sizeof(bytes));
}

char *text__quote(char *to, const char *string, size_t size, bool *valid)
{
	*valid = true;
	*to++ = '"';
	for (size_t i = 0; i < size;) {
		uint32_t code_point;
		size_t bad, length;

		if (string[i] >= 0x20 && string[i] < 0x7f && string[i] != '\\' && string[i] != '"') {
			*to++ = string[i++];
			continue;
		}
		length = text__utf8(string + i, size - i, &code_point, &bad);
		if (!length) {
			memcpy(to, "\xef\xbf\xbd", 3);
			to += 3;
			*valid = false;
			i += bad;
			continue;
		}
		if (string[i] == '\\' || string[i] == '"' || string[i] == '\n') {
			*to++ = '\\';
			*to++ = string[i] == '\n' ? 'n' : string[i];
		} else if (text__is_shown(code_point)) {
			memcpy(to, string + i, length);
			to += length;
		} else if (code_point > 0xffff) {
			to = put_unit(to, 0xd800 + ((code_point - 0x10000) >> 10));
			to = put_unit(to, 0xdc00 + ((code_point - 0x10000) & 0x3ff));
		} else {
			to = put_unit(to, code_point);
		}
		i += length;
	}
	*to++ = '"';
	return to;
}

size_t text__name(char *to, const char *name, size_t size)
{
	size_t length = strnlen(name, size);

	memcpy(to, name, length);
	if (length < size) {
		to[length] = 0;
		return length;
	}
	memcpy(to + size - 1, TEXT_MORE, sizeof(TEXT_MORE));
	return size - 1 + sizeof(TEXT_MORE) - 1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "text.h"

#include <string.h>

static const char hex_digits[] = "0123456789abcdef";

bool text__is_shown(uint32_t code_point)
{
	return code_point >= 0x20 && (code_point < 0x7f || code_point >= 0xa0);
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

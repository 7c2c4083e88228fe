/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: lib/text on any bytes, against decoders that are written from the standards and share no code with it. */
#include "lib/print/text.h"

#include "fuzz.h"
#include "lib/print/plain.h"

/* The UTF-8 sequence at s by the table of RFC 3629; 0: none. */
static size_t sequence(const unsigned char *s, size_t size, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = s[0] < 0x80 ? 1 : (s[0] & 0xe0) == 0xc0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : (s[0] & 0xf8) == 0xf0 ? 4 : 0;

	if (!length || length > size)
		return 0;
	*code = length == 1 ? s[0] : s[0] & (0xffu >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	return *code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : length;
}

/* What must never come out: it acts on a terminal, reorders text or hides. */
static int is_harmful(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || (code >= 0xfe00 && code <= 0xfe0f) ||
	       code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xe0000 && code <= 0xe0fff);
}

/* All of it is UTF-8 and harmless; the number of characters. */
static size_t check_harmless(const char *text, size_t size)
{
	size_t count = 0, length;
	uint32_t code;

	for (size_t i = 0; i < size; i += length, count++) {
		length = sequence((const unsigned char *)text + i, size - i, &code);
		REQUIRE(length && !is_harmful(code));
	}
	return count;
}

static int digit(char c)
{
	const char *at = c ? strchr("0123456789abcdef", c) : NULL;

	REQUIRE(at);
	return (int)(at - "0123456789abcdef");
}

static uint32_t hex(const char *digits, int count)
{
	uint32_t value = 0;

	for (int i = 0; i < count; i++)
		value = value << 4 | (uint32_t)digit(digits[i]);
	return value;
}

/* Undoes the escapes of text; the size. */
static size_t unescape(const char *text, size_t size, unsigned char *to)
{
	size_t used = 0;

	for (size_t i = 0; i < size; i++) {
		if (text[i] != '\\') {
			to[used++] = (unsigned char)text[i];
			continue;
		}
		REQUIRE(++i < size);
		if (text[i] == 'x') {
			REQUIRE(i + 2 < size);
			to[used++] = (unsigned char)hex(text + i + 1, 2);
			i += 2;
		} else {
			REQUIRE(text[i] == 'n' || text[i] == '\\');
			to[used++] = text[i] == 'n' ? '\n' : '\\';
		}
	}
	return used;
}

static size_t encode(uint32_t code, unsigned char *to)
{
	size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = length - 1; i; i--, code >>= 6)
		to[i] = (unsigned char)(0x80 | (code & 0x3f));
	to[0] = (unsigned char)(length == 1 ? code : (0xf00u >> length & 0xff) | code);
	return length;
}

/* The value of a JSON string (RFC 8259); the size. */
static size_t read_json(const char *text, size_t size, unsigned char *to)
{
	size_t used = 0;

	REQUIRE(size >= 2 && text[0] == '"' && text[size - 1] == '"');
	for (size_t i = 1; i < size - 1; i++) {
		uint32_t code;

		REQUIRE(text[i] != '"');
		if (text[i] != '\\') {
			to[used++] = (unsigned char)text[i];
			continue;
		}
		REQUIRE(++i < size - 1);
		if (text[i] != 'u') {
			REQUIRE(text[i] == 'n' || text[i] == '\\' || text[i] == '"');
			to[used++] = text[i] == 'n' ? '\n' : (unsigned char)text[i];
			continue;
		}
		REQUIRE(i + 4 < size - 1);
		code = hex(text + i + 1, 4);
		i += 4;
		if (code >= 0xd800 && code < 0xe000) {
			uint32_t low;

			REQUIRE(code < 0xdc00 && i + 6 < size - 1 && text[i + 1] == '\\' && text[i + 2] == 'u');
			low = hex(text + i + 3, 4);
			REQUIRE(low >= 0xdc00 && low < 0xe000);
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
			i += 6;
		}
		used += encode(code, to + used);
	}
	return used;
}

/* What a JSON value must be: invalid sequences replaced as the WHATWG's Encoding Standard does, which is Unicode's advice. */
static size_t replace(const unsigned char *s, size_t size, unsigned char *to, bool *valid)
{
	size_t used = 0, needed = 0, from = 0;
	unsigned char low = 0x80, high = 0xbf;

	*valid = true;
	for (size_t i = 0; i <= size; i++) {
		if (needed && (i == size || s[i] < low || s[i] > high)) {
			memcpy(to + used, "\xef\xbf\xbd", 3);
			used += 3;
			*valid = false;
			needed = 0;
		} else if (needed) {
			low = 0x80;
			high = 0xbf;
			if (!--needed) {
				memcpy(to + used, s + from, i + 1 - from);
				used += i + 1 - from;
			}
			continue;
		}
		if (i == size)
			break;
		from = i;
		low = s[i] == 0xe0 ? 0xa0 : s[i] == 0xf0 ? 0x90 : 0x80;
		high = s[i] == 0xed ? 0x9f : s[i] == 0xf4 ? 0x8f : 0xbf;
		if (s[i] < 0x80) {
			to[used++] = s[i];
		} else if (s[i] >= 0xc2 && s[i] <= 0xf4) {
			needed = s[i] < 0xe0 ? 1 : s[i] < 0xf0 ? 2 : 3;
		} else {
			memcpy(to + used, "\xef\xbf\xbd", 3);
			used += 3;
			*valid = false;
		}
	}
	return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* of exactly the room that text.h asks for */
	char *string = fuzz_copy(data, size), *escaped = malloc(TEXT_ESCAPED_MAX(size) + !size), *quoted = malloc(TEXT_QUOTED_MAX(size));
	unsigned char *back = malloc(3 * size + 4), *expected = malloc(3 * size + 4);
	char *plain = malloc(size + 1);
	size_t length, characters, expected_size;
	bool valid, expected_valid, is_plain;

	REQUIRE(escaped && quoted && back && expected && plain);
	length = (size_t)(text__escape(escaped, string, size, &characters) - escaped);
	REQUIRE(check_harmless(escaped, length) == characters);
	REQUIRE(unescape(escaped, length, back) == size && !memcmp(back, string, size));

	/* the fast way takes only what the slow one leaves as it is */
	is_plain = plain__copy(plain, string, size, '\\');
	REQUIRE(!is_plain || (length == size && !memcmp(plain, escaped, size)));
	REQUIRE(is_plain || length != size || memchr(string, 0, size) || !size || characters < size);

	length = (size_t)(text__quote(quoted, string, size, &valid) - quoted);
	check_harmless(quoted, length);
	expected_size = replace((const unsigned char *)string, size, expected, &expected_valid);
	REQUIRE(valid == expected_valid);
	REQUIRE(read_json(quoted, length, back) == expected_size && !memcmp(back, expected, expected_size));
	if (plain__copy(plain, string, size, '"'))
		REQUIRE(length == size + 2 && !memcmp(plain, quoted + 1, size));

	free(string);
	free(escaped);
	free(quoted);
	free(back);
	free(expected);
	free(plain);
	return 0;
}

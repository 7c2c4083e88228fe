/* SPDX-License-Identifier: BSD-2-Clause */
#include "shown_texts.h"

#include <stdio.h>
#include <string.h>

#include "lib/print/text.h"

char *shown_texts__quote(char *to, const char *string, size_t size)
{
	size_t characters;

	*to++ = '"';
	for (size_t i = 0, length; i < size; i += length) {
		const char *quote = memchr(string + i, '"', size - i);

		length = quote ? (size_t)(quote - string) - i : size - i;
		to = text__escape(to, string + i, length, &characters);
		if (quote) {
			to = stpcpy(to, "\\x22");
			length++;
		}
	}
	*to++ = '"';
	return to;
}

/* Of an event's record a text without a byte could not be read (shown.h). */
static bool is_fault(const struct shown *shown, const struct shown_text *text)
{
	return !text->bytes || (shown->marks_faults && !text->size);
}

static size_t length_of(const struct shown_text *text)
{
	return strnlen(text->bytes, text->size);
}

static char *put_text(const struct shown *shown, char *to, const struct shown_text *text)
{
	if (is_fault(shown, text))
		return stpcpy(to, "<fault>");
	to = shown_texts__quote(to, text->bytes, length_of(text));
	return text->more ? stpcpy(to, "[+more]") : to;
}

static char *put_json(const struct shown *shown, char *to, const struct shown_text *text, bool *is_valid)
{
	bool is_utf8 = true;

	if (is_fault(shown, text))
		return stpcpy(to, "null");
	to = text__quote(to, text->bytes, length_of(text), &is_utf8);
	*is_valid &= is_utf8;
	return to;
}

static char *put_hex(const struct shown *shown, char *to, const struct shown_text *text)
{
	if (is_fault(shown, text))
		return stpcpy(to, "null");
	*to++ = '"';
	to = text__hex(to, text->bytes, length_of(text));
	*to++ = '"';
	return to;
}

static char *put_list_json(const struct shown *shown, char *to, const struct shown_text *texts, size_t count)
{
	bool is_valid = true;
	size_t more = 0;

	to = shown__put_key(shown, to, "");
	for (size_t i = 0; i < count; i++) {
		*to++ = i ? ',' : '[';
		to = put_json(shown, to, &texts[i], &is_valid);
		more += texts[i].more;
	}
	*to++ = ']';
	if (!is_valid)
		to = shown__put_key(shown, to, "_hex");
	for (size_t i = 0; i < count && !is_valid; i++) {
		*to++ = i ? ',' : '[';
		to = put_hex(shown, to, &texts[i]);
	}
	if (!is_valid)
		*to++ = ']';
	if (more)
		to = shown__put_key(shown, to, "_more");
	for (size_t i = 0; i < count && more; i++)
		to += sprintf(to, "%c%zu", i ? ',' : '[', texts[i].more);
	if (more)
		*to++ = ']';
	return to;
}

char *shown_texts__put(const struct shown *shown, char *to, const struct shown_text *texts, size_t count, bool json)
{
	if (json)
		return put_list_json(shown, to, texts, count);
	for (size_t i = 0; i < count; i++) {
		*to++ = i ? ',' : '[';
		to = put_text(shown, to, &texts[i]);
	}
	*to++ = ']';
	return to;
}

size_t shown_texts__room(const struct shown *shown, size_t count, size_t max)
{
	/* three keys; a text or "<fault>[+more]", its hexadecimal digits, and a number */
	return 3 * (2 * strlen(shown->key) + 16) + count * (TEXT_QUOTED_MAX(max) + 2 * max + 64);
}

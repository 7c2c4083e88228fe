/* SPDX-License-Identifier: BSD-2-Clause */
#include "shown.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctx.h"
#include "lib/print/json.h"
#include "lib/print/text.h"
#include "names.h"
#include "print_fmt.h"

#define NAMES_MAX 512	/* bytes of flags by name */

static bool is_integer(const struct format_field *field)
{
	return strncmp(field->type, "struct ", 7) && strncmp(field->type, "union ", 6) &&
	       (field->elem_size == 1 || field->elem_size == 2 || field->elem_size == 4 || field->elem_size == 8);
}

static enum shown_kind kind_of_array(const struct format_field *field, const char *conversion)
{
	if (strstr(field->type, "cpumask"))
		return SHOWN_CPUS;
	if (!strcmp(field->type, "char"))
		return SHOWN_TEXT;
	if (!strcmp(conversion, "pI4") && field->size == 4)
		return SHOWN_IPV4;
	if (!strncmp(conversion, "pI6", 3) && field->size == 16)
		return SHOWN_IPV6;
	return is_integer(field) && field->elem_size > 1 ? SHOWN_LIST : SHOWN_BYTES;
}

static void set_flags(struct shown *shown, const struct format *format, const struct format_field *field)
{
	uint64_t bits = names__bits(shown->names);

	shown->kind = SHOWN_FLAGS;
	strcpy(shown->none, "0");
	if (!print_fmt__none(format->print_fmt, field->name, shown->none, sizeof(shown->none)))
		return;
	/* the state of a task that was preempted, TASK_REPORT_MAX, beside the others' names: "R+" */
	if (strstr(format->print_fmt, "? \"+\" : \"\"") && bits && !(bits & (bits + 1)))
		shown->plus = bits + 1;
}

static int set_number(struct shown *shown, const struct format *format, const struct format_field *field, const char *conversion)
{
	int err;

	if (field->is_hex) {
		shown->kind = SHOWN_HEX;
		shown->is_signed = false;
		return 0;
	}
	err = names__parse(&shown->names, format->print_fmt, field->name);
	if (!err && names__are_flags(shown->names))
		set_flags(shown, format, field);
	else if (!err)
		shown->kind = SHOWN_NAME;
	else if (err == -ENOMEM)
		return err;
	else if (strchr(field->type, '*'))
		shown->kind = SHOWN_POINTER;
	else if (!strcmp(field->type, "dev_t") && shown->size == 4)
		shown->kind = SHOWN_DEVICE;
	/* all arguments of system calls are hexadecimal there; what is negative is no address */
	else if (!ctx__is_syscall(format) && !shown->is_signed && (*conversion == 'x' || *conversion == 'X' || *conversion == 'p'))
		shown->kind = *conversion == 'p' ? SHOWN_POINTER : SHOWN_HEX;
	return 0;
}

int shown__make(struct shown *shown, const struct format *format, const struct format_field *field, unsigned int size, bool is_signed)
{
	char conversion[PRINT_FMT_CONVERSION_SIZE] = "";
	int err = 0;

	*shown = (struct shown){ .kind = SHOWN_NUMBER, .key = strdup(field->name), .size = size, .is_signed = is_signed };
	if (!shown->key)
		return -ENOMEM;
	if (!print_fmt__conversion(format->print_fmt, field->name, conversion))
		*conversion = 0;
	if (size) {
		err = set_number(shown, format, field, conversion);
	} else {
		shown->kind = kind_of_array(field, conversion);
		shown->size = field->elem_size;
		shown->is_signed = field->is_signed;
	}
	if (err)
		shown__free(shown);
	return err;
}

void shown__free(struct shown *shown)
{
	free(shown->key);
	names__free(shown->names);
	*shown = (struct shown){};
}

size_t shown__room(const struct shown *shown, size_t size)
{
	/* CPUs, every second one: up to six characters for two bits */
	size_t value = shown->kind == SHOWN_CPUS ? 24 * size : TEXT_QUOTED_MAX(size) + 2 * size;

	/* keys of the value and three more; a quoted text and its hexadecimal digits */
	return 4 * strlen(shown->key) + 96 + (shown->names ? TEXT_QUOTED_MAX(NAMES_MAX) : 0) + value;
}

static char *put(char *to, const char *text)
{
	return stpcpy(to, text);
}

static char *put_decimal(char *to, uint64_t number, bool is_signed)
{
	char digits[24], *at = digits + sizeof(digits);

	if (is_signed && (int64_t)number < 0) {
		*to++ = '-';
		number = -number;
	}
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	memcpy(to, at, (size_t)(digits + sizeof(digits) - at));
	return to + (digits + sizeof(digits) - at);
}

static char *put_hex(char *to, uint64_t number)
{
	int digits = 1;

	while (digits < 16 && number >> (4 * digits))
		digits++;
	to = put(to, "0x");
	while (digits--)
		*to++ = "0123456789abcdef"[number >> (4 * digits) & 15];
	return to;
}

static uint64_t number_at(const void *bytes, unsigned int size, bool is_signed)
{
	uint8_t one;
	uint16_t two;
	uint32_t four;
	uint64_t eight = 0;

	switch (size) {
	case 1:
		memcpy(&one, bytes, 1);
		return is_signed ? (uint64_t)(int8_t)one : one;
	case 2:
		memcpy(&two, bytes, 2);
		return is_signed ? (uint64_t)(int16_t)two : two;
	case 4:
		memcpy(&four, bytes, 4);
		return is_signed ? (uint64_t)(int32_t)four : four;
	case 8:
		memcpy(&eight, bytes, 8);
	}
	return eight;
}

/* "0-3,5" of a bit mask in longs; in a mask of none the text is empty. */
static char *put_cpus(char *to, const void *bytes, size_t size)
{
	const char *start = to;
	size_t bits = size / sizeof(long) * sizeof(long) * 8;
	const unsigned char *mask = bytes;

	for (size_t first = 0, last; first < bits; first = last + 1) {
		size_t swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(long) - 1 : 0;

		last = first;
		if (!(mask[(first / 8) ^ swap] >> first % 8 & 1))
			continue;
		while (last + 1 < bits && mask[((last + 1) / 8) ^ swap] >> (last + 1) % 8 & 1)
			last++;
		if (to != start)
			*to++ = ',';
		to = put_decimal(to, first, false);
		if (last > first) {
			*to++ = '-';
			to = put_decimal(to, last, false);
		}
	}
	return to;
}

static char *put_list(const struct shown *shown, char *to, const char *bytes, size_t size)
{
	*to++ = '[';
	for (size_t i = 0; i + shown->size <= size; i += shown->size) {
		if (i)
			*to++ = ',';
		to = put_decimal(to, number_at(bytes + i, shown->size, shown->is_signed), shown->is_signed);
	}
	*to++ = ']';
	return to;
}

static size_t put_flags(const struct shown *shown, char *text, uint64_t number)
{
	size_t length = names__flags(shown->names, number & ~shown->plus, text, NAMES_MAX - 1);

	if (!length)
		length = (size_t)(put(text, shown->none) - text);
	if (number & shown->plus)
		text[length++] = '+';
	text[length] = 0;
	return length;
}

/* A name or flags; NULL for a number without a name.  text has NAMES_MAX bytes. */
static const char *name_of(const struct shown *shown, uint64_t number, char *text)
{
	if (shown->kind == SHOWN_NAME)
		return names__find(shown->names, number);
	put_flags(shown, text, number);
	return text;
}

/* The text of a value that is no number with a name and no string: the same in JSON, but for quotes. */
static char *put_plain(const struct shown *shown, char *to, const void *bytes, size_t size)
{
	uint64_t number = shown->size <= size ? number_at(bytes, shown->size, shown->is_signed) : 0;

	switch (shown->kind) {
	case SHOWN_HEX:
	case SHOWN_POINTER:
		return put_hex(to, number);
	case SHOWN_DEVICE:	/* MINORBITS, include/linux/kdev_t.h */
		to = put_decimal(to, number >> 20, false);
		*to++ = ':';
		return put_decimal(to, number & 0xfffff, false);
	case SHOWN_LIST:
		return put_list(shown, to, bytes, size);
	case SHOWN_BYTES:
		return text__hex(to, bytes, size);
	case SHOWN_CPUS:
		return put_cpus(to, bytes, size);
	case SHOWN_IPV4:
	case SHOWN_IPV6:
		inet_ntop(shown->kind == SHOWN_IPV4 ? AF_INET : AF_INET6, bytes, to, INET6_ADDRSTRLEN);
		return to + strlen(to);
	default:
		return put_decimal(to, number, shown->is_signed);
	}
}

static char *put_more(char *to, size_t more)
{
	return more ? put(to, "[+more]") : to;
}

static char *put_text(char *to, const char *string, size_t size, bool in_line)
{
	bool is_quoted = false;
	size_t characters;

	if (!size)
		return put(to, "''");
	for (size_t i = 0; in_line && i < size; i++)
		is_quoted |= string[i] == ' ' || string[i] == '"' || string[i] == '=';
	if (!is_quoted)
		return text__escape(to, string, size, &characters);
	*to++ = '"';
	for (size_t i = 0, length; i < size; i += length) {
		const char *quote = memchr(string + i, '"', size - i);

		length = quote ? (size_t)(quote - string) - i : size - i;
		to = text__escape(to, string + i, length, &characters);
		if (quote) {
			to = put(to, "\\x22");
			length++;
		}
	}
	*to++ = '"';
	return to;
}

char *shown__text(const struct shown *shown, char *to, const void *bytes, size_t size, size_t more, bool in_line)
{
	char text[NAMES_MAX];
	const char *name;

	switch (shown->kind) {
	case SHOWN_TEXT:
		return put_more(put_text(to, bytes, strnlen(bytes, size), in_line), more);
	case SHOWN_NAME:
	case SHOWN_FLAGS:
		name = name_of(shown, number_at(bytes, shown->size, shown->is_signed), text);
		if (name)
			return put_text(to, name, strlen(name), in_line);
		/* fallthrough */
	default:
		name = to;
		to = put_plain(shown, to, bytes, size);
		if (to == name)
			to = put(to, "''");
		return put_more(to, more);
	}
}

static char *put_key(const struct shown *shown, char *to, const char *suffix)
{
	if (*suffix)
		*to++ = ',';
	*to++ = '"';
	to = put(to, shown->key);
	to = put(to, suffix);
	return put(to, "\":");
}

static char *put_text_json(const struct shown *shown, char *to, const char *string, size_t size)
{
	bool is_valid = true;

	to = text__quote(to, string, size, &is_valid);
	if (is_valid)
		return to;
	to = put_key(shown, to, "_hex");
	*to++ = '"';
	to = text__hex(to, string, size);
	*to++ = '"';
	return to;
}

/* A value that JSON has no number for. */
static bool is_string(const struct shown *shown)
{
	return shown->kind != SHOWN_NUMBER && shown->kind != SHOWN_HEX && shown->kind != SHOWN_LIST;
}

char *shown__json(const struct shown *shown, char *to, const void *bytes, size_t size, size_t more)
{
	char text[NAMES_MAX];
	const char *name;
	uint64_t number;

	to = put_key(shown, to, "");
	switch (shown->kind) {
	case SHOWN_TEXT:
		to = put_text_json(shown, to, bytes, strnlen(bytes, size));
		break;
	case SHOWN_NAME:
	case SHOWN_FLAGS:
		number = number_at(bytes, shown->size, shown->is_signed);
		to = put_decimal(to, number, shown->is_signed);
		to = put_key(shown, to, "_name");
		name = name_of(shown, number, text);
		to = name ? json__quote(to, name, strlen(name)) : put(to, "null");
		break;
	case SHOWN_HEX:
		to = put_decimal(to, number_at(bytes, shown->size, shown->is_signed), false);
		break;
	default:
		if (is_string(shown))
			*to++ = '"';
		to = put_plain(shown, to, bytes, size);
		if (is_string(shown))
			*to++ = '"';
	}
	if (more) {
		to = put_key(shown, to, "_more");
		to = put_decimal(to, more, false);
	}
	return to;
}

char *shown__fault(const struct shown *shown, char *to, bool json)
{
	if (!json)
		return put(to, "<fault>");
	to = put(put_key(shown, to, ""), "null");
	return shown->names ? put(put_key(shown, to, "_name"), "null") : to;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "shown.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/ctx.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/json.h"
#include "lib/print/text.h"
#include "kept_names.h"
#include "print_pointer.h"
#include "shown_texts.h"

static bool is_integer(const struct format_field *field)
{
	return strncmp(field->type, "struct ", 7) && strncmp(field->type, "union ", 6) &&
	       (field->elem_size == 1 || field->elem_size == 2 || field->elem_size == 4 || field->elem_size == 8);
}

/* Whether the print fmt has the elements of a list one by one, with such a conversion: "{%u,%u}", REC->f[0], REC->f[1]. */
static bool has_elements(const struct printed *printed, const char *conversions)
{
	return printed->kind == PRINTED_COMPUTED && strchr(conversions, *printed->conversions[0]);
}

static enum shown_kind kind_of_array(struct shown *shown, const struct format_field *field)
{
	const struct printed *printed = &shown->printed;

	if (format_field__has_texts(field))
		return SHOWN_TEXT;
	if (strstr(field->type, "cpumask"))
		return SHOWN_CPUS;
	if (!strcmp(field->type, "char") && printed->kind != PRINTED_TEXT)
		return SHOWN_TEXT;
	if (printed->kind == PRINTED_BARE && print_pointer__is_known(printed->conversions[0], field->loc == FORMAT_PLAIN ? field->size : 0))
		return SHOWN_ADDRESS;
	/* arrays that were asked for have a type */
	if (!is_integer(field) || (field->elem_size == 1 && !field->hops && !has_elements(printed, "diu")))
		return SHOWN_BYTES;
	shown->has_octal_elements = field->is_octal;
	shown->has_hex_elements = field->is_hex || has_elements(printed, "xX");
	return SHOWN_LIST;
}

/* How a number is shown that the print fmt has as it is. */
static enum shown_kind kind_of_number(struct shown *shown, const struct printed *printed)
{
	const char *conversion = printed->conversions[0];

	shown->text_size = printed->sizes[0];
	shown->is_text_signed = *conversion == 'd' || *conversion == 'i';
	switch (*conversion) {
	case 'p':
		/* ps and pS; pf and pF were that before 5.0 */
		shown->with_place = conversion[1] == 'S' || conversion[1] == 'F';
		return strchr("sSfF", conversion[1]) && conversion[1] ? SHOWN_SYMBOL : SHOWN_POINTER;
	case 'x':
	case 'X':
		return SHOWN_HEX;
	case 'o':
		return SHOWN_OCTAL;
	default:
		return SHOWN_NUMBER;
	}
}

static enum shown_kind kind_of_scalar(struct shown *shown, const struct format *format, const struct format_field *field)
{
	const struct printed *printed = &shown->printed;

	if (field->is_symbol) {
		shown->with_place = field->is_place;
		return SHOWN_SYMBOL;
	}
	/* where a probe of kprobe_events was hit: the kernel's own text has the place, whatever the print fmt says */
	if (!strncmp(field->name, "__probe_", 8) && strcmp(field->name, "__probe_nargs")) {
		shown->with_place = true;
		return SHOWN_SYMBOL;
	}
	if (field->is_hex)
		return SHOWN_HEX;
	if (field->is_octal) {
		shown->text_size = shown->size;
		return SHOWN_OCTAL;
	}
	if (field->is_char)
		return SHOWN_CHAR;
	if (field->meaning) {
		shown->meaning = field->meaning;
		if (!field->meaning->is_octal)
			return SHOWN_MEANING;
		shown->text_size = shown->size;
		return SHOWN_OCTAL;
	}
	if (printed->kind == PRINTED_TEXT)
		return SHOWN_NAME;
	if (printed->kind == PRINTED_NOT && printed->is_text_at && !ctx__is_syscall(format)) {
		shown->is_text_at = true;
		return SHOWN_SYMBOL;
	}
	if (strchr(field->type, '*'))
		return printed->kind == PRINTED_BARE && kind_of_number(shown, printed) == SHOWN_SYMBOL ? SHOWN_SYMBOL : SHOWN_POINTER;
	if (printed->kind == PRINTED_DEVICE || (!strcmp(field->type, "dev_t") && shown->size == 4))
		return SHOWN_DEVICE;
	/* all arguments of system calls are hexadecimal there */
	if (ctx__is_syscall(format))
		return SHOWN_NUMBER;
	if (printed->kind == PRINTED_BARE)
		return kind_of_number(shown, printed);
	return printed->kind == PRINTED_COMPUTED ? SHOWN_COMPUTED : SHOWN_NUMBER;
}

/* Whether a text without a byte, not even the 0 byte, is one that could not be read: of probes, whose records have no other mark. */
static bool marks_faults(const struct format *format, const struct format_field *field)
{
	char event[2 * FORMAT_NAME_MAX + 2], kind;

	if (field->loc == FORMAT_PLAIN || strcmp(field->type, "char"))
		return false;
	snprintf(event, sizeof(event), "%s/%s", format->system, format->name);
	kind = tracefs__made_kind(event);
	return kind && kind != 's';
}

int shown__make(struct shown *shown, const struct format *format, const struct format_field *field, unsigned int size, bool is_signed)
{
	*shown = (struct shown){ .key = strdup(field->name), .size = size, .is_signed = is_signed };
	if (!shown->key)
		return -ENOMEM;
	if (printed__find(&shown->printed, format, field)) {
		shown__free(shown);
		return -ENOMEM;
	}
	if (size) {
		shown->kind = kind_of_scalar(shown, format, field);
		shown->is_signed &= !field->is_hex;
	} else {
		shown->kind = kind_of_array(shown, field);
		shown->marks_faults = marks_faults(format, field);
		shown->size = field->elem_size;
		shown->is_signed = field->is_signed;
	}
	if (shown->kind == SHOWN_NAME)
		shown->list = kept_names__new_list();
	/* what is shown by its type needs it no more */
	if (shown->kind != SHOWN_NAME && shown->kind != SHOWN_COMPUTED && shown->kind != SHOWN_ADDRESS &&
	    shown->printed.kind != PRINTED_TEXT)
		printed__free(&shown->printed);
	return 0;
}

void shown__free(struct shown *shown)
{
	free(shown->key);
	printed__free(&shown->printed);
	*shown = (struct shown){};
}

size_t shown__room(const struct shown *shown, size_t size)
{
	/* CPUs, every second one: up to six characters for two bits */
	size_t value = shown->kind == SHOWN_CPUS ? 24 * size : TEXT_QUOTED_MAX(size) + 2 * size;

	if (shown->kind == SHOWN_SYMBOL)
		value += TEXT_QUOTED_MAX(SHOWN_SYMBOL_MAX);
	/* keys of the value and three more; a quoted text and its hexadecimal digits */
	return 8 * strlen(shown->key) + 96 + (shown->printed.count ? TEXT_QUOTED_MAX(printed__room(&shown->printed, size)) : 0) +
	       (shown->meaning ? TEXT_QUOTED_MAX(MEANING_MAX) : 0) + value;
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

static char *put_octal(char *to, uint64_t number)
{
	int digits = 1;

	while (digits < 22 && number >> (3 * digits))
		digits++;
	if (number)
		*to++ = '0';
	while (digits--)
		*to++ = (char)('0' + (number >> (3 * digits) & 7));
	return to;
}

static uint64_t mask_of(unsigned int size)
{
	return size && size < 8 ? (1ULL << 8 * size) - 1 : UINT64_MAX;
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

/* A decimal number in text, as %d or %u has it. */
static char *put_number(const struct shown *shown, char *to, uint64_t number)
{
	if (!shown->text_size)
		return put_decimal(to, number, shown->is_signed);
	number &= mask_of(shown->text_size);
	/* the sign is the highest of these bits */
	if (shown->is_text_signed && shown->text_size < 8)
		number = number_at(&number, shown->text_size, true);
	return put_decimal(to, number, shown->is_text_signed);
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

static char *put_list(const struct shown *shown, char *to, const char *bytes, size_t size, bool in_text)
{
	bool in_hex = in_text && shown->has_hex_elements;

	*to++ = '[';
	for (size_t i = 0; i + shown->size <= size; i += shown->size) {
		if (i)
			*to++ = ',';
		if (in_hex)
			to = put_hex(to, number_at(bytes + i, shown->size, false));
		else if (in_text && shown->has_octal_elements)
			to = put_octal(to, number_at(bytes + i, shown->size, false));
		else
			to = put_decimal(to, number_at(bytes + i, shown->size, shown->is_signed), shown->is_signed);
	}
	*to++ = ']';
	return to;
}

/* What the print fmt makes of a value: its length, or -errno. text has PRINTED_MAX bytes. */
static int print(const struct shown *shown, const void *bytes, size_t size, size_t more, char *text, bool *is_unnamed)
{
	struct print_field field = { .bytes = bytes, .size = size, .total = size + more, .is_signed = shown->is_signed };

	if (shown->kind == SHOWN_SYMBOL && shown->symbol && shown->size == size &&
	    shown->symbol(number_at(bytes, size, false), shown->with_place, text))
		return (int)strlen(text);
	return shown->printed.count ? printed__text(&shown->printed, &field, text, is_unnamed) : -EOPNOTSUPP;
}

/* The same of a field whose values have names, from those that are kept where it is there. */
static int print_name(const struct shown *shown, const void *bytes, size_t size, size_t more, char *text, bool *is_unnamed)
{
	uint64_t value = number_at(bytes, shown->size, false);
	const struct kept_name *kept;
	int length;

	if (!shown->list || size != shown->size || more)
		return print(shown, bytes, size, more, text, is_unnamed);
	kept = kept_names__find(shown->list, value);
	if (!kept) {
		*is_unnamed = false;
		length = print(shown, bytes, size, more, text, is_unnamed);
		kept_names__keep(shown->list, value, text, length, *is_unnamed);
		return length;
	}
	*is_unnamed = kept->is_unnamed;
	memcpy(text, kept->text, sizeof(kept->text));
	return kept->length;
}

/* What the number means; NULL: nothing. text has MEANING_MAX bytes. */
static const char *meaning_of(const struct shown *shown, const void *bytes, char *text)
{
	/* flags are bits, as many as the field has */
	bool is_signed = shown->is_signed && !shown->meaning->flags;

	return meaning__text(shown->meaning, number_at(bytes, shown->size, is_signed), text, MEANING_MAX);
}

/* The text of a value that is no number with a name and no string: the same in JSON, but for quotes. */
static char *put_plain(const struct shown *shown, char *to, const void *bytes, size_t size, bool json)
{
	uint64_t number = shown->size <= size ? number_at(bytes, shown->size, shown->is_signed) : 0;

	switch (shown->kind) {
	case SHOWN_HEX:
		/* a negative number has as many digits as it has bytes */
		return put_hex(to, number & mask_of(shown->text_size ? shown->text_size : shown->size));
	case SHOWN_POINTER:
	case SHOWN_SYMBOL:
		return put_hex(to, number & mask_of(shown->size));
	case SHOWN_OCTAL:
		return put_octal(to, number & mask_of(shown->text_size));
	case SHOWN_DEVICE:	/* MINORBITS, include/linux/kdev_t.h */
		to = put_decimal(to, number >> 20, false);
		*to++ = ':';
		return put_decimal(to, number & 0xfffff, false);
	case SHOWN_LIST:
		return put_list(shown, to, bytes, size, !json);
	case SHOWN_BYTES:
		return text__hex(to, bytes, size);
	case SHOWN_CPUS:
		return put_cpus(to, bytes, size);
	case SHOWN_ADDRESS:
		return text__hex(to, bytes, size);
	default:
		return put_number(shown, to, number);
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
	return is_quoted ? shown_texts__quote(to, string, size) : text__escape(to, string, size, &characters);
}

char *shown__text(const struct shown *shown, char *to, const void *bytes, size_t size, size_t more, bool in_line)
{
	char text[PRINTED_MAX], *start = to;
	bool is_unnamed;
	int length;

	if (shown->marks_faults && !size)
		return shown__fault(shown, to, false);
	if (shown->kind == SHOWN_TEXT || shown->kind == SHOWN_CHAR)
		return put_more(put_text(to, bytes, strnlen(bytes, size), in_line), more);
	if (shown->kind == SHOWN_MEANING && meaning_of(shown, bytes, text))
		return put_text(to, text, strlen(text), in_line);
	length = print_name(shown, bytes, size, more, text, &is_unnamed);
	if (length > 0)
		return put_more(put_text(to, text, (size_t)length, in_line), more);
	/* no flag at all */
	if (!length && shown->kind == SHOWN_NAME && !number_at(bytes, shown->size, false))
		*to++ = '0';
	else if (length)
		to = put_plain(shown, to, bytes, size, false);
	if (to == start)
		to = put(to, "''");
	return put_more(to, more);
}

char *shown__put_key(const struct shown *shown, char *to, const char *suffix)
{
	if (*suffix)
		*to++ = ',';
	*to++ = '"';
	for (const char *from = shown->key; *from; from++) {
		if (*from == '\\' || *from == '"')
			*to++ = '\\';
		*to++ = *from;
	}
	to = put(to, suffix);
	return put(to, "\":");
}

static char *put_text_json(const struct shown *shown, char *to, const char *string, size_t size)
{
	bool is_valid = true;

	to = text__quote(to, string, size, &is_valid);
	if (is_valid)
		return to;
	to = shown__put_key(shown, to, "_hex");
	*to++ = '"';
	to = text__hex(to, string, size);
	*to++ = '"';
	return to;
}

/* A value that JSON has no number for. */
static bool is_string(const struct shown *shown)
{
	return shown->kind == SHOWN_POINTER || shown->kind == SHOWN_DEVICE || shown->kind == SHOWN_BYTES || shown->kind == SHOWN_CPUS ||
	       shown->kind == SHOWN_ADDRESS;
}

/* The value, and the name that the print fmt has for it. */
static char *put_name_json(const struct shown *shown, char *to, const void *bytes, size_t size)
{
	char text[PRINTED_MAX];
	bool is_unnamed = false;
	int length = print_name(shown, bytes, size, 0, text, &is_unnamed);
	uint64_t number = number_at(bytes, shown->size, shown->is_signed);

	if (shown->kind == SHOWN_SYMBOL) {
		*to++ = '"';
		to = put_plain(shown, to, bytes, size, true);
		*to++ = '"';
	} else {
		to = put_decimal(to, number, shown->is_signed);
	}
	to = shown__put_key(shown, to, "_name");
	if (length < 0 || is_unnamed)
		return put(to, "null");
	/* no flag at all */
	if (!length && !number)
		text[length++] = '0';
	return json__quote(to, text, (size_t)length);
}

static char *put_meaning_json(const struct shown *shown, char *to, const void *bytes)
{
	char text[MEANING_MAX];
	const char *name = meaning_of(shown, bytes, text);

	to = put_decimal(to, number_at(bytes, shown->size, shown->is_signed), shown->is_signed);
	to = shown__put_key(shown, to, "_name");
	return name ? json__quote(to, name, strlen(name)) : put(to, "null");
}

static char *put_address_json(const struct shown *shown, char *to, const void *bytes, size_t size)
{
	char text[PRINTED_MAX];
	bool is_unnamed;
	int length = print(shown, bytes, size, 0, text, &is_unnamed);

	if (length >= 0)
		return json__quote(to, text, (size_t)length);
	*to++ = '"';
	to = put_plain(shown, to, bytes, size, true);
	*to++ = '"';
	return to;
}

char *shown__json(const struct shown *shown, char *to, const void *bytes, size_t size, size_t more)
{
	if (shown->marks_faults && !size)
		return shown__fault(shown, to, true);
	to = shown__put_key(shown, to, "");
	switch (shown->kind) {
	case SHOWN_TEXT:
	case SHOWN_CHAR:
		to = put_text_json(shown, to, bytes, strnlen(bytes, size));
		break;
	case SHOWN_NAME:
	case SHOWN_SYMBOL:
		to = put_name_json(shown, to, bytes, size);
		break;
	case SHOWN_MEANING:
		to = put_meaning_json(shown, to, bytes);
		break;
	case SHOWN_ADDRESS:
		to = put_address_json(shown, to, bytes, size);
		break;
	case SHOWN_LIST:
		to = put_list(shown, to, bytes, size, false);
		break;
	case SHOWN_NUMBER:
	case SHOWN_HEX:
	case SHOWN_OCTAL:
	case SHOWN_COMPUTED:
		to = put_decimal(to, number_at(bytes, shown->size, shown->is_signed), shown->is_signed);
		break;
	default:
		if (is_string(shown))
			*to++ = '"';
		to = put_plain(shown, to, bytes, size, true);
		if (is_string(shown))
			*to++ = '"';
	}
	if (more) {
		to = shown__put_key(shown, to, "_more");
		to = put_decimal(to, more, false);
	}
	return to;
}

char *shown__fault(const struct shown *shown, char *to, bool json)
{
	if (!json)
		return put(to, "<fault>");
	to = put(shown__put_key(shown, to, ""), "null");
	return shown->kind == SHOWN_NAME || shown->kind == SHOWN_SYMBOL || shown->kind == SHOWN_MEANING ?
	       put(shown__put_key(shown, to, "_name"), "null") : to;
}

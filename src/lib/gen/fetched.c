/* SPDX-License-Identifier: BSD-2-Clause */
#include "fetched.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/format/kfuncs.h"
#include "lib/print/text_buffer.h"

/* MAX_ARGSTR_LEN and MAX_TRACE_ARGS, kernel/trace/trace_probe.h */
#define FETCH_MAX 63
#define FIELDS_MAX 128
/* What the kernel writes in place of a text that it cannot read (FAULT_STRING there); before 5.17 (8565a45d0858) nothing. */
#define FAULT "(fault)"

const char *fetched__name(const struct format *format, const struct format_field *field, char name[FETCHED_NAME_MAX])
{
	snprintf(name, FETCHED_NAME_MAX, "f%u", (unsigned)(field - format->fields));
	return name;
}

/* "+8(+16($arg1)):u64": each hop is added, and what is there is read; where a text begins is not. */
static void add_fetch(struct text_buffer *text, const struct format_field *field)
{
	const struct format_hops *hops = field->hops;

	for (unsigned i = hops ? hops->count : 0; i; i--)
		text_buffer__add(text, "+%d(", hops->offsets[i - 1]);
	text_buffer__add(text, "$arg%d", kfuncs__argument(field->offset) + 1);
	for (unsigned i = hops ? hops->count : 0; i; i--)
		text_buffer__add(text, ")");
	if (field->loc == FORMAT_POINTER)
		text_buffer__add(text, ":string");
	else if (hops && hops->bits)
		text_buffer__add(text, ":b%u@%u/%u", hops->bits, hops->shift, 8 * field->size);
	else
		text_buffer__add(text, ":%c%u", field->is_signed ? 's' : 'u', 8 * field->size);
}

int fetched__line(const struct format *format, char **line, const struct format_field **field)
{
	struct text_buffer text = text_buffer__growing(FIELDS_MAX * (FETCH_MAX + FETCHED_NAME_MAX));
	int err = 0;

	for (unsigned i = 0; i < format->fields_count && !err; i++) {
		char fetch[FETCH_MAX + 2], name[FETCHED_NAME_MAX];
		struct text_buffer one = text_buffer__fixed(fetch, sizeof(fetch));

		*field = &format->fields[i];
		add_fetch(&one, *field);
		if (strlen(fetch) > FETCH_MAX || i == FIELDS_MAX)
			err = -E2BIG;
		text_buffer__add(&text, " %s=%s", fetched__name(format, *field, name), fetch);
	}
	/* of no fields it is empty, and not NULL */
	text_buffer__add(&text, "%s", "");
	*line = text_buffer__take(&text);
	if (!err && !*line)
		err = -ENOMEM;
	return err;
}

/* A text: its bytes with the 0 byte, as many as a program would have read. */
static int take_text(char *to, const struct format_field *from, const char *data, size_t size)
{
	int64_t status;
	uint32_t loc;
	size_t start, length;

	memcpy(&loc, data + from->offset, sizeof(loc));
	start = loc & 0xffff;
	length = loc >> 16;
	if (start + length > size)
		return -EINVAL;
	length = strnlen(data + start, length);
	if (!(loc >> 16) || (length == strlen(FAULT) && !memcmp(data + start, FAULT, length))) {
		status = -EFAULT;
		length = 0;
	} else {
		status = (int64_t)(length > RECORD_DYNAMIC_MAX ? RECORD_DYNAMIC_MAX + 1 : length) + 1;
	}
	memcpy(to, &status, sizeof(status));
	memcpy(to + 8, data + start, length < RECORD_DYNAMIC_MAX ? length : RECORD_DYNAMIC_MAX);
	return 0;
}

/* A number; the kernel's bit fields have no sign (__parse_bitfield_probe_arg() in kernel/trace/trace_probe.c). */
static void take_number(char *to, const struct record_field *field, const char *from, size_t size)
{
	const struct format_hops *hops = field->field->hops;
	unsigned above = hops && hops->bits && field->number.is_signed ? 64 - hops->bits : 0;
	int64_t number = 0;
	/* where a number of that size is in one of 8 bytes */
	char *low = (char *)&number + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 8 - size : 0);

	memcpy(low, from, size);
	number = (int64_t)((uint64_t)number << above) >> above;
	memcpy(to, low, size);
}

int fetched__take(const struct record *record, const struct format *raw, void *copy, const void *data, size_t size)
{
	/* behind the common fields and the probe's own */
	const struct format_field *first = format__field(raw, "f0");

	memset((char *)copy + 8, 0, record->size - 8);
	for (size_t i = 0; i < record->count; i++) {
		const struct record_field *field = &record->fields[i];
		size_t number = (size_t)(field->field - record->format->fields);
		const struct format_field *from = first ? first + number : NULL;
		char *to = (char *)copy + field->room;

		if (!from || from >= raw->fields + raw->fields_count || from->offset + (size_t)from->size > size)
			return -EINVAL;
		if (field->field->loc == FORMAT_POINTER) {
			if (take_text(to, from, data, size))
				return -EINVAL;
			continue;
		}
		if (from->size != field->number.size)
			return -EINVAL;
		/* in memory: a status of 0, and the value */
		if (field->field->hops)
			to += 8;
		else if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			to += 8 - from->size;
		take_number(to, field, (const char *)data + from->offset, from->size);
	}
	return 0;
}

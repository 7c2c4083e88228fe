/* SPDX-License-Identifier: BSD-2-Clause */
#include "fetch_args.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/kfuncs.h"
#include "lib/kernel/registers.h"
#include "lib/print/text_buffer.h"

/* MAX_ARGSTR_LEN and MAX_TRACE_ARGS, kernel/trace/trace_probe.h */
#define FETCH_MAX 63
#define FIELDS_MAX 128
/* What the kernel writes in place of a text that it cannot read (FAULT_STRING there); before 5.17 (8565a45d0858) nothing. */
#define FAULT "(fault)"

const char *fetch_args__name(const struct format *format, const struct format_field *field, char name[FETCH_ARGS_NAME_MAX])
{
	snprintf(name, FETCH_ARGS_NAME_MAX, "f%u", (unsigned)(field - format->fields));
	return name;
}

/* What the way begins with; first: the first of the hops that are to be added to it. */
static void add_base(struct text_buffer *text, const struct format *format, const struct format_field *field, unsigned *first)
{
	const struct format_hops *hops = field->hops;
	int argument = kfuncs__argument(field->offset);

	*first = 0;
	if (hops && hops->base == FORMAT_COMM) {
		text_buffer__add(text, "$comm");
	} else if (hops && hops->base == FORMAT_CONSTANT) {
		unsigned long long address = hops->address + (unsigned long long)(long long)hops->offsets[0];

		text_buffer__add(text, hops->is_address && hops->count == 1 ? "\\%llu" : "@0x%llx", address);
		*first = 1;
	} else if (argument >= 0 && !strchr(format->name, '+')) {
		text_buffer__add(text, "$arg%d", argument + 1);
	} else {
		/* where a function is under way there are no arguments */
		text_buffer__add(text, "%%%s", registers__name(field->offset) ?: "");
	}
}

static void add_type(struct text_buffer *text, const struct format_field *field)
{
	const struct format_hops *hops = field->hops;
	unsigned size = 8 * (field->is_array ? field->elem_size : field->size);

	if (hops && hops->base == FORMAT_COMM)
		text_buffer__add(text, ":string");
	else if (field->loc == FORMAT_POINTER)
		text_buffer__add(text, hops->user & 1 << (hops->count - !field->is_array) ? ":ustring" : ":string");
	else if (hops && hops->bits)
		text_buffer__add(text, ":b%u@%u/%u", hops->bits, hops->shift, size);
	else
		text_buffer__add(text, ":%c%u", field->is_signed ? 's' : 'u', size);
	if (field->is_array)
		text_buffer__add(text, "[%u]", field->array_len);
}

/* Whether the hop leads to the process's memory; of a text's its type tells, and the pointers of an array are read like others. */
static bool is_user(const struct format_field *field, unsigned hop)
{
	bool is_text = field->loc == FORMAT_POINTER && !field->is_array && hop + 1 == field->hops->count;

	return !is_text && field->hops->user & 1 << hop;
}

/* "+8(+16($arg1)):u64": each hop is added, and what is there is read; where a text begins is not. */
static void add_fetch(struct text_buffer *text, const struct format *format, const struct format_field *field)
{
	const struct format_hops *hops = field->hops;
	struct text_buffer base;
	char first_part[FETCH_MAX + 2];
	/* bits of a register: its value */
	bool is_register = hops && hops->base == FORMAT_CONTEXT && hops->is_address;
	unsigned first, count = hops && !is_register ? hops->count : 0;

	base = text_buffer__fixed(first_part, sizeof(first_part));
	add_base(&base, format, field, &first);
	for (unsigned i = count; i > first; i--)
		text_buffer__add(text, "%c%s%d(", hops->offsets[i - 1] < 0 ? '-' : '+', is_user(field, i - 1) ? "u" : "",
				 abs(hops->offsets[i - 1]));
	text_buffer__add(text, "%s", first_part);
	for (unsigned i = count; i > first; i--)
		text_buffer__add(text, ")");
	add_type(text, field);
}

/* Whether the kernel's own probes can fetch it: they know no variables of each CPU, and no sum but for memory. */
static bool is_known(const struct format_field *field)
{
	const struct format_hops *hops = field->hops;

	return !hops || (hops->base != FORMAT_THIS_CPU &&
			 !(hops->base == FORMAT_CONTEXT && hops->is_address && (hops->count > 1 || hops->offsets[0])));
}

int fetch_args__line(const struct format *format, char **line, const struct format_field **field)
{
	struct text_buffer text = text_buffer__growing(FIELDS_MAX * (FETCH_MAX + FETCH_ARGS_NAME_MAX));
	int err = 0;

	for (unsigned i = 0; i < format->fields_count && !err; i++) {
		char fetch[FETCH_MAX + 2], name[FETCH_ARGS_NAME_MAX];
		struct text_buffer one = text_buffer__fixed(fetch, sizeof(fetch));

		*field = &format->fields[i];
		if (!is_known(*field)) {
			err = -EOPNOTSUPP;
			break;
		}
		add_fetch(&one, format, *field);
		if (strlen(fetch) > FETCH_MAX || i == FIELDS_MAX)
			err = -E2BIG;
		text_buffer__add(&text, " %s=%s", fetch_args__name(format, *field, name), fetch);
	}
	/* of no fields it is empty, and not NULL */
	text_buffer__add(&text, "%s", "");
	*line = text_buffer__take(&text);
	if (!err && !*line)
		err = -ENOMEM;
	return err;
}

/* A text, which the u32 at that offset has: its bytes with the 0 byte, max of them, as many as a program would have read. */
static int take_text(char *to, size_t max, unsigned int offset, const char *data, size_t size)
{
	int64_t status;
	uint32_t loc;
	size_t start, length;

	memcpy(&loc, data + offset, sizeof(loc));
	start = loc & 0xffff;
	length = loc >> 16;
	if (start + length > size)
		return -EINVAL;
	length = strnlen(data + start, length);
	if (!(loc >> 16) || (length == strlen(FAULT) && !memcmp(data + start, FAULT, length))) {
		status = -EFAULT;
		length = 0;
	} else {
		status = (int64_t)(length > max ? max + 1 : length) + 1;
	}
	memcpy(to, &status, sizeof(status));
	memcpy(to + 8, data + start, length < max ? length : max);
	return 0;
}

/* All texts of a field.  from: the event's field, which has a u32 for each. */
static int take_texts(char *to, struct record_texts texts, const struct format_field *from, const char *data, size_t size)
{
	int err = from->size == texts.count * sizeof(uint32_t) ? 0 : -EINVAL;

	for (unsigned int i = 0; i < texts.count && !err; i++)
		err = take_text(to + i * texts.room, texts.max, from->offset + i * (unsigned int)sizeof(uint32_t), data, size);
	return err;
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

int fetch_args__record(const struct record *record, const struct format *raw, void *copy, const void *data, size_t size)
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
			if (take_texts(to, record__texts(record->format, field->field), from, data, size))
				return -EINVAL;
			continue;
		}
		if (from->size != field->field->size)
			return -EINVAL;
		/* in memory: a status of 0, and the value */
		if (field->field->hops)
			to += 8;
		if (field->field->is_array) {
			memcpy(to, (const char *)data + from->offset, from->size);
			continue;
		}
		if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			to += 8 - from->size;
		take_number(to, field, (const char *)data + from->offset, from->size);
	}
	return 0;
}

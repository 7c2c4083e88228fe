/* SPDX-License-Identifier: BSD-2-Clause */
#include "record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "pointer_chain.h"

#define CTX BPF_REG_6
#define COPY BPF_REG_7

#define SLOT -8				/* of the function's stack */
#define TEXT_ROOM (RECORD_DYNAMIC_MAX + 8)
#define TEXT_READ (RECORD_DYNAMIC_MAX + 2)	/* one byte more than is shown tells of a longer text */

/* Fills in where the field is.  0 or -errno, of ctx__offset(). */
static int find(struct record_field *to, const struct format *format, const struct format_field *field)
{
	int err = ctx__number(format, field, &to->number);

	to->field = field;
	if (err != -EINVAL)
		return err;
	err = ctx__offset(format, field);
	to->number = (struct ctx_number){ .offset = err };
	/* what ends the record has no size of its own, and is not in the context */
	if (err >= 0 && field->loc == FORMAT_PLAIN && !field->size)
		return -ENOENT;
	return err < 0 ? err : 0;
}

/* Bytes of the context that the value takes. */
static unsigned int ctx_size(const struct record_field *field)
{
	return field->number.size ? field->number.size : field->field->loc == FORMAT_PLAIN ? field->field->size : 4;
}

/* Bytes of the copy that an argument takes. */
static unsigned int argument_room(const struct format_field *field)
{
	return !field->hops ? 8 : field->loc == FORMAT_POINTER ? 8 + TEXT_ROOM : 16;
}

/* Gives everything its place in the copy; end: where the last value of the context ends. */
static void place(struct record *record, unsigned int end)
{
	record->size = record->format->is_arguments ? 8 : (end + 7) / 8 * 8;
	for (size_t i = 0; i < record->count; i++) {
		const struct format_field *field = record->fields[i].field;

		if (!record->format->is_arguments && field->loc == FORMAT_PLAIN)
			continue;
		record->fields[i].room = record->size;
		record->size += record->format->is_arguments ? argument_room(field) : RECORD_DYNAMIC_MAX;
	}
}

int record__plan(struct record *record, const struct format *format, const char *const *names, size_t names_count,
		 struct fault *fault)
{
	size_t wanted = names_count ? names_count : format->fields_count - format->common_count;
	unsigned int end = 8;
	int err;

	*record = (struct record){ .format = format, .fields = calloc(wanted + 1, sizeof(*record->fields)) };
	if (!record->fields)
		return -ENOMEM;
	for (size_t i = 0; i < wanted; i++) {
		const struct format_field *field = names_count ? format__field(format, names[i]) :
						   &format->fields[format->common_count + i];
		struct record_field *to = &record->fields[record->count];

		if (!field) {
			err = fields__explain_missing(format, names[i], fault);
			goto fail;
		}
		/* of a filter, say */
		if (!names_count && field->is_extra)
			continue;
		if (!find(to, format, field)) {
			record->count++;
			if (to->number.offset + ctx_size(to) > end)
				end = (unsigned int)to->number.offset + ctx_size(to);
		} else if (names_count) {
			err = fault__set(fault, -EINVAL, "%s:%s: programs cannot read its field %s", format->system, format->name,
				   field->name);
			goto fail;
		}
	}
	place(record, end);
	if (record->size <= RECORD_MAX)
		return 0;
	err = fault__set(fault, -EINVAL, "%s:%s: its fields take more than %d bytes (name those that are wanted)", format->system,
		   format->name, RECORD_MAX);
fail:
	record__free(record);
	return err;
}

void record__free(struct record *record)
{
	free(record->fields);
	*record = (struct record){};
}

/* Copies the 8 bytes at offset, or as many of them as the context has up to end. */
static void put_word(struct emit *emit, unsigned int offset, unsigned int end)
{
	for (unsigned int size = 8; size; size /= 2)
		while (offset + size <= end && offset % size == 0) {
			emit__load(emit, BPF_REG_1, CTX, (int)offset, size);
			emit__store(emit, COPY, (int)offset, BPF_REG_1, size);
			offset += size;
			if (offset % 8 == 0)
				return;
		}
}

static void put_dynamic(struct emit *emit, const struct record_field *field)
{
	int offset = field->number.offset;
	emit_label fits = emit__label(emit);

	emit__load(emit, BPF_REG_1, CTX, offset, 4);
	emit__copy(emit, BPF_REG_2, BPF_REG_1);
	emit__alu(emit, BPF_RSH, BPF_REG_2, 16);
	emit__jump(emit, BPF_JLE, BPF_REG_2, RECORD_DYNAMIC_MAX, fits);
	emit__set(emit, BPF_REG_2, RECORD_DYNAMIC_MAX);
	emit__place(emit, fits);
	emit__alu(emit, BPF_AND, BPF_REG_1, 0xffff);
	emit__copy(emit, BPF_REG_3, CTX);
	emit__alu_reg(emit, BPF_ADD, BPF_REG_3, BPF_REG_1);
	if (field->field->loc == FORMAT_REL_LOC)
		emit__alu(emit, BPF_ADD, BPF_REG_3, offset + 4);
	emit__copy(emit, BPF_REG_1, COPY);
	emit__alu(emit, BPF_ADD, BPF_REG_1, (int32_t)field->room);
	emit__call(emit, BPF_FUNC_probe_read_kernel);
}

static void put_argument(struct emit *emit, const struct record_field *field)
{
	const struct ctx_number *number = &field->number;
	bool is_text = field->field->loc == FORMAT_POINTER;
	emit_label fault;

	if (!field->field->hops) {
		emit__load(emit, BPF_REG_0, CTX, number->offset, number->size);
		emit__store(emit, COPY, (int)field->room, BPF_REG_0, 8);
		return;
	}
	fault = emit__label(emit);
	pointer_chain__address(emit, field->field->hops, number->offset, CTX, SLOT, fault);
	emit__copy(emit, BPF_REG_1, COPY);
	emit__alu(emit, BPF_ADD, BPF_REG_1, (int32_t)field->room + 8);
	emit__set(emit, BPF_REG_2, is_text ? TEXT_READ : number->size);
	if (is_text)
		pointer_chain__read_text(emit);
	else
		emit__call(emit, BPF_FUNC_probe_read_kernel);
	if (field->field->hops->bits) {
		emit__jump(emit, BPF_JNE, BPF_REG_0, 0, fault);
		emit__load(emit, BPF_REG_1, COPY, (int)field->room + 8, number->size);
		pointer_chain__take_bits(emit, field->field->hops, BPF_REG_1, number->is_signed);
		emit__store(emit, COPY, (int)field->room + 8, BPF_REG_1, number->size);
	}
	emit__place(emit, fault);
	emit__store(emit, COPY, (int)field->room, BPF_REG_0, 8);
}

static int emit_arguments(struct emit *emit, const struct record *record)
{
	for (size_t i = 0; i < record->count; i++)
		put_argument(emit, &record->fields[i]);
	emit__return(emit, 0);
	return emit__finish(emit);
}

int record__emit(struct emit *emit, const struct record *record)
{
	emit__copy(emit, CTX, BPF_REG_1);
	emit__copy(emit, COPY, BPF_REG_2);
	if (record->format->is_arguments)
		return emit_arguments(emit, record);
	for (unsigned int word = 8; word < record->size; word += 8) {
		unsigned int end = 0;

		/* up to where the last of its fields ends: the kernel refuses a program that reads behind the record */
		for (size_t i = 0; i < record->count; i++) {
			unsigned int start = (unsigned int)record->fields[i].number.offset, behind = start + ctx_size(&record->fields[i]);

			if (start < word + 8 && behind > word && behind > end)
				end = behind;
		}
		if (end)
			put_word(emit, word, end < word + 8 ? end : word + 8);
	}
	for (size_t i = 0; i < record->count; i++)
		if (record->fields[i].room)
			put_dynamic(emit, &record->fields[i]);
	emit__return(emit, 0);
	return emit__finish(emit);
}

/* Copies what a dynamic field's u32 points to, up to RECORD_DYNAMIC_MAX bytes. 0 or -EINVAL. */
static int take_dynamic(const struct record_field *field, char *copy, const char *raw, size_t size)
{
	uint32_t loc;
	size_t start, length;

	memcpy(&loc, raw + field->field->offset, sizeof(loc));
	start = (loc & 0xffff) + (field->field->loc == FORMAT_REL_LOC ? field->field->offset + sizeof(loc) : 0);
	length = loc >> 16;
	if (start + length > size)
		return -EINVAL;
	memcpy(copy + field->room, raw + start, length < RECORD_DYNAMIC_MAX ? length : RECORD_DYNAMIC_MAX);
	return 0;
}

int record__take(const struct record *record, void *copy, const void *raw, size_t size)
{
	char *to = copy;
	const char *from = raw;

	memset(to + 8, 0, record->size - 8);
	for (size_t i = 0; i < record->count; i++) {
		const struct record_field *field = &record->fields[i];
		unsigned int bytes = ctx_size(field);

		/* a system call's argument has 8 bytes here too, of which its type takes the first */
		if (field->field->offset + (size_t)bytes > size)
			return -EINVAL;
		memcpy(to + field->number.offset, from + field->field->offset, bytes);
		if (field->room && take_dynamic(field, to, from, size))
			return -EINVAL;
	}
	return 0;
}

static struct record_value argument_value(const struct record_field *field, const char *bytes)
{
	unsigned int size = field->number.size;
	int64_t status;
	size_t length;

	if (!field->field->hops) {
		/* the lower bytes of the word */
		if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			bytes += 8 - size;
		return (struct record_value){ .bytes = bytes, .size = size };
	}
	memcpy(&status, bytes, sizeof(status));
	if (status < 0)
		return (struct record_value){ .bytes = NULL };
	bytes += 8;
	if (size)
		return (struct record_value){ .bytes = bytes, .size = size };
	length = status ? (size_t)status - 1 : 0;
	if (length <= RECORD_DYNAMIC_MAX)
		return (struct record_value){ .bytes = bytes, .size = length };
	return (struct record_value){ .bytes = bytes, .size = RECORD_DYNAMIC_MAX, .more = length - RECORD_DYNAMIC_MAX };
}

struct record_value record__value(const struct record *record, const struct record_field *field, const void *copy)
{
	const char *bytes = copy;
	uint32_t loc;
	size_t length;

	if (record->format->is_arguments)
		return argument_value(field, bytes + field->room);
	if (!field->room)
		return (struct record_value){ .bytes = bytes + field->number.offset, .size = ctx_size(field) };
	memcpy(&loc, bytes + field->number.offset, sizeof(loc));
	length = loc >> 16;
	if (length <= RECORD_DYNAMIC_MAX)
		return (struct record_value){ .bytes = bytes + field->room, .size = length };
	return (struct record_value){ .bytes = bytes + field->room, .size = RECORD_DYNAMIC_MAX, .more = length - RECORD_DYNAMIC_MAX };
}

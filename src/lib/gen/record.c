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
#define COMM_SIZE 16			/* TASK_COMM_LEN */
#define TEXT_EXTRA 16			/* a text's status, its 0 byte, and one byte more, which tells of a longer text */

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
	return field->number.size ? field->number.size : field->field->loc == FORMAT_POINTER ? 4 : field->field->size;
}

struct record_texts record__texts(const struct format *format, const struct format_field *field)
{
	unsigned int extra = format->is_arguments ? TEXT_EXTRA : 0, share;
	struct record_texts texts = { .count = 1, .max = RECORD_DYNAMIC_MAX };

	if (format_field__has_texts(field)) {
		texts.count = field->array_len;
		share = RECORD_TEXTS_MAX / texts.count / 8 * 8 - TEXT_EXTRA;
		texts.max = share < texts.max ? share : texts.max;
	}
	texts.room = texts.max + extra;
	return texts;
}

/* Bytes of the copy that a value takes which is not where the context has it. */
static unsigned int room_of(const struct format *format, const struct format_field *field)
{
	struct record_texts texts = record__texts(format, field);

	if (field->loc != FORMAT_PLAIN)
		return texts.count * texts.room;
	return field->hops ? 8 + (field->size + 7) / 8 * 8 : 8;
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
		record->size += room_of(record->format, field);
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

/* The task's name, as a text of that length: it has 0 bytes at its end. */
static void put_comm(struct emit *emit, const struct record_field *field)
{
	emit__copy(emit, BPF_REG_1, COPY);
	emit__alu(emit, BPF_ADD, BPF_REG_1, (int32_t)field->room + 8);
	emit__set(emit, BPF_REG_2, COMM_SIZE);
	emit__call(emit, BPF_FUNC_get_current_comm);
	emit__set(emit, BPF_REG_0, COMM_SIZE + 1);
	emit__store(emit, COPY, (int)field->room, BPF_REG_0, 8);
}

/* A text: at most max bytes of it to room, with its status. */
static void put_text(struct emit *emit, const struct format_hops *hops, int offset, unsigned int room, unsigned int max)
{
	emit_label fault = emit__label(emit);

	pointer_chain__address(emit, hops, offset, CTX, SLOT, fault);
	emit__copy(emit, BPF_REG_1, COPY);
	emit__alu(emit, BPF_ADD, BPF_REG_1, (int32_t)room + 8);
	emit__set(emit, BPF_REG_2, max + 2);
	pointer_chain__read_text(emit, hops);
	emit__place(emit, fault);
	emit__store(emit, COPY, (int)room, BPF_REG_0, 8);
}

/* An array of texts: pointers one behind the other. */
static void put_texts(struct emit *emit, const struct record_field *field, struct record_texts texts)
{
	for (unsigned int i = 0; i < texts.count; i++) {
		struct format_hops hops = *field->field->hops;

		hops.offsets[hops.count - 1] += (int)(i * sizeof(__u64));
		hops.offsets[hops.count++] = 0;
		put_text(emit, &hops, field->number.offset, field->room + i * texts.room, texts.max);
	}
}

static void put_argument(struct emit *emit, const struct format *format, const struct record_field *field)
{
	const struct ctx_number *number = &field->number;
	struct record_texts texts = record__texts(format, field->field);
	emit_label fault;

	if (field->field->hops && field->field->hops->base == FORMAT_COMM) {
		put_comm(emit, field);
		return;
	}
	if (!field->field->hops) {
		emit__load(emit, BPF_REG_0, CTX, number->offset, number->size);
		emit__store(emit, COPY, (int)field->room, BPF_REG_0, 8);
		return;
	}
	if (format_field__has_texts(field->field)) {
		put_texts(emit, field, texts);
		return;
	}
	if (field->field->loc == FORMAT_POINTER) {
		put_text(emit, field->field->hops, number->offset, field->room, texts.max);
		return;
	}
	fault = emit__label(emit);
	pointer_chain__address(emit, field->field->hops, number->offset, CTX, SLOT, fault);
	pointer_chain__read(emit, field->field->hops, COPY, (int)field->room + 8, field->field->size);
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
		put_argument(emit, record->format, &record->fields[i]);
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

/* Copies what a dynamic field's u32 points to, or each of an array's, up to the bytes that there is room for. 0 or -EINVAL. */
static int take_dynamic(const struct format *format, const struct record_field *field, char *copy, const char *raw, size_t size)
{
	struct record_texts texts = record__texts(format, field->field);

	for (unsigned int i = 0; i < texts.count; i++) {
		uint32_t loc;
		size_t start, length;

		memcpy(&loc, raw + field->field->offset + i * sizeof(loc), sizeof(loc));
		start = (loc & 0xffff) + (field->field->loc == FORMAT_REL_LOC ? field->field->offset + sizeof(loc) : 0);
		length = loc >> 16;
		if (start + length > size)
			return -EINVAL;
		memcpy(copy + field->room + i * texts.room, raw + start, length < texts.max ? length : texts.max);
	}
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
		if (field->room && take_dynamic(record->format, field, to, from, size))
			return -EINVAL;
	}
	return 0;
}

/* length: of the whole text; max: bytes of it that are there. */
static struct record_value part_of(const char *bytes, size_t length, size_t max)
{
	bool is_all = length <= max;

	return (struct record_value){ .bytes = bytes, .size = is_all ? length : max, .more = is_all ? 0 : length - max };
}

/* A text behind its status. */
static struct record_value text_value(const char *bytes, size_t max)
{
	int64_t status;

	memcpy(&status, bytes, sizeof(status));
	if (status < 0)
		return (struct record_value){ .bytes = NULL };
	return part_of(bytes + 8, status ? (size_t)status - 1 : 0, max);
}

/* What a u32 of the context has the length of. */
static struct record_value dynamic_value(const char *loc_at, const char *bytes, size_t max)
{
	uint32_t loc;

	memcpy(&loc, loc_at, sizeof(loc));
	return part_of(bytes, loc >> 16, max);
}

static struct record_value argument_value(const struct record_field *field, const char *bytes)
{
	unsigned int size = field->number.size;
	int64_t status;

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
	if (field->field->is_array)
		size = field->field->size;
	return size ? (struct record_value){ .bytes = bytes, .size = size } : text_value(bytes - 8, RECORD_DYNAMIC_MAX);
}

struct record_value record__value(const struct record *record, const struct record_field *field, const void *copy)
{
	const char *bytes = copy;

	if (record->format->is_arguments)
		return argument_value(field, bytes + field->room);
	if (!field->room)
		return (struct record_value){ .bytes = bytes + field->number.offset, .size = ctx_size(field) };
	return dynamic_value(bytes + field->number.offset, bytes + field->room, RECORD_DYNAMIC_MAX);
}

struct record_value record__text(const struct record *record, const struct record_field *field, const void *copy, unsigned int index)
{
	struct record_texts texts = record__texts(record->format, field->field);
	const char *bytes = (const char *)copy + field->room + (size_t)index * texts.room;

	if (record->format->is_arguments)
		return text_value(bytes, texts.max);
	return dynamic_value((const char *)copy + field->number.offset + index * sizeof(uint32_t), bytes, texts.max);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "key.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CTX BPF_REG_6
#define MEMORY BPF_REG_7
#define ID BPF_REG_8
#define FAULTED BPF_REG_9

#define SLOT -8	/* of the function's stack */

/* A value of the task, which no format tells about. */
static int make_task_shown(struct shown *shown, const struct operand *operand, const char *name)
{
	*shown = (struct shown){ .kind = operand->kind == OPERAND_COMM ? SHOWN_TEXT : SHOWN_NUMBER, .key = strdup(name), .size = 4 };
	return shown->key ? 0 : -ENOMEM;
}

/* Bytes that the value takes. */
static unsigned int room_of(const struct operand *operand)
{
	switch (operand->kind) {
	case OPERAND_ARRAY:
		return (operand->field->array_len + 1 + 7) / 8 * 8;
	case OPERAND_DYNAMIC:
		return 8 + KEY_TEXT_MAX;
	case OPERAND_POINTER:
		return 8 + KEY_TEXT_MAX + 8;
	case OPERAND_COMM:
		return OPERAND_COMM_SIZE;
	default:
		return operand__may_fault(operand) ? 16 : 8;
	}
}

static int add(struct key *key, const struct format *format, const char *name, struct fault *fault)
{
	struct key_part *part = &key->parts[key->count];
	int err = operand__find(&part->operand, format, name, fault);

	if (err)
		return err;
	part->offset = key->size;
	part->size = room_of(&part->operand);
	if (part->size > KEY_SIZE_MAX - key->size)
		return fault__set(fault, -EINVAL, "%s:%s: the values to count by take more than %d bytes (name fewer)",
				  format->system, format->name, KEY_SIZE_MAX - KEY_VALUES);
	if (part->operand.field)
		err = shown__make(&part->shown, format, part->operand.field,
				  part->operand.kind == OPERAND_NUMBER ? part->operand.number.size : 0, part->operand.number.is_signed);
	else
		err = make_task_shown(&part->shown, &part->operand, name);
	if (err)
		return fault__set(fault, err, "no memory");
	key->size += part->size;
	key->count++;
	return 0;
}

int key__plan(struct key *key, const struct format *format, const char *const *names, size_t count, struct fault *fault)
{
	int err = 0;

	*key = (struct key){ .size = KEY_VALUES };
	if (count > KEY_PARTS_MAX)
		return fault__set(fault, -EINVAL, "more than %d values to count by", KEY_PARTS_MAX);
	key->parts = calloc(count + 1, sizeof(*key->parts));
	if (!key->parts)
		return fault__set(fault, -ENOMEM, "no memory");
	for (size_t i = 0; i < count && !err; i++)
		err = add(key, format, names[i], fault);
	if (err)
		key__free(key);
	return err;
}

void key__free(struct key *key)
{
	for (size_t i = 0; i < key->count; i++)
		shown__free(&key->parts[i].shown);
	free(key->parts);
	*key = (struct key){};
}

static void put_zeros(struct emit *emit, unsigned int offset, unsigned int size)
{
	emit__set(emit, BPF_REG_0, 0);
	for (unsigned int end = offset + size; offset < end; offset += 8)
		emit__store(emit, MEMORY, (int)offset, BPF_REG_0, 8);
}

/* The word before a dynamic text: by how many bytes it is too long. */
static void put_excess(struct emit *emit, const struct key_part *part)
{
	emit_label is_longer = emit__label(emit);

	emit__load(emit, BPF_REG_0, CTX, part->operand.number.offset, 4);
	emit__alu(emit, BPF_RSH, BPF_REG_0, 16);
	emit__jump(emit, BPF_JGT, BPF_REG_0, KEY_TEXT_MAX, is_longer);
	emit__set(emit, BPF_REG_0, KEY_TEXT_MAX);
	emit__place(emit, is_longer);
	emit__alu(emit, BPF_ADD, BPF_REG_0, -KEY_TEXT_MAX);
	emit__store(emit, MEMORY, (int)part->offset, BPF_REG_0, 8);
}

/* size: the helper writes as many bytes at most, the last of them a 0 byte. */
static void put_text(struct emit *emit, const struct key_part *part, unsigned int offset, unsigned int size,
		     const struct operand_frame *frame)
{
	if (part->operand.kind == OPERAND_COMM) {
		emit__copy(emit, BPF_REG_1, MEMORY);
		emit__alu(emit, BPF_ADD, BPF_REG_1, (int32_t)offset);
		emit__set(emit, BPF_REG_2, size);
		emit__call(emit, BPF_FUNC_get_current_comm);
		return;
	}
	put_zeros(emit, offset, (size + 7) / 8 * 8);
	operand__point(emit, &part->operand, frame);
	emit__copy(emit, BPF_REG_1, MEMORY);
	emit__alu(emit, BPF_ADD, BPF_REG_1, (int32_t)offset);
	emit__set(emit, BPF_REG_2, size);
	operand__read(emit, &part->operand, true);
}

/* The text behind a word with its length, or -errno.  The byte behind the longest one that is kept tells the helper of a longer one. */
static void put_far_text(struct emit *emit, const struct key_part *part, struct operand_frame frame)
{
	emit_label is_read = emit__label(emit);
	int text = (int)part->offset + 8;

	frame.fault = emit__label(emit);
	put_text(emit, part, (unsigned int)text, KEY_TEXT_MAX + 1, &frame);
	emit__set(emit, BPF_REG_1, 0);
	emit__store(emit, MEMORY, text + KEY_TEXT_MAX - 1, BPF_REG_1, 1);
	emit__place(emit, frame.fault);
	emit__store(emit, MEMORY, (int)part->offset, BPF_REG_0, 8);
	emit__jump(emit, BPF_JSGE, BPF_REG_0, 0, is_read);
	emit__set(emit, FAULTED, 1);
	emit__place(emit, is_read);
}

/* A number in memory, and a word behind it: 0 or -errno. */
static void put_far_number(struct emit *emit, const struct key_part *part, struct operand_frame frame)
{
	emit_label done = emit__label(emit);

	frame.fault = emit__label(emit);
	operand__load(emit, BPF_REG_0, &part->operand, &frame);
	emit__store(emit, MEMORY, (int)part->offset, BPF_REG_0, 8);
	emit__set(emit, BPF_REG_0, 0);
	emit__go(emit, done);
	emit__place(emit, frame.fault);
	emit__set(emit, FAULTED, 1);
	emit__set(emit, BPF_REG_1, 0);
	emit__store(emit, MEMORY, (int)part->offset, BPF_REG_1, 8);
	emit__place(emit, done);
	emit__store(emit, MEMORY, (int)part->offset + 8, BPF_REG_0, 8);
}

static void put_part(struct emit *emit, const struct key_part *part)
{
	const struct operand_frame frame = { .ctx = CTX, .id = ID, .slot = SLOT };
	unsigned int own = room_of(&part->operand);

	/* a key that is compared with another one may have more room (key_pair.h) */
	if (part->size > own)
		put_zeros(emit, part->offset + own, part->size - own);

	switch (part->operand.kind) {
	case OPERAND_ARRAY:
		/* an array may be full and have no 0 byte: the helper needs room for one */
		put_text(emit, part, part->offset, part->operand.field->array_len + 1, &frame);
		return;
	case OPERAND_DYNAMIC:
		put_excess(emit, part);
		put_text(emit, part, part->offset + 8, KEY_TEXT_MAX, &frame);
		return;
	case OPERAND_COMM:
		put_text(emit, part, part->offset, OPERAND_COMM_SIZE, &frame);
		return;
	case OPERAND_POINTER:
		put_far_text(emit, part, frame);
		return;
	default:
		if (operand__may_fault(&part->operand)) {
			put_far_number(emit, part, frame);
			return;
		}
		operand__load(emit, BPF_REG_0, &part->operand, &frame);
		emit__store(emit, MEMORY, (int)part->offset, BPF_REG_0, 8);
	}
}

int key__emit(struct emit *emit, const struct key *key)
{
	bool may_fault = false;

	for (size_t i = 0; i < key->count; i++)
		may_fault |= operand__may_fault(&key->parts[i].operand);
	emit__copy(emit, CTX, BPF_REG_1);
	emit__copy(emit, MEMORY, BPF_REG_2);
	emit__load(emit, ID, MEMORY, 0, 8);
	if (may_fault)
		emit__set(emit, FAULTED, 0);
	for (size_t i = 0; i < key->count; i++)
		put_part(emit, &key->parts[i]);
	if (may_fault) {
		emit__copy(emit, BPF_REG_0, FAULTED);
		emit__insn(emit, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	} else {
		emit__return(emit, 0);
	}
	return emit__finish(emit);
}

struct record_value key__value(const struct key_part *part, const void *key)
{
	const char *bytes = (const char *)key + part->offset - KEY_START;
	uint64_t excess;
	int64_t status;

	switch (part->operand.kind) {
	case OPERAND_POINTER:
		memcpy(&status, bytes, sizeof(status));
		if (status < 0)
			return (struct record_value){ .bytes = NULL };
		return (struct record_value){ .bytes = bytes + 8, .size = KEY_TEXT_MAX, .more = status > KEY_TEXT_MAX };
	case OPERAND_ARRAY:
		return (struct record_value){ .bytes = bytes, .size = part->operand.field->array_len };
	case OPERAND_COMM:
		return (struct record_value){ .bytes = bytes, .size = OPERAND_COMM_SIZE };
	case OPERAND_DYNAMIC:
		memcpy(&excess, bytes, sizeof(excess));
		return (struct record_value){ .bytes = bytes + 8, .size = KEY_TEXT_MAX, .more = excess };
	default:
		memcpy(&status, bytes + (operand__may_fault(&part->operand) ? 8 : 0), sizeof(status));
		if (operand__may_fault(&part->operand) && status < 0)
			return (struct record_value){ .bytes = NULL };
		/* the lower bytes of the word */
		if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			bytes += 8 - part->shown.size;
		return (struct record_value){ .bytes = bytes, .size = part->shown.size };
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "touch.h"

#include "record.h"

#define CTX BPF_REG_6
#define ADDRESS BPF_REG_7
#define POINTERS BPF_REG_8
#define SLOT -8		/* of the function's stack */
#define PAGE 4096	/* the smallest there is: more than is needed of larger ones */

bool touch__has_texts(const struct format *format)
{
	for (unsigned i = 0; i < format->fields_count; i++)
		if (format->fields[i].loc == FORMAT_POINTER)
			return true;
	return false;
}

static void put_read(struct emit *emit, int helper)
{
	emit__copy(emit, BPF_REG_1, BPF_REG_10);
	emit__alu(emit, BPF_ADD, BPF_REG_1, SLOT);
	emit__set(emit, BPF_REG_2, 1);
	emit__copy(emit, BPF_REG_3, ADDRESS);
	emit__call(emit, helper);
}

/* Has the page of the address in memory.  Mostly it is: asking is cheaper than having it fetched. */
static void put_touch(struct emit *emit)
{
	emit_label is_there = emit__label(emit);

	put_read(emit, BPF_FUNC_probe_read_user);
	emit__jump(emit, BPF_JEQ, BPF_REG_0, 0, is_there);
	put_read(emit, BPF_FUNC_copy_from_user);
	emit__place(emit, is_there);
}

/* What a text, or pointers, may take from the address on: the page that it is in, and where it may end the next one. */
static void put_touch_both(struct emit *emit)
{
	emit_label ends = emit__label(emit);

	put_touch(emit);
	emit__copy(emit, BPF_REG_1, ADDRESS);
	emit__alu(emit, BPF_AND, BPF_REG_1, PAGE - 1);
	emit__jump(emit, BPF_JLE, BPF_REG_1, PAGE - RECORD_DYNAMIC_MAX - 2, ends);
	emit__alu(emit, BPF_OR, ADDRESS, PAGE - 1);
	emit__alu(emit, BPF_ADD, ADDRESS, 1);
	put_touch(emit);
	emit__place(emit, ends);
}

/* The texts that an array's pointers lead to, which are at ADDRESS. */
static void put_touch_texts(struct emit *emit, unsigned int count)
{
	emit__copy(emit, POINTERS, ADDRESS);
	put_touch_both(emit);
	for (unsigned int i = 0; i < count; i++) {
		emit_label unread = emit__label(emit);

		emit__copy(emit, BPF_REG_1, BPF_REG_10);
		emit__alu(emit, BPF_ADD, BPF_REG_1, SLOT);
		emit__set(emit, BPF_REG_2, 8);
		emit__copy(emit, BPF_REG_3, POINTERS);
		emit__alu(emit, BPF_ADD, BPF_REG_3, (int32_t)(8 * i));
		emit__call(emit, BPF_FUNC_probe_read_user);
		emit__jump(emit, BPF_JNE, BPF_REG_0, 0, unread);
		emit__load(emit, ADDRESS, BPF_REG_10, SLOT, 8);
		put_touch_both(emit);
		emit__place(emit, unread);
	}
}

int touch__emit(struct emit *emit, const struct format *format)
{
	emit__copy(emit, CTX, BPF_REG_1);
	for (unsigned i = 0; i < format->fields_count; i++) {
		const struct format_field *field = &format->fields[i];

		if (field->loc != FORMAT_POINTER)
			continue;
		emit__load(emit, ADDRESS, CTX, (int)field->offset, 8);
		if (format_field__has_texts(field))
			put_touch_texts(emit, field->array_len);
		else
			put_touch_both(emit);
	}
	emit__return(emit, 0);
	return emit__finish(emit);
}

int touch__emit_nothing(struct emit *emit)
{
	emit__return(emit, 0);
	return emit__finish(emit);
}

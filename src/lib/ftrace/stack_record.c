/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack_record.h"

#include <string.h>

#include "lib/kernel/unaligned.h"
#include "record_fields.h"

/* The tracer's own frames at most: one or two on 6.1 to 7.2. */
#define OWN_FRAMES_MAX 6

/*
 * Bytes from the address that a call's record has to where the function goes on after the tracer: one instruction, and on some
 * architectures more of those that the compiler has put there (arm64, riscv).
 */
#define HOOK_MAX 16

int stack_layout__read(struct stack_layout *layout)
{
	const struct record_field fields[] = {
		{ "size", sizeof(int32_t), &layout->count },
		{ "caller", 0, &layout->frames },
		{ "common_flags", sizeof(uint8_t), &layout->flags },
		{ "common_preempt_count", sizeof(uint8_t), &layout->preempt_count },
		{ "common_pid", sizeof(int32_t), &layout->tid },
		{ NULL, 0, NULL },
	};

	return record_fields__find("kernel_stack", fields, &layout->type, &layout->size_min);
}

struct record_context record_context__of(const struct stack_layout *layout, const struct page_record *record)
{
	/* the last one of the three */
	if (record->size < layout->tid + sizeof(uint32_t))
		return (struct record_context){ .tid = 0 };
	return (struct record_context){
		.tid = read_u32(record->data + layout->tid),
		.flags = record->data[layout->flags],
		.preempt_count = record->data[layout->preempt_count],
	};
}

bool record_context__is_same(const struct record_context *one, const struct record_context *other)
{
	return one->tid == other->tid && one->flags == other->flags && one->preempt_count == other->preempt_count;
}

static uint64_t frame_at(const struct stack_layout *layout, const struct page_record *record, size_t index)
{
	return read_u64(record->data + layout->frames + index * sizeof(uint64_t));
}

size_t stack_record__frames(const struct stack_layout *layout, const struct page_record *record, uint64_t function, uint64_t *frames,
			    size_t most)
{
	size_t room, count, own = 0;

	if (record->size < layout->size_min)
		return 0;
	room = (record->size - layout->frames) / sizeof(uint64_t);
	count = read_u32(record->data + layout->count);
	if (count > room)
		count = room;
	/* in the function; unsigned: an address below it is far away */
	while (own < count && own <= OWN_FRAMES_MAX && frame_at(layout, record, own) - function > HOOK_MAX)
		own++;
	if (own == count || own > OWN_FRAMES_MAX)
		return 0;
	count -= own;
	if (count > most)
		count = most;
	for (size_t i = 0; i < count; i++)
		frames[i] = frame_at(layout, record, own + i);
	return count;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph_record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/format.h"
#include "lib/kernel/unaligned.h"
#include "record_fields.h"
#include "record_state.h"

/* The common fields have been in these places since 2.6.31; struct trace_entry in include/linux/trace_events.h. */
#define COMMON_FLAGS 2
#define COMMON_PID 4
#define COMMON_SIZE 8

/* enum trace_flag_type there */
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10
#define FLAG_NMI 0x40

/* A field that is wanted. */
struct wanted {
	const char *name;
	struct graph_field *field;
	uint32_t size_min;	/* bytes: 4 where the lower half of a number of 8 is enough */
	bool optional;
};

/* 0, or -EINVAL where one that must be there is not, or does not have 8 bytes or size_min. */
static int find_fields(const struct format *format, const struct wanted *wanted, size_t count, uint32_t *size_min)
{
	*size_min = COMMON_SIZE;
	for (size_t i = 0; i < count; i++) {
		const struct format_field *field = format__field(format, wanted[i].name);

		*wanted[i].field = (struct graph_field){ 0, 0 };
		if (!field && wanted[i].optional)
			continue;
		if (!field || (field->size != 8 && field->size != wanted[i].size_min))
			return -EINVAL;
		*wanted[i].field = (struct graph_field){ field->offset, field->size };
		if (*size_min < field->offset + field->size)
			*size_min = field->offset + field->size;
	}
	return 0;
}

static int read_entry(struct graph_entry_layout *entry, const char *name)
{
	const struct wanted wanted[] = { { "func", &entry->function, 8, false }, { "depth", &entry->depth, 4, false } };
	const struct format_field *args;
	struct format *format;
	int err = record_fields__read(name, &format);

	*entry = (struct graph_entry_layout){ .type = 0 };
	if (err)
		return err;
	err = find_fields(format, wanted, sizeof(wanted) / sizeof(*wanted), &entry->size_min);
	args = format__field(format, "args");
	if (!err) {
		entry->type = (uint16_t)format->id;
		entry->args = args && args->offset >= entry->size_min ? args->offset : 0;
	}
	format__free(format);
	return err;
}

static int read_exit(struct graph_layout *layout)
{
	const struct wanted wanted[] = {
		{ "func", &layout->function, 8, false }, { "depth", &layout->depth, 4, false }, { "overrun", &layout->overrun, 4, false },
		{ "calltime", &layout->begin, 8, false }, { "rettime", &layout->end, 8, false }, { "retval", &layout->result, 8, true },
	};
	struct format *format;
	int err = record_fields__read("funcgraph_exit", &format);

	if (err)
		return err;
	err = find_fields(format, wanted, sizeof(wanted) / sizeof(*wanted), &layout->exit_size_min);
	layout->exit_type = (uint16_t)format->id;
	format__free(format);
	return err;
}

int graph_layout__read(struct graph_layout *layout)
{
	int err;

	*layout = (struct graph_layout){ .exit_type = 0 };
	err = read_entry(&layout->entry, "funcgraph_entry");
	if (!err)
		err = read_exit(layout);
	if (!err && read_entry(&layout->retaddr, "fgraph_retaddr_entry"))
		layout->retaddr.type = 0;
	return err;
}

/* A number of 4 bytes, or the lower half of one of 8, which comes first (x86-64 and arm64 are little-endian). */
static uint32_t narrow(const uint8_t *data, struct graph_field field)
{
	return read_u32(data + field.offset);
}

static uint64_t wide(const uint8_t *data, struct graph_field field)
{
	return read_u64(data + field.offset);
}

static enum graph_context context_of(uint8_t flags)
{
	if (!(flags & (FLAG_NMI | FLAG_HARDIRQ | FLAG_SOFTIRQ)))
		return GRAPH_TASK;
	return flags & FLAG_NMI ? GRAPH_NMI : flags & FLAG_HARDIRQ ? GRAPH_HARDIRQ : GRAPH_SOFTIRQ;
}

static void decode_entry(const struct graph_entry_layout *layout, const struct page_record *from, struct graph_record *record)
{
	record->kind = GRAPH_ENTRY;
	record->function = wide(from->data, layout->function);
	record->depth = narrow(from->data, layout->depth);
	record->args_count = layout->args ? page_record__args(from, layout->args, record->args) : 0;
}

static void decode_exit(const struct graph_layout *layout, const struct page_record *from, struct graph_record *record)
{
	uint64_t begin = wide(from->data, layout->begin), end = wide(from->data, layout->end);

	record->kind = GRAPH_EXIT;
	record->function = wide(from->data, layout->function);
	record->depth = narrow(from->data, layout->depth);
	/* its clock is a CPU's own, and may be a little behind on another CPU */
	record->ns = end > begin ? end - begin : 0;
	record->overrun = narrow(from->data, layout->overrun);
	record->has_result = layout->result.size != 0;
	record->result = record->has_result ? wide(from->data, layout->result) : 0;
}

/* The layout of an entry of this type and size; NULL: it is none. */
static inline const struct graph_entry_layout *entry_layout(const struct graph_layout *layout, const struct page_record *from)
{
	if (from->type == layout->entry.type)
		return from->size >= layout->entry.size_min ? &layout->entry : NULL;
	return layout->retaddr.type && from->type == layout->retaddr.type && from->size >= layout->retaddr.size_min ?
	       &layout->retaddr : NULL;
}

enum graph_kind graph_record__decode(const struct graph_layout *layout, const struct page_record *from, struct graph_record *record)
{
	if (from->type == layout->exit_type && from->size >= layout->exit_size_min) {
		decode_exit(layout, from, record);
	} else {
		const struct graph_entry_layout *entry = entry_layout(layout, from);

		if (!entry) {
			record->kind = GRAPH_OTHER;
			return GRAPH_OTHER;
		}
		decode_entry(entry, from, record);
	}
	record->time_ns = from->time;
	memcpy(&record->tid, from->data + COMMON_PID, sizeof(record->tid));
	record->context = context_of(from->data[COMMON_FLAGS]);
	record->state = record_state__of(from->data);
	return record->kind;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph_record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/tracefs.h"
#include "lib/layout/format.h"

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
	bool optional;
};

/* 0, or -EINVAL where one that must be there is not, or is no number of 4 or 8 bytes. */
static int find_fields(const struct format *format, const struct wanted *wanted, size_t count, uint32_t *size_min)
{
	*size_min = COMMON_SIZE;
	for (size_t i = 0; i < count; i++) {
		const struct format_field *field = format__field(format, wanted[i].name);

		*wanted[i].field = (struct graph_field){ 0, 0 };
		if (!field && wanted[i].optional)
			continue;
		if (!field || (field->size != 4 && field->size != 8))
			return -EINVAL;
		*wanted[i].field = (struct graph_field){ field->offset, field->size };
		if (*size_min < field->offset + field->size)
			*size_min = field->offset + field->size;
	}
	return 0;
}

/* 0 and the format, for format__free(), or -errno. */
static int read_format(const char *name, struct format **format)
{
	struct format_error error;
	char path[128], *text;
	size_t size;
	int err;

	snprintf(path, sizeof(path), "events/ftrace/%s/format", name);
	err = tracefs__read(path, FORMAT_SIZE_MAX, &text, &size);
	if (err)
		return err;
	err = format__parse(format, "ftrace", text, size, &error);
	free(text);
	if (!err && (!(*format)->id || (*format)->id > UINT16_MAX)) {
		format__free(*format);
		err = -EINVAL;
	}
	return err;
}

static int read_entry(struct graph_entry_layout *entry, const char *name)
{
	const struct wanted wanted[] = { { "func", &entry->function, false }, { "depth", &entry->depth, false } };
	const struct format_field *args;
	struct format *format;
	int err = read_format(name, &format);

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
		{ "func", &layout->function, false }, { "depth", &layout->depth, false }, { "overrun", &layout->overrun, false },
		{ "calltime", &layout->begin, false }, { "rettime", &layout->end, false }, { "retval", &layout->result, true },
	};
	struct format *format;
	int err = read_format("funcgraph_exit", &format);

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

static uint64_t number(const uint8_t *data, struct graph_field field)
{
	uint64_t wide = 0;
	uint32_t narrow = 0;

	if (field.size == sizeof(wide)) {
		memcpy(&wide, data + field.offset, sizeof(wide));
		return wide;
	}
	if (field.size == sizeof(narrow))
		memcpy(&narrow, data + field.offset, sizeof(narrow));
	return narrow;
}

static enum graph_context context_of(uint8_t flags)
{
	return flags & FLAG_NMI ? GRAPH_NMI : flags & FLAG_HARDIRQ ? GRAPH_HARDIRQ : flags & FLAG_SOFTIRQ ? GRAPH_SOFTIRQ : GRAPH_TASK;
}

static void decode_entry(const struct graph_entry_layout *layout, const struct page_record *from, struct graph_record *record)
{
	record->kind = GRAPH_ENTRY;
	record->function = number(from->data, layout->function);
	record->depth = (uint32_t)number(from->data, layout->depth);
	record->args_count = 0;
	/* a record without them may be a few bytes longer than its fields: all of them, or none */
	if (layout->args && from->size >= layout->args + sizeof(record->args)) {
		memcpy(record->args, from->data + layout->args, sizeof(record->args));
		record->args_count = GRAPH_ARGS_MAX;
	}
}

static void decode_exit(const struct graph_layout *layout, const struct page_record *from, struct graph_record *record)
{
	uint64_t begin = number(from->data, layout->begin), end = number(from->data, layout->end);

	record->kind = GRAPH_EXIT;
	record->function = number(from->data, layout->function);
	record->depth = (uint32_t)number(from->data, layout->depth);
	/* its clock is a CPU's own, and may be a little behind on another CPU */
	record->ns = end > begin ? end - begin : 0;
	record->overrun = number(from->data, layout->overrun);
	record->has_result = layout->result.size != 0;
	record->result = number(from->data, layout->result);
}

enum graph_kind graph_record__decode(const struct graph_layout *layout, const struct page_record *from, struct graph_record *record)
{
	record->kind = GRAPH_OTHER;
	if (!from->type)
		return GRAPH_OTHER;
	if (from->type == layout->entry.type && from->size >= layout->entry.size_min)
		decode_entry(&layout->entry, from, record);
	else if (from->type == layout->exit_type && from->size >= layout->exit_size_min)
		decode_exit(layout, from, record);
	else if (from->type == layout->retaddr.type && from->size >= layout->retaddr.size_min)
		decode_entry(&layout->retaddr, from, record);
	else
		return GRAPH_OTHER;
	memcpy(&record->tid, from->data + COMMON_PID, sizeof(record->tid));
	record->context = context_of(from->data[COMMON_FLAGS]);
	return record->kind;
}

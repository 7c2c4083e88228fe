/* SPDX-License-Identifier: BSD-2-Clause */
#include "made_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *put(char **to, const char *text)
{
	char *start = *to;

	*to = stpcpy(start, text) + 1;
	return start;
}

static bool ends_in_star(const char *type)
{
	return *type && type[strlen(type) - 1] == '*';
}

/* The name and the type stand twice: in the declaration too. */
static size_t strings_of(const struct made_format *from)
{
	size_t size = strlen(from->system) + strlen(from->name) + strlen(from->print_fmt) + 3 + (from->note ? strlen(from->note) + 1 : 0);

	for (size_t i = 0; i < from->count; i++)
		size += 2 * (strlen(from->fields[i].name) + strlen(from->fields[i].type)) + 16;
	return size;
}

static void fill_field(struct format_field *to, const struct made_field *from, const struct format_hops *hops, char **strings)
{
	*to = (struct format_field){
		.offset = from->offset, .size = from->size ? from->size : 8, .elem_size = from->size ? from->size : 1,
		.loc = from->size ? FORMAT_PLAIN : FORMAT_POINTER, .is_signed = from->is_signed, .is_hex = from->is_hex,
		.is_octal = from->is_octal, .is_char = from->is_char, .is_symbol = from->is_symbol, .is_place = from->is_place,
		.is_extra = from->is_extra, .meaning = from->meaning,
		.hops = from->hops.count || from->hops.base != FORMAT_CONTEXT ? hops : NULL,
	};
	if (from->array_len) {
		to->is_array = true;
		to->array_len = from->array_len;
		to->size *= from->array_len;
	}
	to->name = put(strings, from->name);
	to->type = put(strings, from->size ? from->type : "char");
	to->decl = *strings;
	*strings += sprintf(*strings, "%s", from->type);
	if (from->array_len)
		*strings += sprintf(*strings, "[%u]", from->array_len);
	*strings += sprintf(*strings, "%s%s", ends_in_star(from->type) ? "" : " ", from->name) + 1;
}

/* One block, as format__free() expects it: the format, its fields, their hops, and all strings. */
int made_format__pack(struct format **to_format, const struct made_format *from)
{
	struct format_field *fields;
	struct format_hops *hops;
	struct format *format;
	char *to;

	*to_format = format = calloc(1, sizeof(*format) + from->count * (sizeof(*fields) + sizeof(*hops)) + strings_of(from));
	if (!format)
		return -ENOMEM;
	fields = (struct format_field *)(format + 1);
	hops = (struct format_hops *)(fields + from->count);
	to = (char *)(hops + from->count);
	format->is_arguments = true;
	format->system = put(&to, from->system);
	format->name = put(&to, from->name);
	format->print_fmt = put(&to, from->print_fmt);
	format->note = from->note ? put(&to, from->note) : NULL;
	format->fields = fields;
	format->fields_count = (unsigned)from->count;
	for (size_t i = 0; i < from->count; i++) {
		hops[i] = from->fields[i].hops;
		fill_field(&fields[i], &from->fields[i], &hops[i], &to);
	}
	return 0;
}

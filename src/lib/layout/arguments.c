/* SPDX-License-Identifier: BSD-2-Clause */
#include "arguments.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/text_buffer.h"
#include "member.h"

#define TYPE_MAX 256
#define PRINT_FMT_MAX (256 * 1024)

/* A field while the format is put together. */
struct made_field {
	char *name;
	char type[TYPE_MAX];
	unsigned offset;
	struct member_type kind;
	struct format_hops hops;	/* count 0: none */
	bool is_hex;
};

struct maker {
	struct rawbtf *raw;
	const struct arguments *arguments;
	struct made_field *fields;
	size_t count;
	struct text_buffer print_fmt;
	char *why;
	size_t size;
};

bool arguments__is_member(const char *name)
{
	return strpbrk(name, ">.[");
}

/* ---- the fields */

/* The names of the enum's values, as the kernel's own events have them. */
static void add_names(struct maker *maker, const char *field, __u32 id)
{
	const struct btf_type *type = rawbtf__type(maker->raw, id);
	const struct btf_enum *values = (const struct btf_enum *)(type + 1);
	/* of an enum of 64 bits: the name, and the halves of the number */
	const __u32 *wide = (const __u32 *)(type + 1);
	bool is_wide = BTF_INFO_KIND(type->info) == BTF_KIND_ENUM64;

	text_buffer__add(&maker->print_fmt, ", __print_symbolic(REC->%s", field);
	for (unsigned i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		int64_t value = is_wide ? (int64_t)((uint64_t)wide[3 * i + 2] << 32 | wide[3 * i + 1]) : values[i].val;

		text_buffer__add(&maker->print_fmt, ", { %lld, \"%s\" }", (long long)value,
				 rawbtf__string(maker->raw, is_wide ? wide[3 * i] : values[i].name_off));
	}
	text_buffer__add(&maker->print_fmt, ")");
}

/* Adds the field, whose name is taken over. */
static int add(struct maker *maker, char *name, __u32 id, const struct made_field *from)
{
	struct made_field *to = &maker->fields[maker->count];

	if (!name)
		return -ENOMEM;
	*to = *from;
	to->name = name;
	member__type_name(maker->raw, id, to->type, sizeof(to->type));
	if (to->kind.enum_id)
		add_names(maker, name, to->kind.enum_id);
	maker->count++;
	return 0;
}

/* The parameters; those that are no values (a struct) have no field. */
static const struct btf_param *params_of(const struct maker *maker, unsigned *count)
{
	const struct btf_type *type = maker->arguments->prototype ? rawbtf__type(maker->raw, maker->arguments->prototype) : NULL;
	unsigned all = type && BTF_INFO_KIND(type->info) == BTF_KIND_FUNC_PROTO ? BTF_INFO_VLEN(type->info) : 0;

	*count = all > maker->arguments->first ? all - maker->arguments->first : 0;
	if (*count > maker->arguments->places_count)
		*count = maker->arguments->places_count;
	return *count ? (const struct btf_param *)(type + 1) + maker->arguments->first : NULL;
}

static char *name_of(const struct maker *maker, const struct btf_param *param, unsigned index)
{
	const char *own = rawbtf__string(maker->raw, param->name_off);
	char *name = NULL;

	if (*own)
		return strdup(own);
	return asprintf(&name, "arg%u", index) < 0 ? NULL : name;
}

static int add_arguments(struct maker *maker)
{
	unsigned count;
	const struct btf_param *params = params_of(maker, &count);
	int err = 0;

	for (unsigned i = 0; i < count && !err; i++) {
		struct made_field field = { .offset = (unsigned)maker->arguments->places[i] };

		if (!member__type_of(maker->raw, params[i].type, &field.kind))
			continue;
		/* a text is where the argument points to */
		field.hops.count = !field.kind.size;
		err = add(maker, name_of(maker, &params[i], i), params[i].type, &field);
	}
	return err;
}

static struct made_field *find(const struct maker *maker, const char *name)
{
	for (size_t i = 0; i < maker->count; i++)
		if (!strcmp(maker->fields[i].name, name))
			return &maker->fields[i];
	return NULL;
}

/* Follows a member from the argument of its first name; one whose argument is not there is left out, and missed by who asks for it. */
static int add_member(struct maker *maker, const char *name)
{
	const char *path = name + strcspn(name, "->.[");
	struct made_field field = {};
	const struct btf_param *params;
	unsigned count;
	int err;

	if (find(maker, name))
		return 0;
	params = params_of(maker, &count);
	for (unsigned i = 0; i < count; i++) {
		__u32 id = params[i].type;
		char *own = name_of(maker, &params[i], i), reason[256];
		bool is_it = own && strlen(own) == (size_t)(path - name) && !strncmp(own, name, (size_t)(path - name));

		free(own);
		if (!is_it)
			continue;
		field.offset = (unsigned)maker->arguments->places[i];
		err = member__follow(maker->raw, &id, path, &field.hops, &field.kind, reason, sizeof(reason));
		if (err) {
			snprintf(maker->why, maker->size, "%s:%s: %s: %s", maker->arguments->system, maker->arguments->name, name, reason);
			return err;
		}
		return add(maker, strdup(name), id, &field);
	}
	return 0;
}

/* ---- the format */

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

/* One block, as format__free() expects it: the format, its fields, their hops, and all strings. */
static struct format *pack(const struct maker *maker, const char *print_fmt)
{
	size_t strings = strlen(maker->arguments->system) + strlen(maker->arguments->name) + strlen(print_fmt) + 3;
	struct format_field *fields;
	struct format_hops *hops;
	struct format *format;
	char *to;

	for (size_t i = 0; i < maker->count; i++)
		strings += 2 * (strlen(maker->fields[i].name) + strlen(maker->fields[i].type)) + 8;
	format = calloc(1, sizeof(*format) + maker->count * (sizeof(*fields) + sizeof(*hops)) + strings);
	if (!format)
		return NULL;
	fields = (struct format_field *)(format + 1);
	hops = (struct format_hops *)(fields + maker->count);
	to = (char *)(hops + maker->count);
	format->is_arguments = true;
	format->system = put(&to, maker->arguments->system);
	format->name = put(&to, maker->arguments->name);
	format->print_fmt = put(&to, print_fmt);
	format->fields = fields;
	format->fields_count = (unsigned)maker->count;
	for (size_t i = 0; i < maker->count; i++) {
		const struct made_field *from = &maker->fields[i];
		const struct member_type *kind = &from->kind;

		hops[i] = from->hops;
		fields[i] = (struct format_field){
			.name = put(&to, from->name), .type = put(&to, kind->size ? from->type : "char"),
			.offset = from->offset, .size = kind->size ? kind->size : 8, .elem_size = kind->size ? kind->size : 1,
			.loc = kind->size ? FORMAT_PLAIN : FORMAT_POINTER, .is_signed = kind->is_signed, .is_hex = from->is_hex,
			.hops = from->hops.count ? &hops[i] : NULL,
		};
		fields[i].decl = to;
		to += sprintf(to, "%s%s%s", from->type, ends_in_star(from->type) ? "" : " ", from->name) + 1;
	}
	return format;
}

int arguments__format(struct rawbtf *raw, const struct arguments *arguments, const char *const *members, size_t count,
		      struct format **format, char *why, size_t size)
{
	struct maker maker = { .raw = raw, .arguments = arguments, .why = why, .size = size,
			       .print_fmt = text_buffer__growing(PRINT_FMT_MAX) };
	char *print_fmt;
	int err;

	*format = NULL;
	snprintf(why, size, "no memory");
	text_buffer__add(&maker.print_fmt, "\"\"");
	maker.fields = calloc(arguments->places_count + count + 1, sizeof(*maker.fields));
	err = maker.fields ? add_arguments(&maker) : -ENOMEM;
	for (size_t i = 0; i < count && !err; i++) {
		size_t length = strlen(members[i]);
		bool is_hex = length > 2 && !strcmp(members[i] + length - 2, "/x");
		char *name = strndup(members[i], length - 2 * is_hex);
		struct made_field *field;

		err = !name ? -ENOMEM : arguments__is_member(name) ? add_member(&maker, name) : 0;
		field = err ? NULL : find(&maker, name);
		if (field && is_hex && field->kind.size)
			field->is_hex = true;
		free(name);
	}
	print_fmt = text_buffer__take(&maker.print_fmt);
	*format = print_fmt && !err ? pack(&maker, print_fmt) : NULL;
	for (size_t i = 0; i < maker.count; i++)
		free(maker.fields[i].name);
	free(maker.fields);
	free(print_fmt);
	return err ? err : *format ? 0 : -ENOMEM;
}

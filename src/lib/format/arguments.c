/* SPDX-License-Identifier: BSD-2-Clause */
#include "arguments.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fetch.h"
#include "fetch_name.h"
#include "lib/print/text_buffer.h"
#include "made_format.h"
#include "member.h"
#include "syscall_args.h"

#define PRINT_FMT_MAX (256 * 1024)

struct maker {
	struct rawbtf *raw;
	const struct arguments *arguments;
	struct made_field *fields;
	size_t count;
	struct text_buffer print_fmt;	/* its arguments */
	size_t lists_count;		/* how many they are */
	struct fault *fault;
};

/* Whether a name is one of a member, and not of an argument. */
static bool is_member(const char *name)
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

	maker->lists_count++;
	text_buffer__add(&maker->print_fmt, ", __print_symbolic(REC->%s", field);
	for (unsigned i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		int64_t value = is_wide ? (int64_t)((uint64_t)wide[3 * i + 2] << 32 | wide[3 * i + 1]) : values[i].val;

		text_buffer__add(&maker->print_fmt, ", { %lld, \"%s\" }", (long long)value,
				 rawbtf__string(maker->raw, is_wide ? wide[3 * i] : values[i].name_off));
	}
	text_buffer__add(&maker->print_fmt, ")");
}

/* Adds the field of that kind, whose name is taken over; id: of its type, or 0 where the field has that in words. */
static int add(struct maker *maker, char *name, __u32 id, const struct member_type *kind, const struct made_field *from)
{
	struct made_field *to = &maker->fields[maker->count];

	if (!name)
		return -ENOMEM;
	*to = *from;
	to->name = name;
	to->size = kind->size;
	to->is_signed = kind->is_signed;
	if (id)
		member__type_name(maker->raw, id, to->type, sizeof(to->type));
	if (kind->enum_id)
		add_names(maker, name, kind->enum_id);
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
		struct made_field field = { .offset = (unsigned)maker->arguments->places[i], .is_extra = maker->arguments->has_result };
		struct member_type kind = {};

		if (!member__type_of(maker->raw, params[i].type, &kind)) {
			if (maker->arguments->in_registers)
				break;
			continue;
		}
		/* a text is where the argument points to */
		field.hops.count = !kind.size;
		err = add(maker, name_of(maker, &params[i], i), params[i].type, &kind, &field);
	}
	return err;
}

/* What a function returns: nothing, a number or a pointer, or where the type is not known all that a register has. */
static int add_result(struct maker *maker)
{
	struct made_field ret = { .offset = maker->arguments->ret }, duration = { .offset = maker->arguments->duration };
	struct member_type kind = {};
	const struct btf_type *prototype = maker->arguments->prototype ? rawbtf__type(maker->raw, maker->arguments->prototype) : NULL;
	__u32 id = prototype ? prototype->type : 0;
	int err = 0;

	if (!prototype) {
		strcpy(ret.type, "long");
		kind = (struct member_type){ .size = 8, .is_signed = true };
	}
	if (!prototype || (id && member__type_of(maker->raw, id, &kind))) {
		ret.hops.count = !kind.size;
		/* an int that is below 0 is an error's number */
		if (kind.is_signed && kind.size >= 4 && !kind.enum_id)
			ret.meaning = syscall_args__result();
		err = add(maker, strdup("ret"), id, &kind, &ret);
	}
	strcpy(duration.type, "u64");
	return err ? err : add(maker, strdup("duration"), 0, &(struct member_type){ .size = 8 }, &duration);
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
	struct made_field field = { .is_extra = true };
	const struct btf_param *params;
	unsigned count;
	int err;

	if (find(maker, name))
		return 0;
	params = params_of(maker, &count);
	for (unsigned i = 0; i < count; i++) {
		__u32 id = params[i].type;
		char *own = name_of(maker, &params[i], i);
		bool is_it = own && strlen(own) == (size_t)(path - name) && !strncmp(own, name, (size_t)(path - name));
		struct member_type kind = {}, of_argument;
		struct fault fault;

		free(own);
		if (maker->arguments->in_registers && !member__type_of(maker->raw, params[i].type, &of_argument))
			break;
		if (!is_it)
			continue;
		field.offset = (unsigned)maker->arguments->places[i];
		err = member__follow(maker->raw, &id, path, &field.hops, &kind, &fault);
		if (err)
			return fault__set(maker->fault, err, "%s:%s: %s: %.512s", maker->arguments->system, maker->arguments->name, name,
					  fault.text);
		return add(maker, strdup(name), id, &kind, &field);
	}
	return 0;
}

/* "arg1:str", "arg0:s32", "arg2": an argument by its number, of a type that is given. */
static int add_numbered(struct maker *maker, const char *name)
{
	static const struct {
		const char *name, *type;
		struct member_type kind;
	} types[] = {
		{ "str", "const char *", {} },
		{ "u64", "u64", { .size = 8 } }, { "s64", "s64", { .size = 8, .is_signed = true } },
		{ "u32", "u32", { .size = 4 } }, { "s32", "s32", { .size = 4, .is_signed = true } },
		{ "u16", "u16", { .size = 2 } }, { "s16", "s16", { .size = 2, .is_signed = true } },
		{ "u8", "u8", { .size = 1 } }, { "s8", "s8", { .size = 1, .is_signed = true } },
	};
	const char *colon = strchr(name, ':'), *wanted = colon ? colon + 1 : "u64";
	unsigned number = (unsigned)(name[3] - '0');

	if (find(maker, name) || number >= maker->arguments->places_count)
		return 0;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct made_field field = { .offset = (unsigned)maker->arguments->places[number], .is_extra = true };

		if (strcmp(wanted, types[i].name))
			continue;
		field.hops.count = !types[i].kind.size;
		strcpy(field.type, types[i].type);
		return add(maker, strdup(name), 0, &types[i].kind, &field);
	}
	return fault__set(maker->fault, -EINVAL, "%s:%s: %s: \"%s\" is no type (str, u8 to u64, s8 to s64)",
			  maker->arguments->system, maker->arguments->name, name, wanted);
}

static bool is_numbered(const struct maker *maker, const char *name)
{
	return maker->arguments->in_registers && !strncmp(name, "arg", 3) && name[3] >= '0' && name[3] <= '9' &&
	       (!name[4] || name[4] == ':');
}

/* For fields in the grammar of the kernel's probes: an argument, or a member, which is made where it is not there yet. */
static const struct made_field *find_or_add(void *context, const char *name)
{
	struct maker *maker = context;

	if (!find(maker, name) && is_member(name) && add_member(maker, name))
		return NULL;
	return find(maker, name);
}

static int add_own(struct maker *maker)
{
	int err = 0;

	for (size_t i = 0; i < maker->arguments->own_count && !err; i++) {
		const struct made_field *own = &maker->arguments->own[i];

		err = add(maker, strdup(own->name), 0, &(struct member_type){ .size = own->size, .is_signed = own->is_signed }, own);
	}
	return err;
}

static bool is_name(const char *text)
{
	return (isalpha((unsigned char)*text) || *text == '_') &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(text);
}

/* Makes the field of that name, or the one in the place of an argument that is called so. Takes name over. */
static int put_fetch(struct maker *maker, char *name, struct made_field *field)
{
	struct made_field *old = find(maker, name);

	if (!old)
		return add(maker, name, 0, &(struct member_type){ .size = field->size, .is_signed = field->is_signed }, field);
	field->name = old->name;
	*old = *field;
	free(name);
	return 0;
}

/* Makes the field of a text such as "n=+8(%si):u32". */
static int add_fetch(struct maker *maker, const char *text)
{
	const struct arguments *arguments = maker->arguments;
	const struct fetch_source source = {
		.system = arguments->system, .name = arguments->name, .is_return = arguments->has_result, .registers = arguments->registers,
		.arguments = arguments->places, .arguments_count = arguments->places_count, .ret = arguments->ret, .find = find_or_add,
		.has_whole_words = arguments->has_whole_words, .context = maker, .btf = arguments->btf,
		.btf_context = arguments->btf_context,
	};
	char *name = fetch__name(text), *fetch = strndup(text, fetch__length(text));
	const char *own = fetch ? strchr(fetch, '=') : NULL;
	struct made_field field;
	int err = name && fetch ? 0 : -ENOMEM;

	if (!err && own && !own[1])
		err = fault__set(maker->fault, -EINVAL, "%s:%s: \"%s\": what the field is follows \"=\"", arguments->system, arguments->name,
				 text);
	if (!err && own && !is_name(name))
		err = fault__set(maker->fault, -EINVAL, "%s:%s: \"%s\": no name is before \"=\"", arguments->system, arguments->name, text);
	if (!err)
		err = fetch__parse(own ? own + 1 : fetch, &source, &field, maker->fault);
	free(fetch);
	if (!err)
		return put_fetch(maker, name, &field);
	free(name);
	return err;
}

/* Whether a field is asked for whose name one of those before it has, with another meaning. */
static bool is_taken(const char *const *members, size_t index)
{
	size_t length = strcspn(members[index], "="), before_form = fetch__length(members[index]);

	for (size_t i = 0; i < index; i++) {
		if (!strcmp(members[i], members[index]))
			continue;
		if (members[index][length] && !strncmp(members[i], members[index], length + 1))
			return true;
		/* a filter names it without a form; two forms would be two fields */
		if (members[index][before_form] && fetch__length(members[i]) == before_form && members[i][before_form] &&
		    !strncmp(members[i], members[index], before_form))
			return true;
	}
	return false;
}

/* Makes the field that is asked for, if it is not there yet: *field, NULL: there is none of that name. */
static int add_asked(struct maker *maker, const char *text, struct made_field **field)
{
	bool is_fetch = maker->arguments->takes_fetches && fetch__is(text);
	char *name = is_fetch ? fetch__name(text) : strndup(text, fetch__length(text));
	int err = 0;

	*field = NULL;
	if (!name)
		return -ENOMEM;
	if (is_fetch)
		err = add_fetch(maker, text);
	else if (is_numbered(maker, name))
		err = add_numbered(maker, name);
	else if (is_member(name))
		err = add_member(maker, name);
	*field = err ? NULL : find(maker, name);
	free(name);
	return err;
}

/* "/x" and the like at the end of a field's text. */
static int set_form(struct maker *maker, struct made_field *field, const char *text)
{
	char form = text[fetch__length(text)] ? text[strlen(text) - 1] : 0;

	if (!form)
		return 0;
	if (!field->size)
		return fault__set(maker->fault, -EINVAL, "%s:%s: \"%s\": a text, and /%c is for numbers", maker->arguments->system,
				  maker->arguments->name, text, form);
	field->is_hex = form == 'x' || (field->is_hex && form == 's');
	field->is_octal = form == 'o';
	field->is_symbol |= form == 's' && field->size == 8 && !field->hops.bits;
	return 0;
}

/* ---- the format */

/* The print fmt, freed by the caller: a string for each list of names. NULL: no memory. */
static char *take_print_fmt(struct maker *maker)
{
	char *arguments = text_buffer__take(&maker->print_fmt), *print_fmt = NULL;
	size_t length = 2 * maker->lists_count;

	if (arguments)
		print_fmt = malloc(length + strlen(arguments) + 3);
	if (print_fmt) {
		print_fmt[0] = '"';
		for (size_t i = 0; i < length; i++)
			print_fmt[1 + i] = "%s"[i % 2];
		print_fmt[1 + length] = '"';
		strcpy(print_fmt + 2 + length, arguments);
	}
	free(arguments);
	return print_fmt;
}

int arguments__format(struct rawbtf *raw, const struct arguments *arguments, const char *const *members, size_t count,
		      struct format **format, struct fault *fault)
{
	struct maker maker = { .raw = raw, .arguments = arguments, .fault = fault,
			       .print_fmt = text_buffer__growing(PRINT_FMT_MAX) };
	char *print_fmt;
	int err;

	*format = NULL;
	fault__set(fault, -ENOMEM, "no memory");
	maker.fields = calloc(arguments->places_count + arguments->own_count + 2 * count + 2, sizeof(*maker.fields));
	err = maker.fields ? 0 : -ENOMEM;
	if (!err)
		err = add_own(&maker);
	if (!err && arguments->has_result)
		err = add_result(&maker);
	if (!err)
		err = add_arguments(&maker);
	for (size_t i = 0; i < count && !err; i++) {
		struct made_field *field = NULL;

		if (is_taken(members, i))
			err = fault__set(fault, -EINVAL, "%s:%s: \"%s\": another field has this name", arguments->system, arguments->name,
					 members[i]);
		else
			err = add_asked(&maker, members[i], &field);
		if (!err && field)
			err = set_form(&maker, field, members[i]);
	}
	print_fmt = take_print_fmt(&maker);
	if (!err)
		err = print_fmt ? made_format__pack(format, &(struct made_format){ arguments->system, arguments->name, print_fmt,
										 arguments->note,
										   maker.fields, maker.count }) : -ENOMEM;
	for (size_t i = 0; i < maker.count; i++)
		free((char *)maker.fields[i].name);
	free(maker.fields);
	free(print_fmt);
	return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_args.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made_format.h"
#include "syscall_args.h"
#include "usdt_operand.h"
#include "user_prototypes.h"

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
#define FUNCTION_MAX 256

struct maker {
	const char *name;			/* "TARGET:FUNCTION", for messages */
	const struct kfuncs_places *places;	/* of a return, or NULL */
	struct made_field *fields;
	size_t count;
	unsigned parameters;			/* that were declared so far */
	bool has_result;			/* ret was declared */
	bool is_probe;				/* then its arguments are where these are */
	struct usdt_operand operands[USDT_OPERANDS_MAX];
	size_t operands_count;
	char numbers[USDT_OPERANDS_MAX][8];	/* names of all its arguments */
	struct fault *fault;
};

static const char *system_of(const struct maker *maker)
{
	return maker->is_probe ? USER_PROBE : maker->places ? USER_RETURN : USER_CALL;
}

/* ---- types */

/* Of the C library's types those that are numbers, beside those that format files know. */
static unsigned size_of(const char *type, bool *is_signed)
{
	static const struct {
		const char *name;
		unsigned size;
		bool is_signed;
	} types[] = {
		{ "time_t", 8, true }, { "intptr_t", 8, true }, { "mode_t", 4, false }, { "socklen_t", 4, false },
	};

	if (!strncmp(type, "const ", 6))
		type += 6;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(type, types[i].name)) {
			*is_signed = types[i].is_signed;
			return types[i].size;
		}
	return format__type_size(type, is_signed);
}

/* Whether it is a pointer to characters: then it is shown as a text. */
static bool is_text(const char *type)
{
	if (!strncmp(type, "const ", 6))
		type += 6;
	return !strncmp(type, "char *", 6) && !type[6];
}

bool user_args__split(char *text, char **type, char **name)
{
	size_t words = strcspn(text, " *");
	char *brackets = strchr(text, '['), *at;
	/* "char name[8]" is a pointer, as in C */
	bool is_array = brackets && words < (size_t)(brackets - text);

	*name = text;
	*type = NULL;
	if (!text[words])
		return false;
	if (is_array)
		*brackets = 0;
	at = text + strlen(text);
	while (at > text && isspace((unsigned char)at[-1]))
		*--at = 0;
	while (at > text && strchr(WORD, at[-1]))
		at--;
	if (at == text || !*at)
		return false;
	*name = at;
	while (at > text && at[-1] == ' ')
		at--;
	if (asprintf(type, "%.*s%s", (int)(at - text), text, is_array ? " *" : "") < 0)
		*type = NULL;
	return true;
}

/* ---- fields */

static struct made_field *find(const struct maker *maker, const char *name)
{
	for (size_t i = 0; i < maker->count; i++)
		if (!strcmp(maker->fields[i].name, name))
			return &maker->fields[i];
	return NULL;
}

/* name lives as long as the maker. */
static int add(struct maker *maker, const char *name, const char *type, unsigned offset, bool is_extra)
{
	struct made_field *field = &maker->fields[maker->count];

	*field = (struct made_field){ .name = name, .offset = offset, .is_extra = is_extra };
	if (strlen(type) >= sizeof(field->type))
		return fault__set(maker->fault, -EINVAL, "%s:%s: the type of %.64s is too long", system_of(maker), maker->name, name);
	strcpy(field->type, type);
	if (is_text(type))
		field->hops.count = 1;
	else
		field->size = size_of(type, &field->is_signed);
	if (!field->size && !field->hops.count)
		return fault__set(maker->fault, -EINVAL, "%s:%s: \"%.64s\" is no type that is known (such as int, size_t, char * and void *)",
				  system_of(maker), maker->name, type);
	maker->count++;
	return 0;
}

/* Where the context has an argument. */
static unsigned place_of(const struct maker *maker, unsigned number)
{
	return maker->places ? maker->places->args + 8 * number : kfuncs__place(number);
}

/* Has the field that was added last find an argument of a probe. */
static void use_operand(struct maker *maker, const struct usdt_operand *operand)
{
	struct made_field *field = &maker->fields[maker->count - 1];
	bool is_text = !field->size;

	field->offset = operand->offset;
	/* the program has put no more bytes there */
	if (field->size > operand->size)
		field->size = operand->size;
	if (operand->kind == USDT_MEMORY) {
		/* the word that a text's address is in, or the number */
		field->hops = (struct format_hops){ .count = is_text ? 2 : 1, .offsets = { (int)operand->number },
						    .user = is_text ? 3 : 1 };
	} else if (operand->kind == USDT_CONSTANT) {
		field->hops = (struct format_hops){ .base = FORMAT_CONSTANT, .address = (uint64_t)operand->number, .count = 1,
						    .is_address = !is_text, .user = is_text };
	}
}

/* Adds an argument by its number: of a function, or of a probe, where it may be left out. */
static int add_argument(struct maker *maker, const char *name, const char *type, unsigned number, bool is_extra)
{
	int err;

	if (!maker->is_probe)
		return add(maker, name, type, place_of(maker, number), is_extra);
	if (number >= maker->operands_count || maker->operands[number].kind == USDT_UNKNOWN)
		return 0;
	err = add(maker, name, type, 0, is_extra);
	if (!err)
		use_operand(maker, &maker->operands[number]);
	return err;
}

static int add_declared(struct maker *maker, const char *name, const char *type, bool is_extra)
{
	if (!strcmp(name, "ret")) {
		/* of a call nothing is returned yet */
		maker->has_result = true;
		return maker->places && strcmp(type, "void") ? add(maker, name, type, maker->places->ret, false) : 0;
	}
	if (maker->parameters == (maker->is_probe ? maker->operands_count : USER_ARGS_MAX))
		return maker->is_probe ? fault__set(maker->fault, -EINVAL, "%s:%s: it has %zu arguments", system_of(maker), maker->name,
						    maker->operands_count) : fault__set(maker->fault, -EINVAL, "%s:%s: only the first %d parameters are in registers", system_of(maker), maker->name,
				  USER_ARGS_MAX);
	return add_argument(maker, name, type, maker->parameters++, is_extra);
}

/* The type that a probe's argument has without a declaration. */
static const char *operand_type(const struct maker *maker, int number)
{
	static const char *const types[2][9] = { { [1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64" },
						 { [1] = "s8", [2] = "s16", [4] = "s32", [8] = "s64" } };

	if (number < 0 || (size_t)number >= maker->operands_count || maker->operands[number].kind == USDT_UNKNOWN)
		return "u64";
	return types[maker->operands[number].is_signed][maker->operands[number].size];
}

/* "str", "string", "ustring" with "[3]": so many texts; 1: a text alone, 0: none. -1: brackets that are not understood. */
static int texts_of(const char *type)
{
	size_t length = strcspn(type, "[");
	unsigned number;
	char end;

	if (strncmp(type, "str", length) && strncmp(type, "string", length) && strncmp(type, "ustring", length))
		return 0;
	if (length != 3 && length != 6 && length != 7)
		return 0;
	if (!type[length])
		return 1;
	return sscanf(type + length, "[%3u]%c", &number, &end) == 1 && type[strlen(type) - 1] == ']' && number && number <= FORMAT_TEXTS_MAX ?
		(int)number : -1;
}

/* Makes the text that was added last an array of them: what leads to its bytes leads to pointers then. */
static void make_texts(struct maker *maker, int count)
{
	struct made_field *field = &maker->fields[maker->count - 1];

	field->array_len = (unsigned)count;
	field->hops.any_space = true;
	if (field->hops.user & 1 << (field->hops.count - 1))
		field->hops.user |= (unsigned short)(1 << field->hops.count);
}

/* "arg1:str", "arg0:s32", "arg2:str[3]", "arg2": a parameter by its number.  Other names are missed by who asks for them. */
static int add_numbered(struct maker *maker, const char *name)
{
	const char *type = name[4] == ':' ? name + 5 : maker->is_probe ? operand_type(maker, name[3] - '0') : "u64";
	unsigned most = maker->is_probe ? 10 : USER_ARGS_MAX;
	size_t count = maker->count;
	int texts, err;

	if (strncmp(name, "arg", 3) || name[3] < '0' || name[3] >= (char)('0' + most) || (name[4] && name[4] != ':') || find(maker, name))
		return 0;
	texts = texts_of(type);
	if (texts < 0)
		return fault__set(maker->fault, -EINVAL, "%s:%s: \"%.64s\": an array has 1 to %d texts", system_of(maker), maker->name, name,
				  FORMAT_TEXTS_MAX);
	err = add_argument(maker, name, texts ? "const char *" : type, (unsigned)(name[3] - '0'), true);
	if (!err && maker->count > count && strchr(type, '['))
		make_texts(maker, texts);
	return err;
}

static int add_result(struct maker *maker)
{
	struct made_field *ret = find(maker, "ret");
	int err = 0;

	if (!maker->places)
		return 0;
	if (!ret && !maker->has_result)
		err = add(maker, "ret", "long", maker->places->ret, false);
	ret = find(maker, "ret");
	return err ? err : add(maker, "duration", "u64", maker->places->duration, false);
}

/* Adds what is known of a function, whose text is cut up. */
static int add_known(struct maker *maker, char *parameters)
{
	char *one, *type, *name;
	int err = 0;

	while (!err && (one = strsep(&parameters, ","))) {
		one += strspn(one, " ");
		if (!user_args__split(one, &type, &name))
			continue;
		/* further ones are on the stack */
		if (!strcmp(name, "ret") || maker->parameters < USER_ARGS_MAX)
			err = type ? add_declared(maker, name, type, maker->places != NULL) : -ENOMEM;
		free(type);
	}
	return err;
}

/* What is known of the function; NULL: nothing. */
static const char *find_known(const char *name)
{
	char function[FUNCTION_MAX];
	const char *colon = strrchr(name, ':');

	/* behind an offset the registers may have anything */
	if (!colon || strchr(colon, '+') || strlen(colon) >= sizeof(function))
		return NULL;
	strcpy(function, colon + 1);
	function[strcspn(function, "@")] = 0;
	return user_prototype(function);
}

bool user_args__are_known(const char *name)
{
	return find_known(name);
}

/* All that a probe has, unless they are declared. */
static int add_operands(struct maker *maker)
{
	int err = 0;

	for (unsigned i = 0; i < maker->operands_count && !err; i++) {
		snprintf(maker->numbers[i], sizeof(maker->numbers[i]), "arg%u", i);
		err = add_argument(maker, maker->numbers[i], operand_type(maker, (int)i), i, false);
	}
	return err;
}

static int add_all(struct maker *maker, const struct user_args_wanted *wanted, char *known)
{
	bool has_declared = false;
	int err = 0;

	for (size_t i = 0; i < wanted->count && !err; i++) {
		has_declared |= wanted->types[i] != NULL;
		if (wanted->types[i])
			err = add_declared(maker, wanted->names[i], wanted->types[i], false);
	}
	if (!err && known && !has_declared)
		err = add_known(maker, known);
	if (!err && maker->is_probe && !has_declared)
		err = add_operands(maker);
	if (!err)
		err = add_result(maker);
	return err;
}

/* A name that is asked for, which may end in "/x" or "/s". */
static int add_wanted(struct maker *maker, char *name)
{
	size_t length = strlen(name);
	char form = length > 2 && name[length - 2] == '/' ? name[length - 1] : 0;
	struct made_field *field;
	int err;

	if (form)
		name[length - 2] = 0;
	err = add_numbered(maker, name);
	field = err ? NULL : find(maker, name);
	if (field && field->size)
		field->is_hex |= form == 'x';
	return err;
}

int user_args__format(const char *name, const struct kfuncs_places *places, const struct user_args_wanted *wanted, struct format **format,
		      struct fault *fault)
{
	struct maker maker = { .name = name, .places = places, .fault = fault };
	size_t names_count = wanted->count + wanted->others_count;
	const char *prototype = wanted->operands ? NULL : find_known(name);
	char *known = prototype ? strdup(prototype) : NULL, **names = calloc(names_count + 1, sizeof(*names));
	int err = 0;

	*format = NULL;
	maker.is_probe = wanted->operands;
	if (wanted->operands)
		maker.operands_count = usdt_operands__read(wanted->operands, maker.operands);
	maker.fields = calloc(names_count + USDT_OPERANDS_MAX + 3, sizeof(*maker.fields));
	if (!maker.fields || !names || (prototype && !known))
		err = fault__set(fault, -ENOMEM, "no memory");
	if (!err)
		err = add_all(&maker, wanted, known);
	for (size_t i = 0; i < names_count && !err; i++) {
		names[i] = strdup(i < wanted->count ? wanted->names[i] : wanted->others[i - wanted->count]);
		err = names[i] ? add_wanted(&maker, names[i]) : -ENOMEM;
	}
	if (!err)
		err = made_format__pack(format, &(struct made_format){ system_of(&maker), name, "\"\"",
			"its parameters have no names: arg0 to " CALL_ARGS_LAST ", with a type such as arg1:str, arg1:str[3] or arg0:s32, or declarations (char *path, int flags)",
			maker.fields, maker.count });
	for (size_t i = 0; names && i < names_count; i++)
		free(names[i]);
	free(names);
	free(maker.fields);
	free(known);
	return err;
}

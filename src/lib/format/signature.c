/* SPDX-License-Identifier: BSD-2-Clause */
#include "signature.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/text_buffer.h"
#include "member.h"

#define AMBIGUOUS UINT32_MAX
#define DEPTH_MAX 16

/* Types of numbers that C or each vmlinux.h has, as the kernel's BTF and its format files write them; and what one writes. */
static const struct { const char *name, *type; } plain[] = {
	{ "char", "char" }, { "signed char", "signed char" }, { "unsigned char", "unsigned char" }, { "short", "short" },
	{ "short int", "short" }, { "unsigned short", "unsigned short" }, { "short unsigned int", "unsigned short" }, { "int", "int" },
	{ "unsigned", "unsigned int" }, { "unsigned int", "unsigned int" }, { "long", "long" }, { "long int", "long" },
	{ "unsigned long", "unsigned long" }, { "long unsigned int", "unsigned long" }, { "long long", "long long" },
	{ "long long int", "long long" }, { "unsigned long long", "unsigned long long" },
	{ "long long unsigned int", "unsigned long long" }, { "u8", "u8" }, { "u16", "u16" }, { "u32", "u32" }, { "u64", "u64" },
	{ "s8", "s8" }, { "s16", "s16" }, { "s32", "s32" }, { "s64", "s64" }, { "__u8", "__u8" }, { "__u16", "__u16" },
	{ "__u32", "__u32" }, { "__u64", "__u64" }, { "__s8", "__s8" }, { "__s16", "__s16" }, { "__s32", "__s32" },
	{ "__s64", "__s64" },
};

static const char *plain_of(const char *name)
{
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (!strcmp(plain[i].name, name))
			return plain[i].type;
	return NULL;
}

static const char *number_of(unsigned size, bool is_signed)
{
	static const char *const names[2][4] = { { "u8", "u16", "u32", "u64" }, { "s8", "s16", "s32", "s64" } };

	return names[is_signed][size >= 8 ? 3 : size >= 4 ? 2 : size >= 2];
}

static unsigned kind_of(const struct btf_type *type)
{
	return type ? BTF_INFO_KIND(type->info) : BTF_KIND_UNKN;
}

/* ---- a type as the program declares it */

/* A type without its qualifiers; *is_const: it has that. NULL: void. */
static const struct btf_type *unqualified(struct rawbtf *raw, __u32 *id, bool *is_const)
{
	const struct btf_type *type = *id ? rawbtf__type(raw, *id) : NULL;

	for (int depth = 0; type && depth < DEPTH_MAX; depth++) {
		unsigned kind = kind_of(type);

		*is_const |= kind == BTF_KIND_CONST;
		if (kind != BTF_KIND_CONST && kind != BTF_KIND_VOLATILE && kind != BTF_KIND_RESTRICT && kind != BTF_KIND_TYPE_TAG)
			break;
		*id = type->type;
		type = *id ? rawbtf__type(raw, *id) : NULL;
	}
	return type;
}

/* Of what a pointer leads to: "struct file", "char", "u64"; NULL: nothing that a program could declare. text has room. */
static const char *target_of(struct rawbtf *raw, __u32 id, char text[SIGNATURE_TYPE_MAX])
{
	const struct btf_type *type = rawbtf__type(raw, id), *below = rawbtf__resolve(raw, &id);
	const char *name = rawbtf__string(raw, below ? below->name_off : 0);

	switch (kind_of(below)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		/* one with a typedef alone cannot be declared, and a vmlinux.h may not have it */
		if (!*name)
			return NULL;
		snprintf(text, SIGNATURE_TYPE_MAX, "%s %.128s", kind_of(below) == BTF_KIND_STRUCT ? "struct" : "union", name);
		return text;
	case BTF_KIND_FWD:
		snprintf(text, SIGNATURE_TYPE_MAX, "%s %.128s", BTF_INFO_KFLAG(below->info) ? "union" : "struct", name);
		return text;
	case BTF_KIND_INT:
		return plain_of(rawbtf__string(raw, type->name_off));
	default:
		return NULL;
	}
}

/* A pointer, whose id is that of what it leads to. */
static void put_pointer(struct rawbtf *raw, __u32 id, char to[SIGNATURE_TYPE_MAX])
{
	struct text_buffer text = text_buffer__fixed(to, SIGNATURE_TYPE_MAX);
	char stars[DEPTH_MAX] = "*", name[SIGNATURE_TYPE_MAX] = "";
	bool is_const = false;
	const struct btf_type *type = unqualified(raw, &id, &is_const);
	const char *target = "void";

	for (size_t depth = 1; kind_of(type) == BTF_KIND_PTR && depth + 1 < sizeof(stars); depth++) {
		stars[depth] = '*';
		id = type->type;
		/* what is const is said of the last one alone: else it would be another type */
		is_const = false;
		type = unqualified(raw, &id, &is_const);
	}
	if (type)
		target = target_of(raw, id, name);
	if (!target) {
		target = "void";
		stars[1] = 0;
	}
	text_buffer__add(&text, "%s%s %s", is_const ? "const " : "", target, stars);
}

/* false: it is no value that a register or a slot has (a struct). */
static bool put_type(struct rawbtf *raw, __u32 id, char to[SIGNATURE_TYPE_MAX])
{
	bool is_const = false;
	__u32 below = id;
	const struct btf_type *type = id ? rawbtf__resolve(raw, &below) : NULL;
	struct member_type number;
	const char *name;

	if (kind_of(type) == BTF_KIND_PTR) {
		put_pointer(raw, type->type, to);
		return true;
	}
	if (!member__type_of(raw, below, &number) || !number.size)
		return false;
	/* as it is called, not what is below */
	type = unqualified(raw, &id, &is_const);
	name = kind_of(type) == BTF_KIND_INT || kind_of(type) == BTF_KIND_TYPEDEF ? plain_of(rawbtf__string(raw, type->name_off)) : NULL;
	snprintf(to, SIGNATURE_TYPE_MAX, "%s", name ?: number_of(number.size, number.is_signed));
	return true;
}

/* ---- a function's */

struct search {
	__u32 prototype;
	__u32 pointer;		/* the typedef's */
};

static int note(void *context, __u32 id, const struct btf_type *type)
{
	struct search *search = context;

	(void)id;
	if (BTF_INFO_KIND(type->info) == BTF_KIND_TYPEDEF)
		search->pointer = type->type;
	else
		search->prototype = !search->prototype || search->prototype == type->type ? type->type : AMBIGUOUS;
	return 0;
}

static bool is_taken(const struct signature *signature, const char *name)
{
	for (size_t i = 0; i < signature->count; i++)
		if (!strcmp(signature->params[i].name, name))
			return true;
	return !strcmp(name, "ctx");
}

/* "ctx" is a parameter that the macros have themselves. */
static void set_name(const struct signature *signature, struct signature_value *value, const char *name)
{
	snprintf(value->name, sizeof(value->name), "%.120s%s", name, is_taken(signature, name) ? "_" : "");
}

static int add_params(struct signature *signature, struct rawbtf *raw, const struct signature_source *source,
		      const struct btf_type *prototype, struct fault *fault)
{
	const struct btf_param *params = (const struct btf_param *)(prototype + 1);
	unsigned all = BTF_INFO_VLEN(prototype->info);

	/* the last "parameter" of a variadic function has neither name nor type */
	if (all && !params[all - 1].type)
		return fault__set(fault, -EOPNOTSUPP, "%s: the function is variadic, and where such arguments lie depends on the call",
				  source->what);
	for (unsigned i = source->first; i < all; i++) {
		const char *name = rawbtf__string(raw, params[i].name_off);
		struct signature_value *value = &signature->params[signature->count];
		char number[16];

		if (i - source->first == SIGNATURE_PARAMS)
			return fault__set(fault, -E2BIG, "%s: the function has %u parameters, and programs get at most %d", source->what,
					  all - source->first, SIGNATURE_PARAMS);
		snprintf(number, sizeof(number), "arg%u", i - source->first);
		if (!put_type(raw, params[i].type, value->type))
			return fault__set(fault, -EOPNOTSUPP, "%s: its parameter %s is a struct by value, whose place depends on its size",
					  source->what, *name ? name : number);
		member__type_name(raw, params[i].type, value->declared, sizeof(value->declared));
		set_name(signature, value, *name ? name : number);
		signature->count++;
	}
	return 0;
}

static int add_result(struct signature *signature, struct rawbtf *raw, const struct signature_source *source, __u32 id,
		      struct fault *fault)
{
	/* void may have qualifiers */
	__u32 below = id;

	strcpy(signature->result.declared, "void");
	if (!id || !rawbtf__resolve(raw, &below))
		return 0;
	if (!put_type(raw, id, signature->result.type))
		return fault__set(fault, -EOPNOTSUPP, "%s: the function returns a struct by value", source->what);
	member__type_name(raw, id, signature->result.declared, sizeof(signature->result.declared));
	set_name(signature, &signature->result, "ret");
	return 0;
}

int signature__find(struct signature *signature, struct rawbtf *raw, const struct signature_source *source, struct fault *fault)
{
	const char *names[] = { source->name, source->pointer };
	const struct btf_type *prototype;
	struct search search = {};
	int err;

	*signature = (struct signature){};
	err = rawbtf__scan(raw, names, source->pointer ? 2 : 1, 1ull << BTF_KIND_FUNC | 1ull << BTF_KIND_TYPEDEF, note, &search);
	if (err)
		return fault__set(fault, err, "%s: the kernel's BTF cannot be read: %s", source->what, strerror(-err));
	if (search.prototype == AMBIGUOUS)
		return fault__set(fault, -ENOTUNIQ, "%s: the kernel has several functions of this name, with different parameters",
				  source->what);
	prototype = search.prototype ? rawbtf__type(raw, search.prototype) : NULL;
	if (!prototype && search.pointer) {
		const struct btf_type *pointer = rawbtf__resolve(raw, &search.pointer);

		prototype = kind_of(pointer) == BTF_KIND_PTR ? rawbtf__type(raw, pointer->type) : NULL;
	}
	if (kind_of(prototype) != BTF_KIND_FUNC_PROTO)
		return fault__set(fault, -ENOENT, "%s: the kernel's BTF does not have the function", source->what);
	err = add_params(signature, raw, source, prototype, fault);
	return err ? err : add_result(signature, raw, source, prototype->type, fault);
}

/* ---- a field's */

/* Whether a type of a format file says the same in each vmlinux.h: plain C, or pointers to structs and to that. */
static bool is_known(const char *declared)
{
	char words[SIGNATURE_TYPE_MAX], *rest = NULL, *word;
	char base[SIGNATURE_TYPE_MAX] = "";
	bool is_struct = false;

	snprintf(words, sizeof(words), "%s", declared);
	for (char *at = words; (at = strchr(at, '*')); )
		*at = ' ';
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (!strcmp(word, "const"))
			continue;
		if (!strcmp(word, "struct") || !strcmp(word, "union")) {
			is_struct = strtok_r(NULL, " ", &rest);
			continue;
		}
		snprintf(base + strlen(base), sizeof(base) - strlen(base), "%s%s", *base ? " " : "", word);
	}
	return is_struct ? !*base : plain_of(base) || (strchr(declared, '*') && !strcmp(base, "void"));
}

void signature__add(struct signature *signature, const struct format_field *field)
{
	struct signature_value *value = &signature->params[signature->count];
	size_t length = strlen(field->decl) - strlen(field->name);
	char *declared = value->declared;
	const char *type;

	if (signature->count == SIGNATURE_PARAMS)
		return;
	/* the name stands behind the type */
	snprintf(declared, SIGNATURE_TYPE_MAX, "%.*s", (int)length, field->decl);
	if (length < SIGNATURE_TYPE_MAX && length && declared[length - 1] == ' ')
		declared[length - 1] = 0;
	if (is_known(declared))
		type = plain_of(declared) ?: declared;
	else if (strchr(declared, '*'))
		type = strstr(declared, "const") ? "const void *" : "void *";
	else
		type = number_of(field->size, field->is_signed);
	snprintf(value->type, sizeof(value->type), "%s", type);
	set_name(signature, value, field->name);
	signature->count++;
}

/* ---- text */

void signature__put_value(const char *type, const char *name, struct text_buffer *to)
{
	size_t length = strlen(type);

	text_buffer__add(to, "%s%s%s", type, length && type[length - 1] == '*' ? "" : " ", name);
}

void signature__put_params(const struct signature *signature, struct text_buffer *to)
{
	for (size_t i = 0; i < signature->count; i++) {
		text_buffer__add(to, ", ");
		signature__put_value(signature->params[i].type, signature->params[i].name, to);
	}
}

void signature__put_declared(const struct signature *signature, const char *name, struct text_buffer *to)
{
	signature__put_value(signature->result.declared, name, to);
	text_buffer__add(to, "(");
	for (size_t i = 0; i < signature->count; i++) {
		text_buffer__add(to, "%s", i ? ", " : "");
		signature__put_value(signature->params[i].declared, signature->params[i].name, to);
	}
	text_buffer__add(to, "%s)", signature->count ? "" : "void");
}

bool signature__struct_of(const char *type, char to[SIGNATURE_TYPE_MAX])
{
	const char *start = strncmp(type, "const ", 6) ? type : type + 6;

	if (strncmp(start, "struct ", 7) && strncmp(start, "union ", 6))
		return false;
	snprintf(to, SIGNATURE_TYPE_MAX, "%s", start);
	to[strcspn(to, "*")] = 0;
	to[strlen(to) - 1] = 0;
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "member.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/near.h"
#include "lib/print/text_buffer.h"

#define DEPTH_MAX 16	/* unnamed structs within each other; types of a name */
#define WORD_MAX 128

/* Behind typedefs and qualifiers; NULL for void too. */
static const struct btf_type *resolve(struct rawbtf *raw, __u32 *id)
{
	return *id ? rawbtf__resolve(raw, id) : NULL;
}

static unsigned kind_of(const struct btf_type *type)
{
	return type ? BTF_INFO_KIND(type->info) : BTF_KIND_UNKN;
}

static bool is_struct(const struct btf_type *type)
{
	return kind_of(type) == BTF_KIND_STRUCT || kind_of(type) == BTF_KIND_UNION;
}

/* Whether it is of a text: char, or an unsigned char that is not called u8, as those in the kernel's names of files are. */
static bool is_char(struct rawbtf *raw, __u32 id)
{
	bool has_name = false;

	for (int depth = 0; depth < DEPTH_MAX && id; depth++) {
		const struct btf_type *type = rawbtf__type(raw, id);
		const char *name = rawbtf__string(raw, type ? type->name_off : 0);

		switch (kind_of(type)) {
		case BTF_KIND_TYPEDEF:
			has_name = true;
			/* fallthrough */
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = type->type;
			continue;
		case BTF_KIND_INT:
			return type->size == 1 && (!strcmp(name, "char") || (!has_name && !strcmp(name, "unsigned char")));
		default:
			return false;
		}
	}
	return false;
}

bool member__type_of(struct rawbtf *raw, __u32 id, struct member_type *to)
{
	const struct btf_type *type = resolve(raw, &id);

	*to = (struct member_type){};
	switch (kind_of(type)) {
	case BTF_KIND_PTR:
		if (is_char(raw, type->type))
			return true;
		to->size = sizeof(void *);
		to->is_pointer = true;
		return true;
	case BTF_KIND_INT:
		to->is_signed = BTF_INT_ENCODING(*(const __u32 *)(type + 1)) & BTF_INT_SIGNED;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		to->is_signed = BTF_INFO_KFLAG(type->info);
		to->enum_id = id;
		break;
	default:
		return false;
	}
	to->size = type->size;
	return type->size == 1 || type->size == 2 || type->size == 4 || type->size == 8;
}

/* ---- the name of a type */

void member__type_name(struct rawbtf *raw, __u32 id, char *name, size_t size)
{
	static const char *const words[32] = { [BTF_KIND_STRUCT] = "struct ", [BTF_KIND_UNION] = "union ", [BTF_KIND_ENUM] = "enum ",
					       [BTF_KIND_ENUM64] = "enum ", [BTF_KIND_CONST] = "const ", [BTF_KIND_VOLATILE] = "volatile " };
	struct text_buffer text = text_buffer__fixed(name, size);
	char stars[DEPTH_MAX + 1] = "", sizes[64] = "";
	struct text_buffer brackets = text_buffer__fixed(sizes, sizeof(sizes));
	size_t stars_count = 0;

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		const struct btf_type *type = id ? rawbtf__type(raw, id) : NULL;
		unsigned kind = kind_of(type);
		const char *word = rawbtf__string(raw, type ? type->name_off : 0);

		if (type && words[kind])
			text_buffer__add(&text, "%s", words[kind]);
		if (type && *word && kind != BTF_KIND_TYPE_TAG) {
			text_buffer__add(&text, "%s", word);
			break;
		}
		if (kind == BTF_KIND_ARRAY) {
			text_buffer__add(&brackets, "[%u]", ((const struct btf_array *)(type + 1))->nelems);
			id = ((const struct btf_array *)(type + 1))->type;
			continue;
		}
		if (kind == BTF_KIND_PTR)
			stars[stars_count++] = '*';
		if (kind != BTF_KIND_PTR && kind != BTF_KIND_CONST && kind != BTF_KIND_VOLATILE && kind != BTF_KIND_RESTRICT &&
		    kind != BTF_KIND_TYPE_TAG) {
			text_buffer__add(&text, "%s", !type ? "void" : kind == BTF_KIND_FUNC_PROTO ? "function" : "{}");
			break;
		}
		id = type->type;
	}
	if (stars_count)
		text_buffer__add(&text, " %s", stars);
	text_buffer__add(&text, "%s", sizes);
}

/* ---- members */

/* Where the way has come to. */
struct place {
	struct rawbtf *raw;
	struct format_hops *hops;
	__u32 id;		/* the type of what is here */
	bool is_value;		/* the value itself is known: the argument */
	int offset;		/* else it is in memory, so many bytes behind the last hop's address */
	unsigned bit;		/* of a bit field: where its first bit is, counted from there; */
	unsigned bits;		/* how many they are; 0: it is none */
	struct fault *fault;
};

static int add_hop(struct place *place, int offset)
{
	if (place->hops->count == FORMAT_HOPS_MAX)
		return fault__set(place->fault, -EINVAL, "more than %d pointers on the way", FORMAT_HOPS_MAX - 1);
	place->hops->offsets[place->hops->count++] = offset;
	return 0;
}

/* Goes through the pointer that is here. */
static int dereference(struct place *place, const struct btf_type *pointer)
{
	int err = place->is_value ? 0 : add_hop(place, place->offset);

	place->is_value = false;
	place->offset = 0;
	place->id = pointer->type;
	return err;
}

/* The member of that name, also in unnamed structs.  NULL, or its offset in bits; *bits: as many as a bit field has, else 0. */
static const struct btf_member *find_member(struct rawbtf *raw, const struct btf_type *type, const char *name, unsigned *offset,
					    unsigned *bits, struct near *near, int depth)
{
	const struct btf_member *members = (const struct btf_member *)(type + 1), *found = NULL;
	bool has_bits = BTF_INFO_KFLAG(type->info);

	for (unsigned i = 0; i < BTF_INFO_VLEN(type->info) && !found; i++) {
		const char *own = rawbtf__string(raw, members[i].name_off);
		unsigned at = has_bits ? BTF_MEMBER_BIT_OFFSET(members[i].offset) : members[i].offset, within = 0;
		__u32 id = members[i].type;
		const struct btf_type *unnamed = *own || depth == DEPTH_MAX ? NULL : resolve(raw, &id);

		if (*own && !strcmp(own, name)) {
			*bits = has_bits ? BTF_MEMBER_BITFIELD_SIZE(members[i].offset) : 0;
			found = &members[i];
		} else if (*own) {
			near__add(near, own, near__edits(own, name, near__limit(near)));
		} else if (is_struct(unnamed)) {
			found = find_member(raw, unnamed, name, &within, bits, near, depth + 1);
		}
		*offset = at + within;
	}
	return found;
}

static int take_member(struct place *place, const char *name)
{
	const struct btf_type *type = resolve(place->raw, &place->id);
	const struct btf_member *member;
	char type_name[WORD_MAX];
	unsigned offset = 0;
	struct near near;

	member__type_name(place->raw, place->id, type_name, sizeof(type_name));
	if (!is_struct(type))
		return fault__set(place->fault, -EINVAL, "\"%s\": %s has no members", name, type_name);
	near__init(&near, 2 + (unsigned)strlen(name) / 4, 3);
	member = find_member(place->raw, type, name, &offset, &place->bits, &near, 0);
	if (!member) {
		struct text_buffer text = fault__begin(place->fault, -EINVAL);

		text_buffer__add(&text, "%s has no member \"%s\"", type_name, name);
		near__put(&near, &text);
		return -EINVAL;
	}
	place->offset += (int)(offset / 8);
	place->bit = offset % 8;
	place->id = member->type;
	return 0;
}

/* Bytes of a type, 0: not known. */
static __u32 size_of(struct rawbtf *raw, __u32 id)
{
	__u32 count = 1;

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		const struct btf_type *type = resolve(raw, &id);
		const struct btf_array *array;

		if (kind_of(type) == BTF_KIND_PTR)
			return count * (__u32)sizeof(void *);
		if (kind_of(type) != BTF_KIND_ARRAY)
			return type && kind_of(type) != BTF_KIND_FUNC_PROTO ? count * type->size : 0;
		array = (const struct btf_array *)(type + 1);
		count *= array->nelems;
		id = array->type;
	}
	return 0;
}

static int take_element(struct place *place, unsigned long index)
{
	const struct btf_type *type = resolve(place->raw, &place->id);
	uint64_t offset;
	int err = 0;

	if (kind_of(type) == BTF_KIND_PTR) {
		err = dereference(place, type);
	} else if (kind_of(type) == BTF_KIND_ARRAY) {
		const struct btf_array *array = (const struct btf_array *)(type + 1);

		if (array->nelems && index >= array->nelems)
			return fault__set(place->fault, -EINVAL, "[%lu]: it has %u elements", index, array->nelems);
		place->id = array->type;
	} else {
		return fault__set(place->fault, -EINVAL, "[%lu]: neither an array nor a pointer", index);
	}
	offset = (uint64_t)index * size_of(place->raw, place->id);
	if (index > INT32_MAX / 4096 || (index && !offset) || offset > INT32_MAX / 2)
		return fault__set(place->fault, -EINVAL, "[%lu]: too far", index);
	place->offset += (int)offset;
	return err;
}

/* "->name", ".name" or "[3]". */
static int take_step(struct place *place, const char **path)
{
	const char *at = *path;
	bool is_arrow = !strncmp(at, "->", 2);
	const struct btf_type *type;
	char name[WORD_MAX], *end;
	unsigned long index;
	size_t length;
	int err;

	if (*at == '[') {
		index = isdigit((unsigned char)at[1]) ? strtoul(at + 1, &end, 0) : 0;
		if (!isdigit((unsigned char)at[1]) || *end != ']')
			return fault__set(place->fault, -EINVAL, "\"%s\": a number in brackets is an element", at);
		*path = end + 1;
		return take_element(place, index);
	}
	at += is_arrow ? 2 : 1;
	for (length = 0; isalnum((unsigned char)at[length]) || at[length] == '_'; length++)
		continue;
	if ((!is_arrow && **path != '.') || !length || length >= sizeof(name))
		return fault__set(place->fault, -EINVAL, "\"%s\": no member (\"->name\" is one)", *path);
	snprintf(name, sizeof(name), "%.*s", (int)length, at);
	*path = at + length;
	type = resolve(place->raw, &place->id);
	if (is_arrow != (kind_of(type) == BTF_KIND_PTR))
		return fault__set(place->fault, -EINVAL, is_arrow ? "\"->%s\": no pointer is before it" :
				  "\".%s\": a pointer is before it (\"->\" goes through it)", name);
	err = is_arrow ? dereference(place, type) : 0;
	return err ? err : take_member(place, name);
}

/*
 * Makes a bit field the bits of a number in memory: the smallest one that is aligned within its struct, so that no byte behind the struct
 * is read.
 */
static int take_bits(struct place *place, struct member_type *to)
{
	unsigned size = 1, before = 0;

	for (; size <= 8; size *= 2) {
		before = 8 * ((unsigned)place->offset % size) + place->bit;
		if (before + place->bits <= 8 * size)
			break;
	}
	if (size > 8)
		return fault__set(place->fault, -EINVAL, "a bit field that is in two words");
	place->offset -= (int)((unsigned)place->offset % size);
	/* BTF counts from the byte's lowest bit on little-endian machines, from the highest one on others */
	place->hops->shift = (unsigned char)(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 8 * size - before - place->bits : before);
	place->hops->bits = (unsigned char)place->bits;
	to->size = size;
	return 0;
}

/* From where place is, to the path's end; *id: the type that is there. */
static int follow(struct place *place, __u32 *id, const char *path, struct member_type *to)
{
	struct rawbtf *raw = place->raw;
	const struct btf_type *type;
	char name[WORD_MAX];
	int err = 0;

	while (*path && !err)
		err = take_step(place, &path);
	if (err)
		return err;
	*id = place->id;
	type = resolve(raw, &place->id);
	if (kind_of(type) == BTF_KIND_ARRAY && is_char(raw, ((const struct btf_array *)(type + 1))->type)) {
		*to = (struct member_type){};
		return add_hop(place, place->offset);
	}
	if (!member__type_of(raw, place->id, to)) {
		member__type_name(raw, place->id, name, sizeof(name));
		return fault__set(place->fault, -EINVAL, "it is %s %s, and neither a number nor a text%s",
				  kind_of(type) == BTF_KIND_ARRAY ? "an array:" : "of type", name,
				  kind_of(type) == BTF_KIND_ARRAY ? " ([0] behind it is an element)" : "");
	}
	err = place->bits ? take_bits(place, to) : 0;
	if (!err)
		err = add_hop(place, place->offset);
	/* a char *: the text is where it points to */
	return err || to->size ? err : add_hop(place, 0);
}

int member__follow(struct rawbtf *raw, __u32 *id, const char *path, struct format_hops *hops, struct member_type *to,
		   struct fault *fault)
{
	struct place place = { .raw = raw, .hops = hops, .id = *id, .is_value = true, .fault = fault };

	*hops = (struct format_hops){};
	return follow(&place, id, path, to);
}

int member__follow_in(struct rawbtf *raw, __u32 *id, const char *path, struct format_hops *hops, struct member_type *to,
		      struct fault *fault)
{
	struct place place = { .raw = raw, .hops = hops, .id = *id, .fault = fault };
	char within[2 * WORD_MAX];

	*hops = (struct format_hops){};
	/* the pointer is behind us: what is there is a part of the struct */
	if (snprintf(within, sizeof(within), ".%s", path + 2) >= (int)sizeof(within))
		return fault__set(fault, -EINVAL, "a path of more than %d characters", 2 * WORD_MAX);
	return follow(&place, id, within, to);
}

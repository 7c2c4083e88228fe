/* SPDX-License-Identifier: BSD-2-Clause */
#include "tpbtf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/ctx.h"
#include "relos.h"

/* An int of that size in target: its id, or -errno. */
static int int_id(struct tpbtf *tpbtf, unsigned size, bool is_signed)
{
	static const char *const names[4][2] = {
		{ "u8", "s8" }, { "u16", "s16" }, { "u32", "s32" }, { "u64", "s64" },
	};
	int log2 = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
	int *id;

	if (log2 < 0)
		return -ENOENT;
	id = &tpbtf->int_ids[log2][is_signed];
	if (!*id)
		*id = btf__add_int(tpbtf->target, names[log2][is_signed], size, is_signed ? BTF_INT_SIGNED : 0);
	return *id;
}

static int pointer_id(struct tpbtf *tpbtf)
{
	if (!tpbtf->pointer_id)
		tpbtf->pointer_id = btf__add_ptr(tpbtf->target, 0);
	return tpbtf->pointer_id;
}

/*
 * A type in target that has the size and sign of the kernel's field, and the kind of the program's member, since a
 * format file does not tell kinds apart that CO-RE does: an enum, a pointer, an int.  -ENOENT: they have nothing in
 * common (a scalar and an array), so that the field is as good as missing.
 */
static int member_type(struct tpbtf *tpbtf, const struct format *format, const struct format_field *field,
		       __u32 member_id)
{
	const struct btf_type *type = relo__resolve(tpbtf->btf, &member_id), *elem;
	unsigned size = field->size, elem_size;
	bool is_signed = field->is_signed;
	__u32 elem_id;
	int id;

	if (!type)
		return -ENOENT;
	if (ctx__is_syscall(format)) {
		/* An argument has 8 bytes, of which the program takes as many as the argument's type has. */
		size = btf_is_int(type) || btf_is_any_enum(type) ? type->size : 8;
		is_signed = btf_is_int(type) && btf_int_encoding(type) & BTF_INT_SIGNED;
		if (size > 8)
			return -ENOENT;
	}
	if (field->loc != FORMAT_PLAIN)
		is_signed = false;
	if (ctx__is_scalar(field)) {
		if (btf_is_int(type))
			return int_id(tpbtf, size, is_signed);
		if (btf_is_ptr(type))
			return size == 8 ? pointer_id(tpbtf) : -ENOENT;
		if (btf_is_any_enum(type))
			return btf__add_enum(tpbtf->target, btf__name_by_offset(tpbtf->btf, type->name_off), size);
		return -ENOENT;
	}
	if (!btf_is_array(type))
		return -ENOENT;
	elem_id = btf_array(type)->type;
	elem = relo__resolve(tpbtf->btf, &elem_id);
	if (!elem || (!btf_is_int(elem) && !btf_is_ptr(elem)))
		return -ENOENT;
	elem_size = field->is_array && field->elem_size ? field->elem_size : 1;
	/* an array of structs is bytes to the program */
	if (btf_is_int(elem) && elem->size == 1)
		elem_size = 1;
	id = btf_is_ptr(elem) ? (elem_size == 8 ? pointer_id(tpbtf) : -ENOENT) : int_id(tpbtf, elem_size, is_signed);
	return id < 0 ? id : btf__add_array(tpbtf->target, id, id, size / elem_size);
}

/* The value's place in its slot, where the slot is larger than the value (syscall arguments). */
static unsigned slot_offset(const struct tpbtf *tpbtf, const struct format *format, int type_id)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	if (ctx__is_syscall(format))
		return 8 - (unsigned)btf__resolve_size(tpbtf->target, (__u32)type_id);
#endif
	(void)tpbtf;
	(void)format;
	(void)type_id;
	return 0;
}

static const struct btf_member *find_member(const struct tpbtf *tpbtf, const struct btf_type *type, const char *name)
{
	const struct btf_member *member = btf_members(type);

	for (__u32 i = 0; i < btf_vlen(type); i++, member++)
		if (!strcmp(btf__name_by_offset(tpbtf->btf, member->name_off), name))
			return member;
	return NULL;
}

int tpbtf__add(struct tpbtf *tpbtf, const struct format *format, const struct btf *btf, __u32 struct_id)
{
	const struct btf_type *type = btf__type_by_id(btf, struct_id);
	const char *tag = btf__name_by_offset(btf, type->name_off);
	char name[CTX_MEMBER_NAME_SIZE];
	unsigned end = 0;
	int *type_ids, err = 0;

	tpbtf->btf = btf;
	/* the members' types first: a struct's fields are added to the last type */
	type_ids = calloc(format->fields_count + 1, sizeof(*type_ids));
	if (!type_ids)
		return -ENOMEM;
	for (unsigned i = 0; i < format->fields_count; i++) {
		const struct format_field *field = &format->fields[i];
		const struct btf_member *member;

		end = field->offset + field->size;
		member = find_member(tpbtf, type, ctx__member_name(field, name));
		if (!member || ctx__offset(format, field) < 0)
			continue;
		type_ids[i] = member_type(tpbtf, format, field, member->type);
		if (type_ids[i] < 0 && type_ids[i] != -ENOENT) {
			err = type_ids[i];
			goto out;
		}
	}
	if (snprintf(name, sizeof(name), "%.*s", (int)relo__essential_length(tag), tag) >= (int)sizeof(name))
		err = -ENAMETOOLONG;
	else
		err = btf__add_struct(tpbtf->target, name, end);
	for (unsigned i = 0; i < format->fields_count && err >= 0; i++) {
		const struct format_field *field = &format->fields[i];

		if (type_ids[i] > 0)
			err = btf__add_field(tpbtf->target, ctx__member_name(field, name), type_ids[i],
					     8 * ((unsigned)ctx__offset(format, field) +
						  slot_offset(tpbtf, format, type_ids[i])), 0);
	}
out:
	free(type_ids);
	return err < 0 ? err : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "relo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool relo__is_field(const struct relo *relo)
{
	return relo->kind <= BPF_CORE_FIELD_RSHIFT_U64;
}

bool relo__is_enumerator(const struct relo *relo)
{
	return relo->kind == BPF_CORE_ENUMVAL_EXISTS || relo->kind == BPF_CORE_ENUMVAL_VALUE;
}

bool relo__is_question(const struct relo *relo)
{
	return relo->kind == BPF_CORE_FIELD_EXISTS || relo->kind == BPF_CORE_TYPE_EXISTS ||
	       relo->kind == BPF_CORE_ENUMVAL_EXISTS || relo->kind == BPF_CORE_TYPE_MATCHES;
}

/* The next number of an access, moves *pos behind it and its colon; false at the end or where there is none. */
static bool next_index(const char **pos, __u32 *index)
{
	char *end;
	unsigned long value;

	if (**pos < '0' || **pos > '9')
		return false;
	value = strtoul(*pos, &end, 10);
	if (value > 0xffffffff || (*end && *end != ':'))
		return false;
	*index = (__u32)value;
	*pos = *end ? end + 1 : end;
	return true;
}

const struct btf_type *relo__resolve(const struct btf *btf, __u32 *id)
{
	const struct btf_type *type = btf__type_by_id(btf, *id);

	while (type && (btf_is_mod(type) || btf_is_typedef(type))) {
		*id = type->type;
		type = btf__type_by_id(btf, *id);
	}
	return type;
}

int relo__steps(const struct relo *relo, const struct btf *btf, struct relo_step *steps)
{
	const char *pos = relo->access;
	__u32 id = relo->root_id, index;
	int count = 0;

	if (!relo__resolve(btf, &id) || !next_index(&pos, &index))
		return -EINVAL;
	steps[count++] = (struct relo_step){ .index = index, .type_id = id };
	while (*pos) {
		const struct btf_type *type = relo__resolve(btf, &id);

		if (!type || count == RELO_STEPS_MAX || !next_index(&pos, &index))
			return -EINVAL;
		if (btf_is_composite(type)) {
			const struct btf_member *member;
			const char *name;

			if (index >= btf_vlen(type))
				return -EINVAL;
			member = &btf_members(type)[index];
			name = btf__name_by_offset(btf, member->name_off);
			id = member->type;
			if (name && *name)
				steps[count++] = (struct relo_step){ name, index, id };
		} else if (btf_is_array(type)) {
			id = btf_array(type)->type;
			steps[count++] = (struct relo_step){ .index = index, .type_id = id };
		} else {
			return -EINVAL;
		}
	}
	return count;
}

const char *relo__enumerator(const struct relo *relo, const struct btf *btf)
{
	const char *pos = relo->access;
	__u32 id = relo->root_id, index;
	const struct btf_type *type = relo__resolve(btf, &id);

	if (!type || !next_index(&pos, &index) || index >= btf_vlen(type))
		return NULL;
	if (btf_is_enum(type))
		return btf__name_by_offset(btf, btf_enum(type)[index].name_off);
	if (btf_is_enum64(type))
		return btf__name_by_offset(btf, btf_enum64(type)[index].name_off);
	return NULL;
}

size_t relo__essential_length(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = length; i >= 5; i--) {
		const char *flavour = name + i - 5;

		if (flavour[0] != '_' && !memcmp(flavour + 1, "___", 3) && flavour[4] != '_')
			return (size_t)(flavour + 1 - name);
	}
	return length;
}

/* ---- what libbpf would find */

/* Whether a name of target is, without its flavour, the first length bytes of name. */
static bool has_essential_name(const struct btf *target, __u32 name_off, const char *name, size_t length)
{
	const char *target_name = btf__name_by_offset(target, name_off);

	return !strncmp(target_name, name, length) && relo__essential_length(target_name) == length;
}

static bool kinds_fit(const struct btf_type *type, const struct btf_type *target_type)
{
	return btf_kind(type) == btf_kind(target_type) || (btf_is_any_enum(type) && btf_is_any_enum(target_type));
}

/* Types of a member, as bpf_core_fields_are_compat() compares them. */
static bool members_fit(const struct btf *btf, __u32 id, const struct btf *target, __u32 target_id)
{
	for (;;) {
		const struct btf_type *type = relo__resolve(btf, &id), *target_type = relo__resolve(target, &target_id);
		const char *name;

		if (!type || !target_type)
			return false;
		if (btf_is_composite(type) && btf_is_composite(target_type))
			return true;
		if (!kinds_fit(type, target_type))
			return false;
		switch (btf_kind(type)) {
		case BTF_KIND_PTR:
		case BTF_KIND_FLOAT:
			return true;
		case BTF_KIND_INT:
			return !btf_int_offset(type) && !btf_int_offset(target_type);
		case BTF_KIND_FWD:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
			name = btf__name_by_offset(btf, type->name_off);
			return !*name || !*btf__name_by_offset(target, target_type->name_off) ||
			       has_essential_name(target, target_type->name_off, name, relo__essential_length(name));
		case BTF_KIND_ARRAY:
			id = btf_array(type)->type;
			target_id = btf_array(target_type)->type;
			break;
		default:
			return false;
		}
	}
}

/* The member of that name, also in anonymous members: its type, and whether it is the last of its struct; 0: none. */
static __u32 find_member(const struct btf *target, const struct btf_type *type, const char *name, bool *is_last)
{
	const struct btf_member *member = btf_members(type);

	for (__u32 i = 0; i < btf_vlen(type); i++, member++) {
		const char *member_name = btf__name_by_offset(target, member->name_off);
		__u32 id = member->type, found;
		const struct btf_type *inner;

		if (*member_name) {
			*is_last = i == btf_vlen(type) - 1U;
			if (!strcmp(member_name, name))
				return id;
			continue;
		}
		inner = relo__resolve(target, &id);
		found = inner && btf_is_composite(inner) ? find_member(target, inner, name, is_last) : 0;
		if (found)
			return found;
	}
	return 0;
}

static bool field_is_in(const struct relo_step *steps, int count, const struct btf *btf, const struct btf *target,
			__u32 id)
{
	bool is_last = false;

	for (int i = 1; i < count; i++) {
		const struct btf_type *type = relo__resolve(target, &id);

		if (!type)
			return false;
		if (steps[i].name) {
			id = btf_is_composite(type) ? find_member(target, type, steps[i].name, &is_last) : 0;
			if (!id || !members_fit(btf, steps[i].type_id, target, id))
				return false;
		} else {
			/* an array without a length, at the end of a struct, has as many elements as one wants */
			if (!btf_is_array(type))
				return false;
			if (steps[i].index >= btf_array(type)->nelems && (btf_array(type)->nelems || !is_last))
				return false;
			id = btf_array(type)->type;
			is_last = false;
		}
	}
	return true;
}

static bool enumerator_is_in(const char *name, const struct btf *target, const struct btf_type *type)
{
	size_t length = relo__essential_length(name);

	for (__u32 i = 0; i < btf_vlen(type); i++)
		if (has_essential_name(target,
				       btf_is_enum(type) ? btf_enum(type)[i].name_off : btf_enum64(type)[i].name_off,
				       name, length))
			return true;
	return false;
}

bool relo__is_found(const struct relo *relo, const struct btf *btf, const struct btf *target)
{
	const struct btf_type *root = btf__type_by_id(btf, relo->root_id);
	struct relo_step steps[RELO_STEPS_MAX];
	const char *enumerator = NULL, *name;
	__u32 types_count;
	size_t length;
	int count = 0;

	if (relo->kind == BPF_CORE_TYPE_ID_LOCAL)
		return true;
	if (relo__is_field(relo))
		count = relo__steps(relo, btf, steps);
	if (relo__is_enumerator(relo))
		enumerator = relo__enumerator(relo, btf);
	if (!root || count < 0 || (relo__is_enumerator(relo) && !enumerator))
		return false;
	name = btf__name_by_offset(btf, root->name_off);
	length = relo__essential_length(name);
	types_count = btf__type_cnt(target);
	for (__u32 id = 1; id < types_count; id++) {
		const struct btf_type *type = btf__type_by_id(target, id);
		__u32 resolved_id = id;

		if (!kinds_fit(root, type) || !has_essential_name(target, type->name_off, name, length))
			continue;
		type = relo__resolve(target, &resolved_id);
		if (enumerator ? type && btf_is_any_enum(type) && enumerator_is_in(enumerator, target, type) :
				 field_is_in(steps, count, btf, target, id))
			return true;
	}
	return false;
}

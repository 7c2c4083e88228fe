/* SPDX-License-Identifier: BSD-2-Clause */
#include "minbtf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Anonymous structs and unions inside each other, arrays of arrays, pointers to pointers: more is damage. */
#define NESTING_MAX 32

/* A type that is going to be added; its id in the new BTF is first_id + its index in the list. */
struct node {
	__u32 raw_id;			/* 0: the pointer to void that stands for all pointers */
	const struct btf_type *type;	/* in raw */
	__u32 *marks;			/* a bit for each member or enumerator that is asked for */
};

struct set {
	struct rawbtf *raw;
	struct node *nodes;
	size_t count, room;
};

/* A type that has the name of one of the roots. */
struct root {
	__u32 raw_id, kind, name_off;
};

struct roots {
	struct root *list;
	size_t count, room;
};

static int node_find(const struct set *set, __u32 raw_id)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->nodes[i].raw_id == raw_id)
			return (int)i;
	return -ENOENT;
}

/* The node of a type, made if it is not there; its place or -errno.  type is NULL for raw_id 0. */
static int node_get(struct set *set, __u32 raw_id, const struct btf_type *type)
{
	int at = node_find(set, raw_id);

	if (at >= 0)
		return at;
	if (set->count == set->room) {
		size_t room = set->room * 2 + 32;
		struct node *nodes = realloc(set->nodes, room * sizeof(*nodes));

		if (!nodes)
			return -ENOMEM;
		set->nodes = nodes;
		set->room = room;
	}
	set->nodes[set->count] = (struct node){ .raw_id = raw_id, .type = type };
	if (type && btf_vlen(type)) {
		set->nodes[set->count].marks = calloc(btf_vlen(type) / 32 + 1, sizeof(__u32));
		if (!set->nodes[set->count].marks)
			return -ENOMEM;
	}
	return (int)set->count++;
}

static void mark(struct set *set, int node, __u32 index)
{
	set->nodes[node].marks[index / 32] |= 1U << index % 32;
}

static bool is_marked(const struct node *node, __u32 index)
{
	return node->marks[index / 32] >> index % 32 & 1;
}

/*
 * What a field's type, or the type behind a typedef, is taken as: its place, or -errno.  through: pointers and
 * functions with the types that they are made of, for relocations that are about a type as a whole.
 */
static int add_type(struct set *set, __u32 raw_id, bool through, int nesting)
{
	const struct btf_type *type = rawbtf__resolve(set->raw, &raw_id);
	int at, err = 0;

	if (!type)
		return -errno;
	if (nesting == NESTING_MAX)
		return -EINVAL;
	if (btf_is_ptr(type) && !through)
		return node_get(set, 0, NULL);
	at = node_find(set, raw_id);
	if (at >= 0)
		return at;
	at = node_get(set, raw_id, type);
	if (at < 0)
		return at;
	if (btf_is_array(type)) {
		err = add_type(set, btf_array(type)->type, through, nesting + 1);
	} else if (btf_is_ptr(type)) {
		__u32 id = type->type;

		if (rawbtf__resolve(set->raw, &id))
			err = add_type(set, id, through, nesting + 1);
	} else if (btf_is_func_proto(type)) {
		const struct btf_param *params = btf_params(type);
		__u32 id = type->type;

		if (rawbtf__resolve(set->raw, &id))
			err = add_type(set, id, through, nesting + 1);
		for (__u32 i = 0; i < btf_vlen(type) && err >= 0; i++) {
			id = params[i].type;
			if (rawbtf__resolve(set->raw, &id))
				err = add_type(set, id, through, nesting + 1);
		}
	}
	return err < 0 ? err : at;
}

/*
 * Marks the member of that name, which may lie in an anonymous struct or union of this one, and those on the way to
 * it.  1 and its type, 0: there is none, or -errno.
 */
static int add_member(struct set *set, __u32 raw_id, const struct btf_type *type, const char *name, __u32 *member_id,
		      int nesting)
{
	const struct btf_member *member = btf_members(type);
	int node, found;

	if (nesting == NESTING_MAX)
		return -EINVAL;
	for (__u32 i = 0; i < btf_vlen(type); i++, member++) {
		const char *member_name = rawbtf__string(set->raw, member->name_off);
		const struct btf_type *inner;
		__u32 inner_id = member->type;

		if (*member_name) {
			if (strcmp(member_name, name))
				continue;
			found = add_type(set, member->type, false, 0);
			*member_id = member->type;
			if (found < 0)
				return found;
		} else {
			inner = rawbtf__resolve(set->raw, &inner_id);
			if (!inner)
				return -errno;
			if (!btf_is_composite(inner))
				continue;
			found = add_member(set, inner_id, inner, name, member_id, nesting + 1);
			if (found < 0)
				return found;
			if (!found)
				continue;
		}
		node = node_get(set, raw_id, type);
		if (node < 0)
			return node;
		mark(set, node, i);
		return 1;
	}
	return 0;
}

/* Follows a field's access as far as the types have what it asks for. */
static int add_steps(struct set *set, __u32 raw_id, const struct relo_step *steps, int count)
{
	/* the first one is about the root as an element of an array, which needs no more than its size */
	for (int i = 1; i < count; i++) {
		const struct btf_type *type = rawbtf__resolve(set->raw, &raw_id);
		int found;

		if (!type)
			return -errno;
		if (steps[i].name) {
			if (!btf_is_composite(type))
				return 0;
			found = add_member(set, raw_id, type, steps[i].name, &raw_id, 0);
			if (found <= 0)
				return found;
		} else {
			if (!btf_is_array(type))
				return 0;
			raw_id = btf_array(type)->type;
		}
	}
	return 0;
}

static void add_enumerator(struct set *set, int node, const char *name)
{
	const struct btf_type *type = set->nodes[node].type;

	for (__u32 i = 0; i < btf_vlen(type); i++) {
		__u32 name_off = btf_is_enum(type) ? btf_enum(type)[i].name_off : btf_enum64(type)[i].name_off;

		if (!strcmp(rawbtf__string(set->raw, name_off), name))
			mark(set, node, i);
	}
}

static int add_want(struct set *set, __u32 raw_id, const struct minbtf_want *want)
{
	const struct btf_type *type = rawbtf__type(set->raw, raw_id);
	int node;

	if (!type)
		return -errno;
	if (btf_is_typedef(type)) {
		node = node_get(set, raw_id, type);
		if (node < 0)
			return node;
	}
	node = add_type(set, raw_id, !want->steps_count, 0);
	/* "typedef void name;" is the one that leads nowhere */
	if (node < 0)
		return node == -EINVAL ? 0 : node;
	if (want->enumerator && btf_is_any_enum(set->nodes[node].type))
		add_enumerator(set, node, want->enumerator);
	return add_steps(set, raw_id, want->steps, want->steps_count);
}

/* ---- writing the nodes */

/* The id that a type of raw has in the new BTF, 0 for void and for what is not among the nodes. */
static int new_id(const struct set *set, int first_id, __u32 raw_id, bool through)
{
	const struct btf_type *type = rawbtf__resolve(set->raw, &raw_id);
	int at = type ? node_find(set, raw_id) : -ENOENT;

	if (type && btf_is_ptr(type) && (!through || at < 0))
		at = node_find(set, 0);
	return at < 0 ? 0 : first_id + at;
}

static const char *name_of(const struct set *set, const struct btf_type *type)
{
	return rawbtf__string(set->raw, type->name_off);
}

static int write_composite(struct btf *to, const struct set *set, const struct node *node, int first_id)
{
	const struct btf_type *type = node->type;
	int err;

	if (btf_is_union(type))
		err = btf__add_union(to, name_of(set, type), type->size);
	else
		err = btf__add_struct(to, name_of(set, type), type->size);
	for (__u32 i = 0; i < btf_vlen(type) && err >= 0; i++) {
		const struct btf_member *member = &btf_members(type)[i];

		if (is_marked(node, i))
			err = btf__add_field(to, rawbtf__string(set->raw, member->name_off),
					     new_id(set, first_id, member->type, false), btf_member_bit_offset(type, i),
					     btf_member_bitfield_size(type, i));
	}
	return err;
}

static int write_enum(struct btf *to, const struct set *set, const struct node *node)
{
	const struct btf_type *type = node->type;
	int err;

	if (btf_is_enum(type))
		err = btf__add_enum(to, name_of(set, type), type->size);
	else
		err = btf__add_enum64(to, name_of(set, type), type->size, btf_kflag(type));
	for (__u32 i = 0; i < btf_vlen(type) && err >= 0; i++) {
		if (!is_marked(node, i))
			continue;
		if (btf_is_enum(type)) {
			const struct btf_enum *value = &btf_enum(type)[i];

			/* without the sign flag the number is meant as unsigned */
			err = btf__add_enum_value(to, rawbtf__string(set->raw, value->name_off),
						  btf_kflag(type) ? value->val : (__s64)(__u32)value->val);
		} else {
			const struct btf_enum64 *value = &btf_enum64(type)[i];

			err = btf__add_enum64_value(to, rawbtf__string(set->raw, value->name_off),
						    btf_enum64_value(value));
		}
	}
	return err;
}

static int write_func_proto(struct btf *to, const struct set *set, const struct btf_type *type, int first_id)
{
	const struct btf_param *params = btf_params(type);
	int err = btf__add_func_proto(to, new_id(set, first_id, type->type, true));

	for (__u32 i = 0; i < btf_vlen(type) && err >= 0; i++)
		err = btf__add_func_param(to, rawbtf__string(set->raw, params[i].name_off),
					  new_id(set, first_id, params[i].type, true));
	return err;
}

/* One node is one type. */
static int write_node(struct btf *to, const struct set *set, const struct node *node, int first_id)
{
	const struct btf_type *type = node->type;
	int id;

	if (!type)
		return btf__add_ptr(to, 0);
	switch (btf_kind(type)) {
	case BTF_KIND_INT:
		return btf__add_int(to, name_of(set, type), type->size, btf_int_encoding(type));
	case BTF_KIND_FLOAT:
		return btf__add_float(to, name_of(set, type), type->size);
	case BTF_KIND_PTR:
		return btf__add_ptr(to, new_id(set, first_id, type->type, true));
	case BTF_KIND_TYPEDEF:
		return btf__add_typedef(to, name_of(set, type), new_id(set, first_id, type->type, true));
	case BTF_KIND_FWD:
		return btf__add_fwd(to, name_of(set, type), btf_kflag(type) ? BTF_FWD_UNION : BTF_FWD_STRUCT);
	case BTF_KIND_ARRAY:
		/* what the index is of does not matter to anyone */
		id = new_id(set, first_id, btf_array(type)->type, false);
		return btf__add_array(to, id, id, btf_array(type)->nelems);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return write_composite(to, set, node, first_id);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return write_enum(to, set, node);
	case BTF_KIND_FUNC_PROTO:
		return write_func_proto(to, set, type, first_id);
	default:
		return -EINVAL;
	}
}

/* ---- finding the roots */

static int root_found(void *ctx, __u32 id, const struct btf_type *type)
{
	struct roots *roots = ctx;

	if (roots->count == roots->room) {
		size_t room = roots->room * 2 + 16;
		struct root *list = realloc(roots->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		roots->list = list;
		roots->room = room;
	}
	roots->list[roots->count++] = (struct root){ id, btf_kind(type), type->name_off };
	return 0;
}

static __u32 same_kind(__u32 kind)
{
	return kind == BTF_KIND_ENUM64 ? BTF_KIND_ENUM : kind;
}

/* The names of the wants' roots, each once; their number, or -errno. */
static int list_names(const struct minbtf_want *wants, size_t wants_count, const char ***names)
{
	size_t count = 0;

	*names = calloc(wants_count + 1, sizeof(**names));
	if (!*names)
		return -ENOMEM;
	for (size_t i = 0; i < wants_count; i++) {
		size_t j = 0;

		while (j < count && strcmp((*names)[j], wants[i].root))
			j++;
		if (j == count)
			(*names)[count++] = wants[i].root;
	}
	return (int)count;
}

static int find_roots(struct roots *roots, struct rawbtf *raw, const struct minbtf_want *wants, size_t wants_count)
{
	const char **names;
	__u64 kinds = 0;
	int count, err;

	for (size_t i = 0; i < wants_count; i++)
		kinds |= 1ULL << wants[i].kind | (same_kind(wants[i].kind) == BTF_KIND_ENUM ?
						  1ULL << BTF_KIND_ENUM | 1ULL << BTF_KIND_ENUM64 : 0);
	count = list_names(wants, wants_count, &names);
	if (count < 0)
		return count;
	err = rawbtf__scan(raw, names, (size_t)count, kinds, root_found, roots);
	free(names);
	return err;
}

int minbtf__add(struct btf *to, struct rawbtf *raw, const struct minbtf_want *wants, size_t wants_count)
{
	struct set set = { .raw = raw };
	struct roots roots = {};
	int err, first_id;

	err = find_roots(&roots, raw, wants, wants_count);
	for (size_t i = 0; i < wants_count && !err; i++)
		for (size_t j = 0; j < roots.count && !err; j++)
			if (same_kind(roots.list[j].kind) == same_kind(wants[i].kind) &&
			    !strcmp(rawbtf__string(raw, roots.list[j].name_off), wants[i].root))
				err = add_want(&set, roots.list[j].raw_id, &wants[i]);
	first_id = (int)btf__type_cnt(to);
	for (size_t i = 0; i < set.count && !err; i++) {
		int id = write_node(to, &set, &set.nodes[i], first_id);

		err = id < 0 ? id : 0;
	}
	for (size_t i = 0; i < set.count; i++)
		free(set.nodes[i].marks);
	free(set.nodes);
	free(roots.list);
	return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "role.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <bpf/btf.h>

#include "lib/shared/role.h"
#include "links.h"

/* What the tag says; false: it is no tag of ours. */
static bool is_role(const char *tag, enum role *role)
{
	static const struct {
		const char *tag;
		enum role role;
	} roles[] = {
		{ ROLE_BEGIN, ROLE_SEES_BEGIN },
		{ ROLE_END, ROLE_SEES_END },
		{ ROLE_WHOLE, ROLE_SEES_WHOLE },
		{ ROLE_NO_EVENT, ROLE_SEES_NOTHING },
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		if (!strcmp(tag, roles[i].tag)) {
			*role = roles[i].role;
			return true;
		}
	return false;
}

/* What the program says of itself; false: nothing. */
static bool is_tagged(const struct btf *btf, const char *name, enum role *role)
{
	const struct btf_type *type, *function;

	for (__u32 id = 1; id < btf__type_cnt(btf); id++) {
		type = btf__type_by_id(btf, id);
		if (!btf_is_decl_tag(type))
			continue;
		function = btf__type_by_id(btf, type->type);
		if (btf_is_func(function) && !strcmp(btf__name_by_offset(btf, function->name_off), name) &&
		    is_role(btf__name_by_offset(btf, type->name_off), role))
			return true;
	}
	return false;
}

enum role role__of(const struct bpf_object *object, const struct bpf_program *program)
{
	const struct btf *btf = bpf_object__btf(object);
	enum role role;

	/* the tag first: what ends a request may be seen at the entry of a function */
	if (btf && is_tagged(btf, bpf_program__name(program), &role))
		return role;
	if (links__is_return(program))
		return ROLE_SEES_END;
	return links__is_entry(program) ? ROLE_SEES_BEGIN : ROLE_OTHER;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "member_offset.h"

#include <errno.h>
#include <string.h>

#include <bpf/btf.h>

static int64_t find(const struct btf *btf, const struct btf_type *type, const char *name)
{
	const struct btf_member *member = btf_members(type);

	for (unsigned int i = 0; i < btf_vlen(type); i++, member++) {
		const char *its = btf__name_by_offset(btf, member->name_off);
		const struct btf_type *inner = btf__type_by_id(btf, member->type);
		int64_t offset;

		if (!strcmp(its, name))
			return btf_member_bit_offset(type, i) / 8;
		if (*its || !btf_is_composite(inner))
			continue;
		offset = find(btf, inner, name);
		if (offset >= 0)
			return btf_member_bit_offset(type, i) / 8 + offset;
	}
	return -ENOENT;
}

const struct btf_type *member_offset__struct(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);

	return id < 0 ? NULL : btf__type_by_id(btf, (__u32)id);
}

int64_t member_offset__find(const struct btf *btf, const char *type, const char *member)
{
	const struct btf_type *found = member_offset__struct(btf, type);

	return found ? find(btf, found, member) : -ENOENT;
}

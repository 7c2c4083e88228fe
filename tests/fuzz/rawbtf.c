/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: lib/rawbtf and lib/minbtf on raw BTF of any bytes, in memory, mapped and read through the small buffer.  The
 * kernel's own is sound; a damaged one, or one that some module brought, must be an error and no more.
 */
#include "lib/layout/rawbtf.h"

#include <bpf/libbpf.h>

#include "fuzz.h"
#include "lib/layout/minbtf.h"

static int look(void *ctx, __u32 id, const struct btf_type *type)
{
	struct rawbtf *raw = ctx;

	REQUIRE(id);
	REQUIRE(strlen(rawbtf__string(raw, type->name_off)) < 1 << 20);
	return 0;
}

static void check(struct rawbtf *raw)
{
	static const char *const names[] = { "filename", "task_struct", "inner", "int" };
	struct relo_step steps[] = { { .index = 0 }, { .name = "name" }, { .index = 1 } };
	const struct minbtf_want wants[] = {
		{ .root = "filename", .kind = BTF_KIND_STRUCT, .steps_count = 3, .steps = steps },
		{ .root = "task_struct", .kind = BTF_KIND_STRUCT, .steps_count = 2, .steps = steps },
		{ .root = "inner", .kind = BTF_KIND_UNION },
		{ .root = "pid_t", .kind = BTF_KIND_TYPEDEF },
		{ .root = "colour", .kind = BTF_KIND_ENUM, .enumerator = "RED" },
	};
	struct btf *small;
	int err;

	err = rawbtf__scan(raw, names, 4, ~0ULL, look, raw);
	for (__u32 id = 0; id < 300 && !err; id++) {
		const struct btf_type *type = rawbtf__type(raw, id);
		__u32 behind = id;

		if (type)
			rawbtf__string(raw, type->name_off);
		type = rawbtf__resolve(raw, &behind);
		REQUIRE(!type || behind);
	}
	small = btf__new_empty();
	REQUIRE(small);
	err = minbtf__add(small, raw, wants, sizeof(wants) / sizeof(*wants));
	REQUIRE(err <= 0);
	btf__free(small);
	rawbtf__free(raw);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = fuzz_copy(data, size);
	const char *path = fuzz_file(data, size);
	struct rawbtf *raw;

	libbpf_set_print(NULL);
	if (!rawbtf__from_memory(&raw, copy, size))
		check(raw);
	for (int mapped = 0; mapped <= 1; mapped++) {
		rawbtf__may_map = mapped;
		if (!rawbtf__open(&raw, path))
			check(raw);
	}
	free(copy);
	return 0;
}

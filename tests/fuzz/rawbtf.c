/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: lib/rawbtf and lib/minbtf on raw BTF of any bytes, in memory, mapped and read through the small buffer.  The
 * kernel's own is sound; a damaged one, or one that some module brought, must be an error and no more.
 */
#include "lib/btf/rawbtf.h"

#include <bpf/libbpf.h>

#include "fuzz.h"
#include "lib/layout/minbtf.h"

#define NAMES 4

static const char *const names[NAMES] = { "filename", "task_struct", "inner", "int" };

/* What a scan found: ids and names, as one number. */
struct seen {
	struct rawbtf *raw;
	__u64 sum, count;
	bool by_name;
	int err;
};

static int look(void *ctx, __u32 id, const struct btf_type *type)
{
	struct seen *seen = ctx;
	const char *name = rawbtf__string(seen->raw, type->name_off);
	bool is_wanted = !seen->by_name;

	REQUIRE(id);
	REQUIRE(strlen(name) < 1 << 20);
	for (int i = 0; i < NAMES; i++)
		is_wanted |= !strcmp(name, names[i]);
	REQUIRE(is_wanted);
	seen->sum = seen->sum * 31 + id;
	for (const char *at = name; *at; at++)
		seen->sum = seen->sum * 31 + (unsigned char)*at;
	seen->count++;
	return 0;
}

static struct seen scan(struct rawbtf *raw, bool by_name)
{
	struct seen seen = { .raw = raw, .by_name = by_name };

	seen.err = rawbtf__scan(raw, by_name ? names : NULL, by_name ? NAMES : 0, ~0ULL, look, &seen);
	return seen;
}

/*
 * All ways to read a file find the same types and names.  By their names it is the same too where each string is there once, as in the
 * kernel's; elsewhere what is read may be fewer, and never another one.
 */
static void compare(struct rawbtf *memory, struct rawbtf *raw)
{
	struct seen want = scan(memory, true), got = scan(raw, true);

	REQUIRE(got.count <= want.count && !got.err == !want.err);
	want = scan(memory, false);
	got = scan(raw, false);
	REQUIRE(got.sum == want.sum && got.count == want.count && !got.err == !want.err);
}

static void check(struct rawbtf *raw)
{
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

	err = scan(raw, true).err;
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

/* The same bytes as split BTF, on top of themselves. */
static void check_split(const char *bytes, size_t size)
{
	struct rawbtf *base, *raw;

	if (rawbtf__from_memory(&base, bytes, size))
		return;
	if (!scan(base, false).err) {
		REQUIRE(!rawbtf__from_memory(&raw, bytes, size));
		rawbtf__put_on(raw, base);
		check(raw);
	}
	rawbtf__free(base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = fuzz_copy(data, size);
	const char *path = fuzz_file(data, size);
	struct rawbtf *raw, *memory;

	libbpf_set_print(NULL);
	if (!rawbtf__from_memory(&raw, copy, size))
		check(raw);
	check_split(copy, size);
	for (int mapped = 0; mapped <= 1; mapped++) {
		rawbtf__may_map = mapped;
		if (rawbtf__open(&raw, path))
			continue;
		REQUIRE(!rawbtf__from_memory(&memory, copy, size));
		compare(memory, raw);
		rawbtf__free(memory);
		check(raw);
	}
	free(copy);
	return 0;
}

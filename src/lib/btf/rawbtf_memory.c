/* SPDX-License-Identifier: BSD-2-Clause */
/* What was asked of the kernel's BTF, kept for the next start. */
#include <stdlib.h>
#include <string.h>

#include "rawbtf_parts.h"

/* Counts into the key of answers: to be raised when what is kept of the same question changes. */
#define ANSWERS_VERSION 1

struct rawbtf_memory rawbtf__memory = { "/sys/kernel/btf/vmlinux", "/sys/kernel/notes", CACHE_FOLDER };

void rawbtf__remember(struct rawbtf *raw)
{
	struct memory *memory = raw->is_kernels && raw->strings_read && !raw->memory ? calloc(1, sizeof(*memory)) : NULL;

	if (memory && cache__build_id(&memory->key, rawbtf__memory.notes)) {
		free(memory);
		memory = NULL;
	}
	if (memory)
		raw->memory = memory;
}

/* No memory for it: then what was asked is not kept. */
static void forget(struct memory *memory)
{
	memory->has_key = false;
}

void rawbtf_memory__add_string(struct memory *memory, __u32 offset, const char *text, __u32 strings_size)
{
	if (!memory->has_key || offset >= strings_size)
		return;
	if (!memory->strings_added)
		memory->strings_added = calloc(strings_size / 8 + 1, 1);
	if (!memory->strings_added) {
		forget(memory);
		return;
	}
	if (memory->strings_added[offset / 8] >> offset % 8 & 1)
		return;
	memory->strings_added[offset / 8] |= (unsigned char)(1 << offset % 8);
	memory->is_new = true;
	if (answers__add_string(&memory->answers, offset, text))
		forget(memory);
}

void rawbtf_memory__add_type(struct memory *memory, __u32 id, const struct btf_type *type)
{
	if (!memory->has_key)
		return;
	memory->is_new = true;
	if (answers__add_type(&memory->answers, id, type))
		forget(memory);
}

void rawbtf__keep_answers(struct rawbtf *raw)
{
	struct memory *memory = raw->memory;
	void *bytes;
	size_t size;

	if (!memory || !memory->has_key || !memory->is_new)
		return;
	memory->is_new = false;
	if (answers__make(&memory->answers, &bytes, &size))
		return;
	/* a cache that cannot be written costs time at the next start, nothing else */
	cache__write(rawbtf__memory.folder, &memory->key, bytes, size);
	free(bytes);
}

static __u64 hash_question(const char *const *names, size_t count, __u64 kinds)
{
	const __u32 version = ANSWERS_VERSION;
	__u64 hash = cache__hash(CACHE_HASH_START, &version, sizeof(version));

	hash = cache__hash(hash, &kinds, sizeof(kinds));
	for (size_t i = 0; i < count; i++)
		hash = cache__hash(hash, names[i], strlen(names[i]) + 1);
	return hash;
}

/* A scan whose answers are kept. */
struct listener {
	struct rawbtf *raw;
	int (*found)(void *ctx, __u32 id, const struct btf_type *type);
	void *ctx;
};

static int listen(void *ctx, __u32 id, const struct btf_type *type)
{
	const struct listener *listener = ctx;
	struct memory *memory = listener->raw->memory;

	if (memory->has_key && answers__add_match(&memory->answers, id, type))
		forget(memory);
	return listener->found(listener->ctx, id, type);
}

int rawbtf_memory__ask(struct rawbtf *raw, const char *const *names, size_t names_count, __u64 kinds,
		       int (*found)(void *ctx, __u32 id, const struct btf_type *type), void *ctx)
{
	struct memory *memory = raw->memory;
	struct listener listener = { raw, found, ctx };
	void *bytes;
	size_t size;
	int err = 0;

	memory->key.hash = hash_question(names, names_count, kinds);
	memory->has_key = true;
	if (!cache__read(rawbtf__memory.folder, &memory->key, &bytes, &size) && !answers__parse(&memory->answers, bytes, size)) {
		raw->types_count = memory->answers.ids;
		for (size_t i = 0; i < memory->answers.matches_count && !err; i++)
			err = found(ctx, memory->answers.matches[i].id, &memory->answers.matches[i].head);
		return err;
	}
	err = rawbtf__scan_for(raw, names, names_count, kinds, listen, &listener);
	memory->answers.ids = raw->types_count;
	memory->is_new = true;
	/* it did not come to the end */
	if (err)
		forget(memory);
	return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans of all types, for names; and where names are among the strings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/file.h"
#include "rawbtf_parts.h"

#define NAMES_BUCKETS 64
/* of names that are looked for by where they are */
#define OFFSETS_MAX 64
#define OFFSET_WORDS 64
/* so many names are looked for one after the other: cheaper than to look at each string */
#define FEW_NAMES 3
#define NEEDLE_SIZE 512
/* of the strings: they are read no further than that beyond the last name */
#define CHUNK_SIZE (16 * 1024)

/* The names that a scan looks for, by a hash of their first letters, which sorts out nearly all other names. */
struct wanted {
	const char *const *names;	/* NULL: all */
	bool with_tails;
	int *next;			/* the next of the same bucket, -1: none */
	int first[NAMES_BUCKETS];
	/* Where they are among the strings. */
	bool by_offset;
	__u32 offsets[OFFSETS_MAX];
	size_t offsets_count;
	__u64 offset_bits[OFFSET_WORDS];	/* a bit for each of them, which sorts out nearly all others */
};

static unsigned bucket(const char *name)
{
	return ((unsigned char)name[0] * 31U + (name[0] ? (unsigned char)name[1] : 0U)) % NAMES_BUCKETS;
}

static int wanted_init(struct wanted *wanted, const char *const *names, size_t count)
{
	wanted->names = names;
	wanted->next = malloc((count + 1) * sizeof(*wanted->next));
	if (!wanted->next)
		return -ENOMEM;
	for (size_t i = 0; i < NAMES_BUCKETS; i++)
		wanted->first[i] = -1;
	for (size_t i = 0; i < count; i++) {
		int *first = &wanted->first[bucket(names[i])];

		wanted->next[i] = *first;
		*first = (int)i;
	}
	return 0;
}

/* Which of the names it is, or -1. */
static int wanted_find(const struct wanted *wanted, const char *name)
{
	int i = wanted->first[bucket(name)];

	while (i >= 0 && strcmp(wanted->names[i], name))
		i = wanted->next[i];
	return i;
}

/* ---- names by where they are among the strings */

static void add_offset(struct wanted *wanted, __u32 offset)
{
	wanted->offsets[wanted->offsets_count++] = offset;
	wanted->offset_bits[offset / 64 % OFFSET_WORDS] |= 1ull << offset % 64;
}

static inline bool has_offset(const struct wanted *wanted, __u32 offset)
{
	if (!(wanted->offset_bits[offset / 64 % OFFSET_WORDS] >> offset % 64 & 1))
		return false;
	for (size_t i = 0; i < wanted->offsets_count; i++)
		if (wanted->offsets[i] == offset)
			return true;
	return false;
}

/*
 * Looks for names in a chunk of size bytes of the strings, which begins at the offset `at`; for each, the 0 bytes around it
 * are looked for too.  Returns how many bytes are done with, 0: the name is too long.
 */
static __u32 find_few(const struct wanted *wanted, size_t count, const char *chunk, __u32 size, __u32 at, __u32 *offsets)
{
	char needle[NEEDLE_SIZE];
	__u32 longest = 1;

	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(wanted->names[i]);
		const char *place;

		if (length + 2 > sizeof(needle))
			return 0;
		if (length + 2 > longest)
			longest = (__u32)length + 2;
		if (offsets[i])
			continue;
		needle[0] = 0;
		memcpy(needle + 1, wanted->names[i], length + 1);
		place = memmem(chunk, size, needle, length + 2);
		if (place)
			offsets[i] = at + (__u32)(place - chunk) + 1;
	}
	return size > longest - 1 ? size - (longest - 1) : 0;
}

/* The same for many of them: looks at each string.  The last one may go on behind the chunk. */
static __u32 find_many(const struct wanted *wanted, size_t count, const char *chunk, __u32 size, __u32 at, __u32 *offsets)
{
	const char *name = chunk, *end;

	(void)count;
	while ((end = memchr(name, 0, size - (size_t)(name - chunk)))) {
		int i = wanted_find(wanted, name);

		if (i >= 0 && !offsets[i])
			offsets[i] = at + (__u32)(name - chunk);
		name = end + 1;
	}
	return (__u32)(name - chunk);
}

/*
 * A chunk of the strings, of *size bytes; NULL with errno.  Those that are not in memory are read into the types' window,
 * which lends its room.
 */
static const char *strings_at(struct rawbtf *raw, __u32 at, __u32 *size)
{
	ssize_t got;

	*size = raw->strings_size - at;
	if (!raw->strings_read)
		return raw->strings + at;
	if (*size > CHUNK_SIZE)
		*size = CHUNK_SIZE;
	raw->window_used = 0;
	got = file__read_at(raw->fd, raw->window, *size, raw->strings_offset + at);
	if (got == (ssize_t)*size)
		return raw->window;
	errno = got < 0 ? (int)-got : EINVAL;
	return NULL;
}

static size_t count_missing(const __u32 *offsets, size_t count)
{
	size_t missing = 0;

	for (size_t i = 0; i < count; i++)
		missing += !offsets[i];
	return missing;
}

/* Finds where the names are, reading the strings only as far as that takes.  0 or -errno. */
static int find_offsets(struct rawbtf *raw, const struct wanted *wanted, size_t count, __u32 *offsets)
{
	__u32 at = 0, used, size;

	memset(offsets, 0, count * sizeof(*offsets));
	while (at < raw->strings_size && count_missing(offsets, count)) {
		const char *chunk = strings_at(raw, at, &size);

		if (!chunk)
			return -errno;
		used = (count <= FEW_NAMES ? find_few : find_many)(wanted, count, chunk, size, at, offsets);
		/* behind the last string: what was not found is not there */
		if (at + size == raw->strings_size)
			return 0;
		if (!used)
			return -E2BIG;
		at += used;
	}
	return 0;
}

int rawbtf__find_strings(struct rawbtf *raw, const char *const *names, size_t count, __u32 *offsets)
{
	struct wanted wanted = {};
	int err = wanted_init(&wanted, names, count);

	if (!err)
		err = find_offsets(raw, &wanted, count, offsets);
	free(wanted.next);
	return err;
}

/*
 * Whether a scan can look for the names by where they are; else it compares the names themselves.  Of the kernel's BTF one place each is
 * enough: pahole leaves each string once (libbpf's btf__dedup()).
 */
static bool by_offset(struct rawbtf *raw, struct wanted *wanted, size_t count)
{
	__u32 offsets[OFFSETS_MAX];

	/* a module's names may be among the kernel's */
	if (!raw->strings_read || raw->base || !count || count > OFFSETS_MAX || find_offsets(raw, wanted, count, offsets))
		return false;
	for (size_t i = 0; i < count; i++)
		if (offsets[i])
			add_offset(wanted, offsets[i]);
	return true;
}

static inline bool is_wanted(const struct rawbtf *raw, const struct wanted *wanted, __u32 offset)
{
	if (!wanted->names)
		return true;
	return wanted->by_offset ? has_offset(wanted, offset) : wanted_find(wanted, rawbtf__string_at(raw, offset)) >= 0;
}

/* ---- scanning */

/* Looks at the types' heads; what follows them may lie beyond the window, which is moved where the tails are wanted. */
static int scan(struct rawbtf *raw, const struct wanted *wanted, __u64 kinds,
		int (*found)(void *ctx, __u32 id, const struct btf_type *type), void *ctx)
{
	__u32 offset = 0, id = 1;

	while (offset < raw->types_size) {
		__u32 available, pos = 0;
		const char *start;

		start = rawbtf__bytes_at(raw, offset, HEAD, WINDOW_SIZE, &available);
		if (!start)
			return -errno;
		if (available < HEAD)
			return -EINVAL;
		/* The kernel has 100,000 types and more: each instruction here counts as many times. */
		for (available -= HEAD; pos <= available; id++) {
			const struct btf_type *type = (const struct btf_type *)(start + pos);
			__u32 kind = BTF_INFO_KIND(type->info), size = sizes[kind];
			int answer;

			if (!size)
				return -EINVAL;
			if (id % INDEX_STEP == 0)
				raw->index[id / INDEX_STEP] = offset + pos;
			pos += size + BTF_INFO_VLEN(type->info) * member_sizes[kind];
			if (!(kinds >> kind & 1) || type->name_off >= raw->strings_end || !is_wanted(raw, wanted, type->name_off))
				continue;
			if (wanted->with_tails && pos > available + HEAD) {
				pos = (__u32)((const char *)type - start);
				if (!pos)
					return -E2BIG;
				/* read again, from this type on */
				raw->window_used = 0;
				break;
			}
			answer = found(ctx, id + rawbtf__ids_of_base(raw), type);
			if (answer)
				return answer;
		}
		offset += pos;
	}
	if (offset != raw->types_size)
		return -EINVAL;
	raw->types_count = id - 1;
	return 0;
}

static int start_scan(struct rawbtf *raw)
{
	if (!raw->index)
		raw->index = calloc(raw->types_size / sizeof(struct btf_type) / INDEX_STEP + 1, sizeof(*raw->index));
	return raw->index ? 0 : -ENOMEM;
}

int rawbtf__scan_for(struct rawbtf *raw, const char *const *names, size_t names_count, __u64 kinds,
		     int (*found)(void *ctx, __u32 id, const struct btf_type *type), void *ctx)
{
	struct wanted wanted = {};
	int err = start_scan(raw);

	if (!err)
		err = wanted_init(&wanted, names, names_count);
	if (!err) {
		wanted.by_offset = names && by_offset(raw, &wanted, names_count);
		err = scan(raw, &wanted, kinds, found, ctx);
	}
	free(wanted.next);
	return err;
}

int rawbtf__scan(struct rawbtf *raw, const char *const *names, size_t names_count, __u64 kinds,
		 int (*found)(void *ctx, __u32 id, const struct btf_type *type), void *ctx)
{
	if (!raw->memory || raw->memory->is_asked || !names)
		return rawbtf__scan_for(raw, names, names_count, kinds, found, ctx);
	raw->memory->is_asked = true;
	return rawbtf_memory__ask(raw, names, names_count, kinds, found, ctx);
}

int rawbtf__scan_whole(struct rawbtf *raw, __u64 kinds, int (*found)(void *ctx, __u32 id, const struct btf_type *type), void *ctx)
{
	int err = start_scan(raw);

	return err ? err : scan(raw, &(struct wanted){ .with_tails = true }, kinds, found, ctx);
}

int rawbtf__make_index(struct rawbtf *raw)
{
	int err = start_scan(raw);

	if (!err)
		err = scan(raw, &(struct wanted){}, 0, NULL, NULL);
	errno = -err;
	return err ? -1 : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "rawbtf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answers.h"
#include "lib/kernel/cache.h"
#include "lib/kernel/file.h"

#define SIZE_MAX_BTF (256u << 20)
#define WINDOW_SIZE (64 * 1024)
/* sysfs gives at most a page for each read, however much is asked for */
#define FETCH_SIZE 4096
#define PAGE 4096u
#define INDEX_STEP 32
#define NAMES_BUCKETS 64
/* of names that are looked for by where they are */
#define OFFSETS_MAX 64
#define OFFSET_WORDS 64
/* so many names are looked for one after the other: cheaper than to look at each string */
#define FEW_NAMES 3
#define NEEDLE_SIZE 512
/* of the strings: they are read no further than that beyond the last name */
#define CHUNK_SIZE (16 * 1024)
/* typedefs and qualifiers on a line; a longer chain is taken for a loop */
#define RESOLVE_MAX 32

/* Counts into the key of answers: to be raised when what is kept of the same question changes. */
#define ANSWERS_VERSION 1

/* What was asked of the kernel's BTF, and what it said. */
struct memory {
	struct cache_key key;
	struct answers answers;
	bool has_key;
	bool is_asked;		/* the first scan has been */
	bool is_new;		/* answers has what the cache does not have */
	unsigned char *strings_added;	/* a bit for each offset of a string that was added */
};

/* A type that was fetched by its id, kept: pointers to it must stay valid, and the common ones come often. */
struct fetched {
	__u32 id;
	struct btf_type *type;
};

struct rawbtf {
	struct rawbtf *base;		/* of split BTF, else NULL */
	int fd;				/* -1: types points to all of them */
	void *map;			/* to be unmapped, map_size bytes, or NULL */
	size_t map_size;
	const char *types;
	__u32 types_offset, types_size;	/* in the file */
	const char *strings;		/* the last byte is 0 */
	__u32 strings_size;
	__u32 strings_end;		/* with those of base */
	/* Where they are not in memory: room for all of them, of which a page is read when a string that begins in it is asked for. */
	char *strings_buffer;
	bool *strings_read;		/* of each page, whether it is there, and all that its last string has beyond it */
	off_t strings_offset;		/* in the file */

	__u32 *index;			/* the offset among the types of each INDEX_STEPth type */
	__u32 types_count;

	char *window;			/* of the types, where they are not in memory */
	__u32 window_start, window_used;

	struct fetched *fetched;
	size_t fetched_count, fetched_room;

	bool is_kernels;		/* opened from rawbtf__memory.btf */
	struct memory *memory;		/* or NULL */
};

#define HEAD sizeof(struct btf_type)

/* Bytes of a type of each kind: some, and more for each of its vlen members; 0: the kind is not known. */
static const __u32 sizes[32] = {
	[BTF_KIND_INT] = HEAD + 4,
	[BTF_KIND_PTR] = HEAD,
	[BTF_KIND_ARRAY] = HEAD + sizeof(struct btf_array),
	[BTF_KIND_STRUCT] = HEAD,
	[BTF_KIND_UNION] = HEAD,
	[BTF_KIND_ENUM] = HEAD,
	[BTF_KIND_FWD] = HEAD,
	[BTF_KIND_TYPEDEF] = HEAD,
	[BTF_KIND_VOLATILE] = HEAD,
	[BTF_KIND_CONST] = HEAD,
	[BTF_KIND_RESTRICT] = HEAD,
	[BTF_KIND_FUNC] = HEAD,		/* its vlen says how it is linked */
	[BTF_KIND_FUNC_PROTO] = HEAD,
	[BTF_KIND_VAR] = HEAD + sizeof(struct btf_var),
	[BTF_KIND_DATASEC] = HEAD,
	[BTF_KIND_FLOAT] = HEAD,
	[BTF_KIND_DECL_TAG] = HEAD + 4,
	[BTF_KIND_TYPE_TAG] = HEAD,
	[BTF_KIND_ENUM64] = HEAD,
};
static const __u32 member_sizes[32] = {
	[BTF_KIND_STRUCT] = sizeof(struct btf_member),
	[BTF_KIND_UNION] = sizeof(struct btf_member),
	[BTF_KIND_ENUM] = sizeof(struct btf_enum),
	[BTF_KIND_FUNC_PROTO] = sizeof(struct btf_param),
	[BTF_KIND_DATASEC] = sizeof(struct btf_var_secinfo),
	[BTF_KIND_ENUM64] = 12,
};

static inline __u32 type_size(const struct btf_type *type)
{
	__u32 kind = BTF_INFO_KIND(type->info);

	return sizes[kind] ? sizes[kind] + BTF_INFO_VLEN(type->info) * member_sizes[kind] : 0;
}

__u32 rawbtf__type_size(const struct btf_type *type)
{
	return type_size(type);
}

/* Checks the header and takes what it says; size is that of all bytes. */
static int take_header(struct rawbtf *raw, const struct btf_header *header, size_t size)
{
	if (size < sizeof(*header) || size > SIZE_MAX_BTF || header->magic != BTF_MAGIC || header->version != 1 ||
	    header->hdr_len < sizeof(*header) || header->hdr_len > size || header->hdr_len % 4)
		return -EINVAL;
	size -= header->hdr_len;
	if (header->type_off > size || header->type_len > size - header->type_off || header->type_off % 4 ||
	    header->str_off > size || header->str_len > size - header->str_off || !header->str_len)
		return -EINVAL;
	raw->types_offset = header->hdr_len + header->type_off;
	raw->types_size = header->type_len;
	raw->strings_size = raw->strings_end = header->str_len;
	return 0;
}

static int take_bytes(struct rawbtf *raw, const char *bytes, size_t size)
{
	struct btf_header header = {};
	int err;

	memcpy(&header, bytes, size < sizeof(header) ? size : sizeof(header));
	err = take_header(raw, &header, size);
	if (err)
		return err;
	raw->types = bytes + raw->types_offset;
	raw->strings = bytes + header.hdr_len + header.str_off;
	return raw->strings[raw->strings_size - 1] ? -EINVAL : 0;
}

/* Reads the strings that begin in a page.  0 or -errno. */
static int read_strings(const struct rawbtf *raw, __u32 page)
{
	__u32 first = page, start, size;
	ssize_t got;

	do {
		start = page * PAGE;
		size = raw->strings_size - start < PAGE ? raw->strings_size - start : PAGE;
		got = file__read_at(raw->fd, raw->strings_buffer + start, size, raw->strings_offset + start);
		if (got != (ssize_t)size)
			return got < 0 ? (int)got : -EINVAL;
		page++;
		/* the last string of a page goes on in the next one, unless that begins with a 0 byte: then this reads a page more */
	} while (start + size < raw->strings_size && (page == first + 1 ? raw->strings_buffer[start + size - 1] != 0
								       : !memchr(raw->strings_buffer + start, 0, size)));
	if (start + size == raw->strings_size && raw->strings_buffer[raw->strings_size - 1])
		return -EINVAL;
	raw->strings_read[first] = true;
	return 0;
}

/* For a file that cannot be mapped: the strings and the types are read later, when they are asked for. */
static int read_parts(struct rawbtf *raw, size_t size)
{
	struct btf_header header;
	ssize_t got;
	int err;

	got = file__read_at(raw->fd, &header, sizeof(header), 0);
	if (got != sizeof(header))
		return got < 0 ? (int)got : -EINVAL;
	err = take_header(raw, &header, size);
	if (err)
		return err;
	raw->strings_offset = (off_t)header.hdr_len + header.str_off;
	raw->window = malloc(WINDOW_SIZE);
	raw->strings_read = calloc(raw->strings_size / PAGE + 1, sizeof(*raw->strings_read));
	raw->strings_buffer = mmap(NULL, raw->strings_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (raw->strings_buffer == MAP_FAILED)
		raw->strings_buffer = NULL;
	if (!raw->window || !raw->strings_read || !raw->strings_buffer)
		return -ENOMEM;
	raw->strings = raw->strings_buffer;
	/* so that the last byte is known, and each string ends */
	return read_strings(raw, (raw->strings_size - 1) / PAGE);
}

bool rawbtf__may_map = true;

static int open_file(struct rawbtf *raw, const char *path)
{
	struct stat stat;
	void *map = MAP_FAILED;

	raw->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (raw->fd < 0)
		return -errno;
	if (fstat(raw->fd, &stat))
		return -errno;
	if (stat.st_size <= 0 || stat.st_size > SIZE_MAX_BTF)
		return -EINVAL;
	if (rawbtf__may_map)
		map = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, raw->fd, 0);
	if (map == MAP_FAILED)
		return read_parts(raw, (size_t)stat.st_size);
	raw->map = map;
	raw->map_size = (size_t)stat.st_size;
	close(raw->fd);
	raw->fd = -1;
	return take_bytes(raw, map, raw->map_size);
}

static struct rawbtf *new_raw(void)
{
	struct rawbtf *raw = calloc(1, sizeof(*raw));

	if (raw)
		raw->fd = -1;
	return raw;
}

static int finish_open(struct rawbtf **result, struct rawbtf *raw, int err)
{
	if (err) {
		rawbtf__free(raw);
		raw = NULL;
	}
	*result = raw;
	return err;
}

int rawbtf__open(struct rawbtf **result, const char *path)
{
	struct rawbtf *raw = new_raw();

	if (raw)
		raw->is_kernels = !strcmp(path, rawbtf__memory.btf);
	return finish_open(result, raw, raw ? open_file(raw, path) : -ENOMEM);
}

int rawbtf__from_memory(struct rawbtf **result, const void *bytes, size_t size)
{
	struct rawbtf *raw = new_raw();

	return finish_open(result, raw, raw ? take_bytes(raw, bytes, size) : -ENOMEM);
}

void rawbtf__free(struct rawbtf *raw)
{
	if (!raw)
		return;
	rawbtf__keep_answers(raw);
	if (raw->memory) {
		answers__free(&raw->memory->answers);
		free(raw->memory->strings_added);
		free(raw->memory);
	}
	for (size_t i = 0; i < raw->fetched_count; i++)
		free(raw->fetched[i].type);
	free(raw->fetched);
	free(raw->index);
	free(raw->window);
	free(raw->strings_read);
	if (raw->strings_buffer)
		munmap(raw->strings_buffer, raw->strings_size);
	if (raw->map)
		munmap(raw->map, raw->map_size);
	if (raw->fd >= 0)
		close(raw->fd);
	free(raw);
}

/* ---- what is kept for the next start */

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

static void remember_string(struct memory *memory, __u32 offset, const char *text, __u32 strings_size)
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

static void remember_type(struct memory *memory, __u32 id, const struct btf_type *type)
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

void rawbtf__put_on(struct rawbtf *raw, struct rawbtf *base)
{
	raw->base = base;
	raw->strings_end = raw->strings_size + base->strings_size;
}

/* How many ids are those of base. */
static __u32 ids_of_base(const struct rawbtf *raw)
{
	return raw->base ? raw->base->types_count : 0;
}

/* The one that a scan compares: it is not kept. */
static const char *string_at(const struct rawbtf *raw, __u32 offset)
{
	if (raw->base) {
		if (offset < raw->base->strings_size)
			return rawbtf__string(raw->base, offset);
		offset -= raw->base->strings_size;
	}
	if (offset >= raw->strings_size)
		return "";
	if (raw->strings_read && !raw->strings_read[offset / PAGE] && read_strings(raw, offset / PAGE))
		return "";
	return raw->strings + offset;
}

const char *rawbtf__string(const struct rawbtf *raw, __u32 offset)
{
	const char *text = raw->memory ? answers__string(&raw->memory->answers, offset) : NULL;

	if (!text) {
		text = string_at(raw, offset);
		if (raw->memory)
			remember_string(raw->memory, offset, text, raw->strings_size);
	}
	return text;
}

/*
 * At least wanted bytes of the types from offset on, or what is left of them, *available of them; NULL with errno.
 * ahead: how much to read, where reading is needed.
 */
static const char *bytes_at(struct rawbtf *raw, __u32 offset, __u32 wanted, __u32 ahead, __u32 *available)
{
	ssize_t got;

	if (raw->types) {
		*available = raw->types_size - offset;
		return raw->types + offset;
	}
	if (wanted > raw->types_size - offset)
		wanted = raw->types_size - offset;
	if (offset < raw->window_start || offset + wanted > raw->window_start + raw->window_used) {
		if (ahead < wanted)
			ahead = wanted;
		if (ahead > raw->types_size - offset)
			ahead = raw->types_size - offset;
		if (ahead > WINDOW_SIZE)
			ahead = WINDOW_SIZE;
		raw->window_used = 0;
		got = file__read_at(raw->fd, raw->window, ahead, (off_t)raw->types_offset + offset);
		if (got < (ssize_t)wanted) {
			errno = got < 0 ? (int)-got : EINVAL;
			return NULL;
		}
		raw->window_start = offset;
		raw->window_used = (__u32)got;
	}
	*available = raw->window_start + raw->window_used - offset;
	return raw->window + (offset - raw->window_start);
}

/* The head of the type at offset, and the size that it has with its tail; NULL with errno. */
static const struct btf_type *head_at(struct rawbtf *raw, __u32 offset, __u32 ahead, __u32 *size)
{
	const struct btf_type *type = NULL;
	__u32 available;

	if (offset < raw->types_size)
		type = (const struct btf_type *)bytes_at(raw, offset, HEAD, ahead, &available);
	else
		errno = EINVAL;
	if (!type)
		return NULL;
	*size = available < HEAD ? 0 : type_size(type);
	if (!*size) {
		errno = EINVAL;
		return NULL;
	}
	return type;
}

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
	return wanted->by_offset ? has_offset(wanted, offset) : wanted_find(wanted, string_at(raw, offset)) >= 0;
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

		start = bytes_at(raw, offset, HEAD, WINDOW_SIZE, &available);
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
			answer = found(ctx, id + ids_of_base(raw), type);
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

static int scan_for(struct rawbtf *raw, const char *const *names, size_t names_count, __u64 kinds,
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

/* The first scan for names of one that remembers: out of the cache, or to be kept there. */
static int ask(struct rawbtf *raw, const char *const *names, size_t names_count, __u64 kinds,
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
	err = scan_for(raw, names, names_count, kinds, listen, &listener);
	memory->answers.ids = raw->types_count;
	memory->is_new = true;
	/* it did not come to the end */
	if (err)
		forget(memory);
	return err;
}

int rawbtf__scan(struct rawbtf *raw, const char *const *names, size_t names_count, __u64 kinds,
		 int (*found)(void *ctx, __u32 id, const struct btf_type *type), void *ctx)
{
	if (!raw->memory || raw->memory->is_asked || !names)
		return scan_for(raw, names, names_count, kinds, found, ctx);
	raw->memory->is_asked = true;
	return ask(raw, names, names_count, kinds, found, ctx);
}

int rawbtf__scan_whole(struct rawbtf *raw, __u64 kinds, int (*found)(void *ctx, __u32 id, const struct btf_type *type), void *ctx)
{
	int err = start_scan(raw);

	return err ? err : scan(raw, &(struct wanted){ .with_tails = true }, kinds, found, ctx);
}

/* NULL with errno. */
static const struct btf_type *keep(struct rawbtf *raw, __u32 id, const struct btf_type *type, __u32 size)
{
	struct btf_type *copy;

	if (raw->fetched_count == raw->fetched_room) {
		size_t room = raw->fetched_room * 2 + 64;
		struct fetched *fetched = realloc(raw->fetched, room * sizeof(*fetched));

		if (!fetched)
			return NULL;
		raw->fetched = fetched;
		raw->fetched_room = room;
	}
	copy = malloc(size);
	if (!copy)
		return NULL;
	memcpy(copy, type, size);
	raw->fetched[raw->fetched_count++] = (struct fetched){ id, copy };
	if (raw->memory)
		remember_type(raw->memory, id, copy);
	return copy;
}

/* Of one that had its answers from the cache, and is asked for more.  0 or -1 with errno. */
static int make_index(struct rawbtf *raw)
{
	int err = start_scan(raw);

	if (!err)
		err = scan(raw, &(struct wanted){}, 0, NULL, NULL);
	errno = -err;
	return err ? -1 : 0;
}

const struct btf_type *rawbtf__type(struct rawbtf *raw, __u32 id)
{
	const struct btf_type *type;
	__u32 offset, size, available, at;

	if (id <= ids_of_base(raw) && raw->base)
		return rawbtf__type(raw->base, id);
	id -= ids_of_base(raw);
	if (!id || id > raw->types_count) {
		errno = EINVAL;
		return NULL;
	}
	type = raw->memory ? answers__type(&raw->memory->answers, id) : NULL;
	if (type)
		return type;
	for (size_t i = 0; i < raw->fetched_count; i++)
		if (raw->fetched[i].id == id)
			return raw->fetched[i].type;
	if (!raw->index && make_index(raw))
		return NULL;
	at = id / INDEX_STEP * INDEX_STEP;
	offset = raw->index[id / INDEX_STEP];
	/* the first one has id 1, there is no type 0 to step over */
	for (at = at ? at : 1; ; at++) {
		type = head_at(raw, offset, FETCH_SIZE, &size);
		if (!type)
			return NULL;
		if (at == id)
			break;
		offset += size;
	}
	type = (const struct btf_type *)bytes_at(raw, offset, size, 0, &available);
	if (type && size > available) {
		errno = EINVAL;
		return NULL;
	}
	return !type || raw->types ? type : keep(raw, id, type, size);
}

const struct btf_type *rawbtf__resolve(struct rawbtf *raw, __u32 *id)
{
	for (int i = 0; i < RESOLVE_MAX; i++) {
		const struct btf_type *type = rawbtf__type(raw, *id);

		if (!type)
			return NULL;
		switch (BTF_INFO_KIND(type->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			*id = type->type;
			break;
		default:
			return type;
		}
	}
	errno = ELOOP;
	return NULL;
}

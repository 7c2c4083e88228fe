/* SPDX-License-Identifier: BSD-2-Clause */
/* What rawbtf.c, rawbtf_scan.c and rawbtf_memory.c share.  For these alone. */
#ifndef PROBELIGHT_RAWBTF_PARTS_H
#define PROBELIGHT_RAWBTF_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "answers.h"
#include "lib/kernel/cache.h"
#include "rawbtf.h"

#define WINDOW_SIZE (64 * 1024)
#define INDEX_STEP 32

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

/* How many ids are those of base. */
static inline __u32 rawbtf__ids_of_base(const struct rawbtf *raw)
{
	return raw->base ? raw->base->types_count : 0;
}

/* A string that a scan compares: it is not kept.  "" where there is none. */
const char *rawbtf__string_at(const struct rawbtf *raw, __u32 offset);

/*
 * At least wanted bytes of the types from offset on, or what is left of them, *available of them; NULL with errno.
 * ahead: how much to read, where reading is needed.
 */
const char *rawbtf__bytes_at(struct rawbtf *raw, __u32 offset, __u32 wanted, __u32 ahead, __u32 *available);

/* rawbtf__scan(), whose answers are not kept. */
int rawbtf__scan_for(struct rawbtf *raw, const char *const *names, size_t names_count, __u64 kinds,
		     int (*found)(void *ctx, __u32 id, const struct btf_type *type), void *ctx);

/* Of one that had its answers from the cache, and is asked for more: where its types are.  0 or -1 with errno. */
int rawbtf__make_index(struct rawbtf *raw);

/* Keep what was asked, where there is memory for it. */
void rawbtf_memory__add_string(struct memory *memory, __u32 offset, const char *text, __u32 strings_size);
void rawbtf_memory__add_type(struct memory *memory, __u32 id, const struct btf_type *type);

/* The first scan for names of one that remembers: out of the cache, or to be kept there.  As rawbtf__scan(). */
int rawbtf_memory__ask(struct rawbtf *raw, const char *const *names, size_t names_count, __u64 kinds,
		       int (*found)(void *ctx, __u32 id, const struct btf_type *type), void *ctx);

#endif

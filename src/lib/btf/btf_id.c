/* SPDX-License-Identifier: BSD-2-Clause */
#include "btf_id.h"

#include <fcntl.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/cache.h"
#include "lib/kernel/file.h"

#define CHUNK_SIZE 32768
#define NAME_SIZE_MAX 128

/* Bytes of a type with all that belongs to it, as rawbtf.c knows them; 0 where the kind is not known. */
static __u32 type_size(const struct btf_type *type)
{
	static const __u32 behind[] = {
		[BTF_KIND_INT] = 4, [BTF_KIND_ARRAY] = sizeof(struct btf_array), [BTF_KIND_VAR] = sizeof(struct btf_var),
		[BTF_KIND_DECL_TAG] = 4, [BTF_KIND_ENUM64] = 0,
	};
	static const __u32 members[] = {
		[BTF_KIND_STRUCT] = sizeof(struct btf_member), [BTF_KIND_UNION] = sizeof(struct btf_member),
		[BTF_KIND_ENUM] = sizeof(struct btf_enum), [BTF_KIND_FUNC_PROTO] = sizeof(struct btf_param),
		[BTF_KIND_DATASEC] = sizeof(struct btf_var_secinfo), [BTF_KIND_ENUM64] = 12,
	};
	__u32 kind = BTF_INFO_KIND(type->info);

	if (!kind || kind > BTF_KIND_ENUM64)
		return 0;
	return (__u32)sizeof(*type) + behind[kind] + BTF_INFO_VLEN(type->info) * members[kind];
}

/* Where the name stands among the strings; 0, where the empty name is: nowhere. */
static __u32 find_name(int fd, const struct btf_header *header, const char *name, char chunk[CHUNK_SIZE])
{
	size_t size = strlen(name) + 2;
	char wanted[NAME_SIZE_MAX] = "";

	if (size > sizeof(wanted))
		return 0;
	/* with the 0 byte of the name before it */
	memcpy(wanted + 1, name, size - 1);
	for (__u32 at = 0; at + size <= header->str_len;) {
		size_t left = header->str_len - at;
		ssize_t got = file__read_at(fd, chunk, left < CHUNK_SIZE ? left : CHUNK_SIZE,
					    (off_t)header->hdr_len + header->str_off + at);
		const char *found;

		if (got < (ssize_t)size)
			return 0;
		found = memmem(chunk, (size_t)got, wanted, size);
		if (found)
			return at + (__u32)(found - chunk) + 1;
		at += (__u32)got - (__u32)size + 1;
	}
	return 0;
}

static __u32 find_function(int fd, const struct btf_header *header, __u32 name_off, char chunk[CHUNK_SIZE])
{
	__u32 id = 1;

	for (__u32 at = 0; at < header->type_len;) {
		size_t left = header->type_len - at, pos = 0;
		ssize_t got = file__read_at(fd, chunk, left < CHUNK_SIZE ? left : CHUNK_SIZE,
					    (off_t)header->hdr_len + header->type_off + at);

		if (got < (ssize_t)sizeof(struct btf_type))
			return 0;
		for (; pos + sizeof(struct btf_type) <= (size_t)got; id++) {
			const struct btf_type *type = (const struct btf_type *)(chunk + pos);
			__u32 size = type_size(type);

			if (!size)
				return 0;
			if (type->name_off == name_off && BTF_INFO_KIND(type->info) == BTF_KIND_FUNC)
				return id;
			pos += size;
		}
		at += (__u32)pos;
	}
	return 0;
}

__u32 btf_id__of_function(const char *path, const char *name)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	static char chunk[CHUNK_SIZE] __attribute__((aligned(8)));
	struct btf_header header;
	__u32 id = 0, name_off;

	if (fd < 0)
		return 0;
	if (file__read_at(fd, &header, sizeof(header), 0) == sizeof(header) && header.magic == BTF_MAGIC && header.version == 1) {
		name_off = find_name(fd, &header, name, chunk);
		if (name_off)
			id = find_function(fd, &header, name_off, chunk);
	}
	close(fd);
	return id;
}

__u32 btf_id__kept(const char *name)
{
	struct cache_key key = {};
	bool has_key = !cache__build_id(&key, "/sys/kernel/notes");
	__u32 id = 0;
	void *bytes;
	size_t size;

	key.hash = cache__hash(cache__hash(CACHE_HASH_START, "btf_id", sizeof("btf_id")), name, strlen(name) + 1);
	if (has_key && !cache__read(CACHE_FOLDER, &key, &bytes, &size)) {
		if (size == sizeof(id))
			memcpy(&id, bytes, sizeof(id));
		free(bytes);
	}
	if (id)
		return id;
	id = btf_id__of_function("/sys/kernel/btf/vmlinux", name);
	/* a folder that cannot be written costs time at the next start, nothing else */
	if (id && has_key)
		cache__write(CACHE_FOLDER, &key, &id, sizeof(id));
	return id;
}

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

#include "lib/kernel/file.h"
#include "rawbtf_parts.h"

#define SIZE_MAX_BTF (256u << 20)
/* sysfs gives at most a page for each read, however much is asked for */
#define FETCH_SIZE 4096
#define PAGE 4096u
/* typedefs and qualifiers on a line; a longer chain is taken for a loop */
#define RESOLVE_MAX 32

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

void rawbtf__put_on(struct rawbtf *raw, struct rawbtf *base)
{
	raw->base = base;
	raw->strings_end = raw->strings_size + base->strings_size;
}

const char *rawbtf__string_at(const struct rawbtf *raw, __u32 offset)
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
		text = rawbtf__string_at(raw, offset);
		if (raw->memory)
			rawbtf_memory__add_string(raw->memory, offset, text, raw->strings_size);
	}
	return text;
}

const char *rawbtf__bytes_at(struct rawbtf *raw, __u32 offset, __u32 wanted, __u32 ahead, __u32 *available)
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
		type = (const struct btf_type *)rawbtf__bytes_at(raw, offset, HEAD, ahead, &available);
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
		rawbtf_memory__add_type(raw->memory, id, copy);
	return copy;
}

const struct btf_type *rawbtf__type(struct rawbtf *raw, __u32 id)
{
	const struct btf_type *type;
	__u32 offset, size, available, at;

	if (id <= rawbtf__ids_of_base(raw) && raw->base)
		return rawbtf__type(raw->base, id);
	id -= rawbtf__ids_of_base(raw);
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
	if (!raw->index && rawbtf__make_index(raw))
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
	type = (const struct btf_type *)rawbtf__bytes_at(raw, offset, size, 0, &available);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A list of keys, each with a number and a mark, in 8 bytes: for lists of all functions of a kernel.  It is sorted in place, where qsort(3)
 * of glibc takes as much memory again.
 */
#ifndef PROBELIGHT_FTRACE_NUMBERED_H
#define PROBELIGHT_FTRACE_NUMBERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBERED_KEY_BITS 39
#define NUMBERED_MAX ((1u << 24) - 1)	/* the largest number */

struct numbered {
	uint64_t *entries;	/* from the upper bit on: key, number, mark */
	size_t count, room;
};

static inline uint64_t numbered__key(uint64_t entry)
{
	return entry >> (64 - NUMBERED_KEY_BITS);
}

static inline uint32_t numbered__number(uint64_t entry)
{
	return (uint32_t)(entry >> 1) & NUMBERED_MAX;
}

static inline bool numbered__is_marked(uint64_t entry)
{
	return entry & 1;
}

/* Marks an entry; whether it had no mark. */
static inline bool numbered__mark(struct numbered *numbered, size_t index)
{
	bool was_marked = numbered__is_marked(numbered->entries[index]);

	numbered->entries[index] |= 1;
	return !was_marked;
}

/*
 * Adds an entry to a list that begins zeroed; only the key's lower NUMBERED_KEY_BITS count.  0, -ENOMEM, or -ERANGE: the number is too
 * large.
 */
int numbered__add(struct numbered *numbered, uint64_t key, uint32_t number);
void numbered__free(struct numbered *numbered);

/* By key, and those of one key by number.  Before any is marked. */
void numbered__sort(struct numbered *numbered);

/* Gives an entry another key, and marks it; the list is not sorted any more. */
static inline void numbered__change_key(struct numbered *numbered, size_t index, uint64_t key)
{
	uint64_t number = numbered__number(numbered->entries[index]);

	numbered->entries[index] = key << (64 - NUMBERED_KEY_BITS) | number << 1 | 1;
}

/* Removes the entries without a mark, and the marks. */
void numbered__keep_marked(struct numbered *numbered);

/* Packs a sorted list without marks into *bytes, after `before` bytes for the caller, who frees them.  0 or -ENOMEM. */
int numbered__pack(const struct numbered *numbered, size_t before, char **bytes, size_t *size);

/* Adds the entries of a packed list; size is without `before`.  0, -ENOMEM, or -EINVAL: the bytes are damaged. */
int numbered__unpack(struct numbered *numbered, const char *bytes, size_t size);

/* The first entry of a sorted list with at least this key; the count where there is none. */
size_t numbered__from(const struct numbered *numbered, uint64_t key);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A list of keys, each with a number and a mark, in 8 bytes: for lists of all functions of a kernel.  It is sorted in place, where qsort(3)
 * of glibc takes as much memory again.
 */
#ifndef PROBELIGHT_FTRACE_PACKED_LIST_H
#define PROBELIGHT_FTRACE_PACKED_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKED_LIST_KEY_BITS 39
#define PACKED_LIST_MAX ((1u << 24) - 1)	/* the largest number */

struct packed_list {
	uint64_t *entries;	/* from the upper bit on: key, number, mark */
	size_t count, room;
};

static inline uint64_t packed_list__key(uint64_t entry)
{
	return entry >> (64 - PACKED_LIST_KEY_BITS);
}

static inline uint32_t packed_list__number(uint64_t entry)
{
	return (uint32_t)(entry >> 1) & PACKED_LIST_MAX;
}

static inline bool packed_list__is_marked(uint64_t entry)
{
	return entry & 1;
}

/* Marks an entry; whether it had no mark. */
static inline bool packed_list__mark(struct packed_list *list, size_t index)
{
	bool was_marked = packed_list__is_marked(list->entries[index]);

	list->entries[index] |= 1;
	return !was_marked;
}

/*
 * Adds an entry to a list that begins zeroed; only the key's lower PACKED_LIST_KEY_BITS count.  0, -ENOMEM, or -ERANGE: the number is too
 * large.
 */
int packed_list__add(struct packed_list *list, uint64_t key, uint32_t number);
void packed_list__free(struct packed_list *list);

/* By key, and those of one key by number.  Before any is marked. */
void packed_list__sort(struct packed_list *list);

/* Gives an entry another key, and marks it; the list is not sorted any more. */
static inline void packed_list__change_key(struct packed_list *list, size_t index, uint64_t key)
{
	uint64_t number = packed_list__number(list->entries[index]);

	list->entries[index] = key << (64 - PACKED_LIST_KEY_BITS) | number << 1 | 1;
}

/* Removes the entries without a mark, and the marks. */
void packed_list__keep_marked(struct packed_list *list);

/* Packs a sorted list without marks into *bytes, after `before` bytes for the caller, who frees them.  0 or -ENOMEM. */
int packed_list__pack(const struct packed_list *list, size_t before, char **bytes, size_t *size);

/* Adds the entries of a packed list; size is without `before`.  0, -ENOMEM, or -EINVAL: the bytes are damaged. */
int packed_list__unpack(struct packed_list *list, const char *bytes, size_t size);

/* The first entry of a sorted list with at least this key; the count where there is none. */
size_t packed_list__from(const struct packed_list *list, uint64_t key);

#endif

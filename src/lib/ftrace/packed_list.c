/* SPDX-License-Identifier: BSD-2-Clause */
#include "packed_list.h"

#include <errno.h>
#include <stdlib.h>

/* Half a megabyte, of which only what is used is ever touched; and malloc(3) gives so much back to the kernel when it is freed. */
#define ROOM_FIRST (1 << 16)

int packed_list__add(struct packed_list *list, uint64_t key, uint32_t number)
{
	if (number > PACKED_LIST_MAX)
		return -ERANGE;
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : ROOM_FIRST;
		uint64_t *larger = realloc(list->entries, room * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		list->entries = larger;
		list->room = room;
	}
	list->entries[list->count++] = key << (64 - PACKED_LIST_KEY_BITS) | (uint64_t)number << 1;
	return 0;
}

void packed_list__free(struct packed_list *list)
{
	free(list->entries);
	*list = (struct packed_list){ .entries = NULL };
}

/* Puts an entry into the heap's place at, or below it: none of a heap is larger than the one above it. */
static void sift(uint64_t *entries, size_t at, size_t count, uint64_t entry)
{
	for (size_t below; (below = 2 * at + 1) < count; at = below) {
		below += below + 1 < count && entries[below + 1] > entries[below];
		if (entries[below] <= entry)
			break;
		entries[at] = entries[below];
	}
	entries[at] = entry;
}

void packed_list__sort(struct packed_list *list)
{
	uint64_t *entries = list->entries;
	size_t count = list->count, sorted = 1;

	while (sorted < count && entries[sorted - 1] <= entries[sorted])
		sorted++;
	/* as the kernel lists its own functions by address */
	if (sorted >= count)
		return;
	for (size_t i = count / 2; i > 0; i--)
		sift(entries, i - 1, count, entries[i - 1]);
	for (size_t i = count - 1; i > 0; i--) {
		uint64_t last = entries[i];

		entries[i] = entries[0];
		sift(entries, 0, i, last);
	}
}

void packed_list__keep_marked(struct packed_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (packed_list__is_marked(list->entries[i]))
			list->entries[kept++] = list->entries[i] - 1;
	list->count = kept;
}

/* Seven bits a byte, the lowest first; the last one's upper bit is 0. */
#define PACKED_MAX 10	/* bytes of a value */

static size_t pack(char *bytes, uint64_t value)
{
	size_t size = 0;

	for (; value >> 7; value >>= 7)
		bytes[size++] = (char)(value | 0x80);
	bytes[size++] = (char)value;
	return size;
}

/* How many bytes the value takes; 0: it does not end. */
static size_t unpack(const char *bytes, size_t size, uint64_t *value)
{
	*value = 0;
	for (size_t at = 0; at < size && at < PACKED_MAX; at++) {
		*value |= (uint64_t)(bytes[at] & 0x7f) << (7 * at);
		if (!(bytes[at] & 0x80))
			return at + 1;
	}
	return 0;
}

/* Of each entry how much its key is above that of the one before, and how much its number is above or below (an odd value). */
int packed_list__pack(const struct packed_list *list, size_t before, char **bytes, size_t *size)
{
	uint64_t last_key = 0, last_number = 0;

	*size = before;
	*bytes = malloc(before + list->count * 2 * PACKED_MAX);
	if (!*bytes)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++) {
		uint64_t key = packed_list__key(list->entries[i]), number = packed_list__number(list->entries[i]);
		uint64_t above = number >= last_number ? (number - last_number) << 1 : (last_number - number) << 1 | 1;

		*size += pack(*bytes + *size, key - last_key);
		*size += pack(*bytes + *size, above);
		last_key = key;
		last_number = number;
	}
	return 0;
}

int packed_list__unpack(struct packed_list *list, const char *bytes, size_t size)
{
	uint64_t key = 0, number = 0, above = 0, further;
	size_t used;
	int err = 0;

	while (size && !err) {
		used = unpack(bytes, size, &further);
		bytes += used;
		size -= used;
		used = used ? unpack(bytes, size, &above) : 0;
		bytes += used;
		size -= used;
		key += further;
		number = above & 1 ? number - (above >> 1) : number + (above >> 1);
		if (!used || key >> PACKED_LIST_KEY_BITS || number > PACKED_LIST_MAX)
			return -EINVAL;
		err = packed_list__add(list, key, (uint32_t)number);
	}
	return err;
}

size_t packed_list__from(const struct packed_list *list, uint64_t key)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (packed_list__key(list->entries[middle]) < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "numbered.h"

#include <errno.h>
#include <stdlib.h>

/* Half a megabyte, of which only what is used is ever touched; and malloc(3) gives so much back to the kernel when it is freed. */
#define ROOM_FIRST (1 << 16)

int numbered__add(struct numbered *numbered, uint64_t key, uint32_t number)
{
	if (number > NUMBERED_MAX)
		return -ERANGE;
	if (numbered->count == numbered->room) {
		size_t room = numbered->room ? 2 * numbered->room : ROOM_FIRST;
		uint64_t *larger = realloc(numbered->entries, room * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		numbered->entries = larger;
		numbered->room = room;
	}
	numbered->entries[numbered->count++] = key << (64 - NUMBERED_KEY_BITS) | (uint64_t)number << 1;
	return 0;
}

void numbered__free(struct numbered *numbered)
{
	free(numbered->entries);
	*numbered = (struct numbered){ .entries = NULL };
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

void numbered__sort(struct numbered *numbered)
{
	uint64_t *entries = numbered->entries;
	size_t count = numbered->count, sorted = 1;

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

void numbered__keep_marked(struct numbered *numbered)
{
	size_t kept = 0;

	for (size_t i = 0; i < numbered->count; i++)
		if (numbered__is_marked(numbered->entries[i]))
			numbered->entries[kept++] = numbered->entries[i] - 1;
	numbered->count = kept;
}

size_t numbered__from(const struct numbered *numbered, uint64_t key)
{
	size_t low = 0, high = numbered->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (numbered__key(numbered->entries[middle]) < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

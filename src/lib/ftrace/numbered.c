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
int numbered__pack(const struct numbered *numbered, size_t before, char **bytes, size_t *size)
{
	uint64_t last_key = 0, last_number = 0;

	*size = before;
	*bytes = malloc(before + numbered->count * 2 * PACKED_MAX);
	if (!*bytes)
		return -ENOMEM;
	for (size_t i = 0; i < numbered->count; i++) {
		uint64_t key = numbered__key(numbered->entries[i]), number = numbered__number(numbered->entries[i]);
		uint64_t above = number >= last_number ? (number - last_number) << 1 : (last_number - number) << 1 | 1;

		*size += pack(*bytes + *size, key - last_key);
		*size += pack(*bytes + *size, above);
		last_key = key;
		last_number = number;
	}
	return 0;
}

int numbered__unpack(struct numbered *numbered, const char *bytes, size_t size)
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
		if (!used || key >> NUMBERED_KEY_BITS || number > NUMBERED_MAX)
			return -EINVAL;
		err = numbered__add(numbered, key, (uint32_t)number);
	}
	return err;
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

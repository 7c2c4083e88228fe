/* SPDX-License-Identifier: BSD-2-Clause */
#include "hash.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 16

/* The free place of a key that is not there. */
static struct hash_entry *place_for(const struct hash *hash, uint64_t key)
{
	size_t at = hash__home(hash, key);

	while (hash__entry(hash, at)->is_taken)
		at = (at + 1) & (hash->room - 1);
	return hash__entry(hash, at);
}

static bool grow(struct hash *hash)
{
	struct hash larger = *hash;

	larger.room = hash->room ? 2 * hash->room : ROOM_FIRST;
	larger.entries = calloc(larger.room, hash__stride(hash));
	if (!larger.entries)
		return false;
	for (size_t at = 0; at < hash->room; at++) {
		const struct hash_entry *entry = hash__entry(hash, at);

		if (entry->is_taken)
			memcpy(place_for(&larger, entry->key), entry, hash__stride(hash));
	}
	free(hash->entries);
	*hash = larger;
	return true;
}

/* Frees a place.  One in between would hide what lies behind it, which is moved. */
static void take_out(struct hash *hash, size_t hole)
{
	size_t mask = hash->room - 1, at = hole;

	for (;;) {
		const struct hash_entry *next;

		at = (at + 1) & mask;
		next = hash__entry(hash, at);
		if (!next->is_taken)
			break;
		/* it may be anywhere from its home on: is the hole there? */
		if (((at - hash__home(hash, next->key)) & mask) < ((at - hole) & mask))
			continue;
		memcpy(hash__entry(hash, hole), next, hash__stride(hash));
		hole = at;
	}
	hash__entry(hash, hole)->is_taken = 0;
	hash->count--;
}

/* The hand goes round; a key that was used since it last came by stays for another round. */
static void evict(struct hash *hash)
{
	for (;; hash->hand = (hash->hand + 1) & (hash->room - 1)) {
		struct hash_entry *entry = hash__entry(hash, hash->hand);

		if (!entry->is_taken)
			continue;
		if (!entry->was_used)
			break;
		entry->was_used = 0;
	}
	if (hash->evicted) {
		struct hash_entry *entry = hash__entry(hash, hash->hand);

		hash->evicted(hash->ctx, entry->key, entry->value);
	}
	take_out(hash, hash->hand);
	/* what was moved to this place has its turn after all others */
	hash->hand = (hash->hand + 1) & (hash->room - 1);
}

void *hash__add(struct hash *hash, uint64_t key)
{
	struct hash_entry *entry;

	if (hash->bound && hash->count >= hash->bound)
		evict(hash);
	if (hash->count * 2 >= hash->room && !grow(hash))
		return NULL;
	entry = place_for(hash, key);
	memset(entry, 0, hash__stride(hash));
	entry->key = key;
	entry->is_taken = 1;
	hash->count++;
	return entry->value;
}

bool hash__remove(struct hash *hash, uint64_t key)
{
	if (!hash->room)
		return false;
	for (size_t at = hash__home(hash, key); hash__entry(hash, at)->is_taken; at = (at + 1) & (hash->room - 1)) {
		if (hash__entry(hash, at)->key == key) {
			take_out(hash, at);
			return true;
		}
	}
	return false;
}

void *hash__next(const struct hash *hash, size_t *at, uint64_t *key)
{
	while (*at < hash->room) {
		struct hash_entry *entry = hash__entry(hash, (*at)++);

		if (entry->is_taken) {
			*key = entry->key;
			return entry->value;
		}
	}
	return NULL;
}

void hash__free(struct hash *hash)
{
	size_t at = 0;
	uint64_t key;
	void *value;

	while (hash->evicted && (value = hash__next(hash, &at, &key)))
		hash->evicted(hash->ctx, key, value);
	free(hash->entries);
	hash->entries = NULL;
	hash->room = hash->count = hash->hand = 0;
}

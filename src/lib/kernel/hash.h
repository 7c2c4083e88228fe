/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table from keys of 64 bits to values of a fixed size.  It grows as it fills, up to a bound, from which on a new key takes the
 * place of one that was not asked for lately.  A zeroed table with value_size set is empty.
 */
#ifndef PROBELIGHT_HASH_H
#define PROBELIGHT_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash {
	size_t value_size;		/* bytes */
	size_t bound;			/* keys at most; 0: no bound */
	/* A key has lost its place; what its value holds is to be released.  NULL: it holds nothing.  hash__remove() does not call it. */
	void (*evicted)(void *ctx, uint64_t key, void *value);
	void *ctx;
	/* the rest is hash.c's */
	char *entries;			/* `room` of them, linear probing */
	size_t room;			/* a power of two, or 0; at most half of it is taken */
	size_t count;
	size_t hand;			/* where the search for a key to evict goes on */
};

struct hash_entry {
	uint64_t key;
	uint32_t is_taken;
	uint32_t was_used;		/* since the hand came by */
	uint64_t value[];
};

static inline size_t hash__stride(const struct hash *hash)
{
	return sizeof(struct hash_entry) + ((hash->value_size + 7) & ~(size_t)7);
}

static inline struct hash_entry *hash__entry(const struct hash *hash, size_t at)
{
	return (struct hash_entry *)(void *)(hash->entries + at * hash__stride(hash));
}

/* Where a key is, if nothing is in the way. */
static inline size_t hash__home(const struct hash *hash, uint64_t key)
{
	/* the golden ratio: keys that differ in their lowest bits alone are spread too */
	return (size_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (hash->room - 1);
}

/* The value of a key, valid until a key is added or removed; NULL: it has none. */
static inline void *hash__find(const struct hash *hash, uint64_t key)
{
	if (!hash->room)
		return NULL;
	for (size_t at = hash__home(hash, key);; at = (at + 1) & (hash->room - 1)) {
		struct hash_entry *entry = hash__entry(hash, at);

		if (!entry->is_taken)
			return NULL;
		if (entry->key == key) {
			entry->was_used = 1;
			return entry->value;
		}
	}
}

/* The value of a key that has none yet, zeroed and valid as hash__find()'s.  NULL without memory. */
void *hash__add(struct hash *hash, uint64_t key);

/* The value of a key, zeroed if it is new.  NULL without memory. */
static inline void *hash__get(struct hash *hash, uint64_t key)
{
	return hash__find(hash, key) ?: hash__add(hash, key);
}

/* Whether there was one.  The caller has released what its value holds. */
bool hash__remove(struct hash *hash, uint64_t key);

/*
 * The value of the next key from place *at on, 0 at first; NULL: there is none any more.  *key is its key.  Whoever removes that key goes
 * on at the same place, --*at: another one may be there now.  After a removal a key may come twice.
 */
void *hash__next(const struct hash *hash, size_t *at, uint64_t *key);

/* Removes all keys, and gives their memory back; evicted() is called for each.  The table can be used again. */
void hash__free(struct hash *hash);

#endif

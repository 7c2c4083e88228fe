/* SPDX-License-Identifier: BSD-2-Clause */
/* The hash table beside a list that does the same: what it has, its bound, who is evicted, removal in clusters. */
#include <stdlib.h>

#include "check.h"
#include "lib/kernel/hash.h"

#define KEYS 512

static unsigned int evictions;
static uint64_t last_evicted;

static void on_evicted(void *ctx, uint64_t key, void *value)
{
	(void)ctx;
	CHECK_INT(*(uint32_t *)value, (uint32_t)key + 1);
	evictions++;
	last_evicted = key;
}

/* Keys in few places of the table, so that they lie in clusters, and any. */
static uint64_t key_of(unsigned int number)
{
	return number & 1 ? (uint64_t)number << 40 : number * 0x1000;
}

static void test_random(void)
{
	struct hash hash = { .value_size = 12 };
	uint32_t expected[KEYS] = { 0 };
	size_t count = 0;

	srand(1);
	for (int step = 0; step < 200000; step++) {
		unsigned int number = (unsigned int)rand() % KEYS;
		uint32_t *value;

		if (rand() % 2) {
			value = hash__get(&hash, key_of(number));
			CHECK_INT(*value, expected[number]);
			count += !expected[number];
			*value = expected[number] = (uint32_t)step + 1;
		} else {
			CHECK_INT(hash__remove(&hash, key_of(number)), expected[number] != 0);
			count -= expected[number] != 0;
			expected[number] = 0;
		}
		number = (unsigned int)rand() % KEYS;
		value = hash__find(&hash, key_of(number));
		CHECK_INT(value ? *value : 0, expected[number]);
		CHECK_INT(hash.count, count);
	}
	hash__free(&hash);
	CHECK(!hash__find(&hash, key_of(1)));
}

static void test_bound(void)
{
	struct hash hash = { .value_size = sizeof(uint32_t), .bound = 100, .evicted = on_evicted };
	size_t room = 0;

	evictions = 0;
	for (uint64_t key = 0; key < 100000; key++) {
		uint32_t *value = hash__add(&hash, key);

		*value = (uint32_t)key + 1;
		CHECK(hash.count <= 100);
		/* one that is asked for all the time stays */
		CHECK(hash__find(&hash, 0) != NULL);
		if (key == 1000)
			room = hash.room;
	}
	CHECK_INT(evictions, 100000 - 100);
	CHECK_INT(hash.room, room);
	hash__free(&hash);
	CHECK_INT(evictions, 100000);
}

/* Of keys that nobody asks for again each goes after at most two rounds. */
static void test_unused_go(void)
{
	struct hash hash = { .value_size = sizeof(uint32_t), .bound = 100, .evicted = on_evicted };

	for (uint64_t key = 0; key < 100; key++)
		*(uint32_t *)hash__add(&hash, key) = (uint32_t)key + 1;
	for (uint64_t kept = 0; kept < 10; kept++)
		hash__find(&hash, kept);
	for (uint64_t key = 1000; key < 1400; key++) {
		*(uint32_t *)hash__add(&hash, key) = (uint32_t)key + 1;
		for (uint64_t kept = 0; kept < 10; kept++)
			CHECK(hash__find(&hash, kept) != NULL);
	}
	for (uint64_t key = 10; key < 100; key++)
		CHECK(!hash__find(&hash, key));
	hash__free(&hash);
}

static void test_next(void)
{
	struct hash hash = { .value_size = sizeof(uint32_t) };
	size_t at = 0, seen = 0;
	uint64_t key, sum = 0;
	void *value;

	CHECK(!hash__next(&hash, &at, &key));
	for (uint64_t add = 0; add < 1000; add++)
		hash__add(&hash, add);
	/* half of them are removed on the way */
	at = 0;
	while ((value = hash__next(&hash, &at, &key))) {
		if (key % 2) {
			hash__remove(&hash, key);
			at--;
		}
	}
	at = 0;
	while ((value = hash__next(&hash, &at, &key))) {
		seen++;
		sum += key;
	}
	CHECK_INT(seen, 500);
	CHECK_INT(sum, 249500);
	hash__free(&hash);
}

int main(void)
{
	test_random();
	test_bound();
	test_unused_go();
	test_next();
	return check_done();
}

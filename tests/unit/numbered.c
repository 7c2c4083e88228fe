/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/ftrace/numbered: lists of keys with numbers, sorted in place. */
#include "lib/ftrace/numbered.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* Keys of few values, so that many are equal, or of all. */
static void sort_some(size_t count, uint64_t key_mask)
{
	struct numbered numbered = { .entries = NULL };
	uint64_t state = count + 1, sum = 0, sorted_sum = 0;
	bool in_order = true;

	for (size_t i = 0; i < count; i++) {
		state = state * 6364136223846793005ull + 1442695040888963407ull;
		CHECK_INT(numbered__add(&numbered, state >> 20 & key_mask, (uint32_t)i + 1), 0);
		sum += numbered.entries[i];
	}
	numbered__sort(&numbered);
	CHECK_INT(numbered.count, count);
	for (size_t i = 0; i < count; i++) {
		sorted_sum += numbered.entries[i];
		in_order &= !i || numbered.entries[i - 1] < numbered.entries[i];
	}
	CHECK(in_order);
	CHECK(sum == sorted_sum);
	for (size_t i = 0; i < count; i++) {
		uint64_t key = numbered__key(numbered.entries[i]);
		size_t from = numbered__from(&numbered, key);

		CHECK(from <= i && numbered__key(numbered.entries[from]) == key);
		CHECK(!from || numbered__key(numbered.entries[from - 1]) < key);
	}
	numbered__free(&numbered);
	CHECK_INT(numbered.count, 0);
}

/* Packed and unpacked, a sorted list is what it was; bytes that were cut anywhere are refused, or are a shorter list. */
static void pack_some(size_t count, uint64_t key_mask)
{
	struct numbered numbered = { .entries = NULL }, other = { .entries = NULL };
	uint64_t state = count + 7;
	char *bytes = NULL;
	size_t size;

	for (size_t i = 0; i < count; i++) {
		state = state * 6364136223846793005ull + 1442695040888963407ull;
		CHECK_INT(numbered__add(&numbered, state >> 20 & key_mask, state >> 8 & NUMBERED_MAX), 0);
	}
	numbered__sort(&numbered);
	CHECK_INT(numbered__pack(&numbered, 8, &bytes, &size), 0);
	CHECK_INT(numbered__unpack(&other, bytes + 8, size - 8), 0);
	CHECK_INT(other.count, count);
	CHECK(!count || !memcmp(other.entries, numbered.entries, count * sizeof(*other.entries)));
	for (size_t cut = 8; cut < size && cut < 200; cut++) {
		numbered__free(&other);
		CHECK(numbered__unpack(&other, bytes + 8, cut - 8) == -EINVAL || other.count < count);
	}
	numbered__free(&other);
	numbered__free(&numbered);
	free(bytes);
}

/* Bytes of any kind: no key or number is out of its range. */
static void unpack_others(void)
{
	static const char endless[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
	static const char large[] = "\xff\xff\xff\xff\xff\x7f\0", below[] = "\1\3";
	struct numbered numbered = { .entries = NULL };

	CHECK_INT(numbered__unpack(&numbered, endless, sizeof(endless) - 1), -EINVAL);
	CHECK_INT(numbered__unpack(&numbered, large, sizeof(large) - 1), -EINVAL);
	/* number 0 - 1 */
	CHECK_INT(numbered__unpack(&numbered, below, sizeof(below) - 1), -EINVAL);
	CHECK_INT(numbered.count, 0);
	CHECK_INT(numbered__unpack(&numbered, "\5\2", 2), 0);
	CHECK_INT(numbered__key(numbered.entries[0]), 5);
	CHECK_INT(numbered__number(numbered.entries[0]), 1);
	numbered__free(&numbered);
}

int main(void)
{
	struct numbered numbered = { .entries = NULL };

	for (size_t count = 0; count < 40; count++) {
		sort_some(count, 7);
		sort_some(count, (1ull << NUMBERED_KEY_BITS) - 1);
	}
	sort_some(5000, 255);
	for (size_t count = 0; count < 40; count++) {
		pack_some(count, 7);
		pack_some(count, (1ull << NUMBERED_KEY_BITS) - 1);
	}
	pack_some(5000, 0xffffff);
	unpack_others();

	/* sorted already; a key's upper bits do not count */
	CHECK_INT(numbered__add(&numbered, 1ull << NUMBERED_KEY_BITS | 5, 1), 0);
	CHECK_INT(numbered__add(&numbered, (1ull << NUMBERED_KEY_BITS) - 1, NUMBERED_MAX), 0);
	CHECK_INT(numbered__add(&numbered, 0, NUMBERED_MAX + 1), -ERANGE);
	numbered__sort(&numbered);
	CHECK_INT(numbered.count, 2);
	CHECK_INT(numbered__key(numbered.entries[0]), 5);
	CHECK_INT(numbered__number(numbered.entries[0]), 1);
	CHECK_INT(numbered__number(numbered.entries[1]), NUMBERED_MAX);
	CHECK_INT(numbered__from(&numbered, 6), 1);
	CHECK_INT(numbered__from(&numbered, 1ull << NUMBERED_KEY_BITS), 2);
	CHECK(!numbered__is_marked(numbered.entries[1]));
	CHECK(numbered__mark(&numbered, 1));
	CHECK(!numbered__mark(&numbered, 1));
	CHECK(numbered__is_marked(numbered.entries[1]));
	CHECK_INT(numbered__number(numbered.entries[1]), NUMBERED_MAX);
	CHECK(numbered__key(numbered.entries[1]) == (1ull << NUMBERED_KEY_BITS) - 1);
	numbered__free(&numbered);

	/* other keys */
	for (uint32_t i = 1; i <= 3; i++)
		CHECK_INT(numbered__add(&numbered, i, i), 0);
	numbered__change_key(&numbered, 0, 9);
	numbered__change_key(&numbered, 2, 8);
	numbered__keep_marked(&numbered);
	numbered__sort(&numbered);
	CHECK_INT(numbered.count, 2);
	CHECK_INT(numbered__key(numbered.entries[0]), 8);
	CHECK_INT(numbered__number(numbered.entries[0]), 3);
	CHECK_INT(numbered__key(numbered.entries[1]), 9);
	CHECK_INT(numbered__number(numbered.entries[1]), 1);
	CHECK(!numbered__is_marked(numbered.entries[0]));
	numbered__free(&numbered);
	return check_done();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/ftrace/packed_list: lists of keys with numbers, sorted in place. */
#include "lib/ftrace/packed_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* Keys of few values, so that many are equal, or of all. */
static void sort_some(size_t count, uint64_t key_mask)
{
	struct packed_list list = { .entries = NULL };
	uint64_t state = count + 1, sum = 0, sorted_sum = 0;
	bool in_order = true;

	for (size_t i = 0; i < count; i++) {
		state = state * 6364136223846793005ull + 1442695040888963407ull;
		CHECK_INT(packed_list__add(&list, state >> 20 & key_mask, (uint32_t)i + 1), 0);
		sum += list.entries[i];
	}
	packed_list__sort(&list);
	CHECK_INT(list.count, count);
	for (size_t i = 0; i < count; i++) {
		sorted_sum += list.entries[i];
		in_order &= !i || list.entries[i - 1] < list.entries[i];
	}
	CHECK(in_order);
	CHECK(sum == sorted_sum);
	for (size_t i = 0; i < count; i++) {
		uint64_t key = packed_list__key(list.entries[i]);
		size_t from = packed_list__from(&list, key);

		CHECK(from <= i && packed_list__key(list.entries[from]) == key);
		CHECK(!from || packed_list__key(list.entries[from - 1]) < key);
	}
	packed_list__free(&list);
	CHECK_INT(list.count, 0);
}

/* Packed and unpacked, a sorted list is what it was; bytes that were cut anywhere are refused, or are a shorter list. */
static void pack_some(size_t count, uint64_t key_mask)
{
	struct packed_list list = { .entries = NULL }, other = { .entries = NULL };
	uint64_t state = count + 7;
	char *bytes = NULL;
	size_t size;

	for (size_t i = 0; i < count; i++) {
		state = state * 6364136223846793005ull + 1442695040888963407ull;
		CHECK_INT(packed_list__add(&list, state >> 20 & key_mask, state >> 8 & PACKED_LIST_MAX), 0);
	}
	packed_list__sort(&list);
	CHECK_INT(packed_list__pack(&list, 8, &bytes, &size), 0);
	CHECK_INT(packed_list__unpack(&other, bytes + 8, size - 8), 0);
	CHECK_INT(other.count, count);
	CHECK(!count || !memcmp(other.entries, list.entries, count * sizeof(*other.entries)));
	for (size_t cut = 8; cut < size && cut < 200; cut++) {
		packed_list__free(&other);
		CHECK(packed_list__unpack(&other, bytes + 8, cut - 8) == -EINVAL || other.count < count);
	}
	packed_list__free(&other);
	packed_list__free(&list);
	free(bytes);
}

/* Bytes of any kind: no key or number is out of its range. */
static void unpack_others(void)
{
	static const char endless[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
	static const char large[] = "\xff\xff\xff\xff\xff\x7f\0", below[] = "\1\3";
	struct packed_list list = { .entries = NULL };

	CHECK_INT(packed_list__unpack(&list, endless, sizeof(endless) - 1), -EINVAL);
	CHECK_INT(packed_list__unpack(&list, large, sizeof(large) - 1), -EINVAL);
	/* number 0 - 1 */
	CHECK_INT(packed_list__unpack(&list, below, sizeof(below) - 1), -EINVAL);
	CHECK_INT(list.count, 0);
	CHECK_INT(packed_list__unpack(&list, "\5\2", 2), 0);
	CHECK_INT(packed_list__key(list.entries[0]), 5);
	CHECK_INT(packed_list__number(list.entries[0]), 1);
	packed_list__free(&list);
}

int main(void)
{
	struct packed_list list = { .entries = NULL };

	for (size_t count = 0; count < 40; count++) {
		sort_some(count, 7);
		sort_some(count, (1ull << PACKED_LIST_KEY_BITS) - 1);
	}
	sort_some(5000, 255);
	for (size_t count = 0; count < 40; count++) {
		pack_some(count, 7);
		pack_some(count, (1ull << PACKED_LIST_KEY_BITS) - 1);
	}
	pack_some(5000, 0xffffff);
	unpack_others();

	/* sorted already; a key's upper bits do not count */
	CHECK_INT(packed_list__add(&list, 1ull << PACKED_LIST_KEY_BITS | 5, 1), 0);
	CHECK_INT(packed_list__add(&list, (1ull << PACKED_LIST_KEY_BITS) - 1, PACKED_LIST_MAX), 0);
	CHECK_INT(packed_list__add(&list, 0, PACKED_LIST_MAX + 1), -ERANGE);
	packed_list__sort(&list);
	CHECK_INT(list.count, 2);
	CHECK_INT(packed_list__key(list.entries[0]), 5);
	CHECK_INT(packed_list__number(list.entries[0]), 1);
	CHECK_INT(packed_list__number(list.entries[1]), PACKED_LIST_MAX);
	CHECK_INT(packed_list__from(&list, 6), 1);
	CHECK_INT(packed_list__from(&list, 1ull << PACKED_LIST_KEY_BITS), 2);
	CHECK(!packed_list__is_marked(list.entries[1]));
	CHECK(packed_list__mark(&list, 1));
	CHECK(!packed_list__mark(&list, 1));
	CHECK(packed_list__is_marked(list.entries[1]));
	CHECK_INT(packed_list__number(list.entries[1]), PACKED_LIST_MAX);
	CHECK(packed_list__key(list.entries[1]) == (1ull << PACKED_LIST_KEY_BITS) - 1);
	packed_list__free(&list);

	/* other keys */
	for (uint32_t i = 1; i <= 3; i++)
		CHECK_INT(packed_list__add(&list, i, i), 0);
	packed_list__change_key(&list, 0, 9);
	packed_list__change_key(&list, 2, 8);
	packed_list__keep_marked(&list);
	packed_list__sort(&list);
	CHECK_INT(list.count, 2);
	CHECK_INT(packed_list__key(list.entries[0]), 8);
	CHECK_INT(packed_list__number(list.entries[0]), 3);
	CHECK_INT(packed_list__key(list.entries[1]), 9);
	CHECK_INT(packed_list__number(list.entries[1]), 1);
	CHECK(!packed_list__is_marked(list.entries[0]));
	packed_list__free(&list);
	return check_done();
}

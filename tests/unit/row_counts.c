/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/run/row_counts: every row is counted under its key or with the others, and nothing is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lib/run/row_counts.h"

static uint64_t sum(const struct row_counts *counts)
{
	uint64_t total = counts->others.count;

	for (size_t i = 0; i < counts->count; i++)
		total += counts->list[i].count;
	return total;
}

static void add(struct row_counts *counts, const char *key)
{
	row_counts__at(counts, key, strlen(key))->count++;
}

static void test_ranking(void)
{
	static const char *const rows[] = { "a", "b", "c", "b", "", "c", "b", "d" };
	struct row_counts counts = { .keys_max = 10 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		add(&counts, rows[i]);
	CHECK_INT(counts.count, 5);
	CHECK_INT(sum(&counts), 8);
	row_counts__rank(&counts);
	CHECK_STR(counts.list[0].key, "b");
	CHECK_INT(counts.list[0].count, 3);
	CHECK_STR(counts.list[1].key, "c");
	/* of those with the same count the one that came first */
	CHECK_STR(counts.list[2].key, "a");
	CHECK_STR(counts.list[3].key, "");
	CHECK_INT(counts.list[3].size, 0);
	CHECK_STR(counts.list[4].key, "d");
	row_counts__clear(&counts);
	CHECK_INT(counts.count, 0);
	CHECK_INT(sum(&counts), 0);
	/* and it can be used again */
	add(&counts, "z");
	CHECK_INT(counts.count, 1);
	CHECK_STR(counts.list[0].key, "z");
	row_counts__clear(&counts);
}

/* Keys that differ in their length, in a 0 byte or in a byte behind the first eight alone. */
static void test_bytes(void)
{
	struct row_counts counts = { .keys_max = 10 };

	row_counts__at(&counts, "a\0b", 3)->count++;
	row_counts__at(&counts, "a\0c", 3)->count++;
	row_counts__at(&counts, "a", 1)->count++;
	row_counts__at(&counts, "a\0", 2)->count++;
	row_counts__at(&counts, "12345678a", 9)->count++;
	row_counts__at(&counts, "12345678b", 9)->count++;
	row_counts__at(&counts, "a\0b", 3)->count++;
	CHECK_INT(counts.count, 6);
	CHECK_INT(sum(&counts), 7);
	CHECK_INT(counts.list[0].count, 2);
	row_counts__clear(&counts);
}

static void test_bound(void)
{
	struct row_counts counts = { .keys_max = 1000 };
	char key[32];

	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 5000; i++) {
			snprintf(key, sizeof(key), "/some/path/%d", i);
			add(&counts, key);
		}
	CHECK_INT(counts.count, 1000);
	CHECK_INT(counts.others.count, 3 * 4000);
	CHECK_INT(sum(&counts), 3 * 5000);
	for (size_t i = 0; i < counts.count; i++)
		CHECK_INT(counts.list[i].count, 3);
	CHECK_STR(counts.list[999].key, "/some/path/999");
	row_counts__clear(&counts);
}

/* Long keys are bounded in bytes, too; short ones still find room then. */
static void test_bytes_bound(void)
{
	const size_t size = ROW_COUNTS_BYTES / 4 + 1;
	struct row_counts counts = { .keys_max = 1000 };
	char *key = calloc(1, size);

	for (int i = 0; key && i < 10; i++) {
		key[size - 1] = (char)i;
		row_counts__at(&counts, key, size)->count++;
	}
	CHECK_INT(counts.count, 3);
	CHECK_INT(counts.others.count, 7);
	add(&counts, "short");
	CHECK_INT(counts.count, 4);
	CHECK_INT(sum(&counts), 11);
	row_counts__clear(&counts);
	free(key);
}

static void test_hists(void)
{
	struct row_counts counts = { .keys_max = 1, .with_hists = true };

	CHECK(row_counts__at(&counts, "a", 1)->hist);
	row_counts__at(&counts, "a", 1)->hist->slots[3]++;
	CHECK_INT(row_counts__at(&counts, "a", 1)->hist->slots[3], 1);
	CHECK(row_counts__at(&counts, "b", 1) == &counts.others);
	CHECK(counts.others.hist);
	row_counts__clear(&counts);
	CHECK(!counts.others.hist);
}

static void add_sum(struct row_counts *counts, const char *key, size_t number, uint64_t value)
{
	struct row_sum *sum = &row_counts__at(counts, key, 1)->sums[number];

	sum->total += value;
	sum->rows++;
}

static void test_sums(void)
{
	static const size_t second = 1;
	struct row_counts counts = { .keys_max = 2, .sums = 2, .rank_by = &second };
	struct row_count *others = &counts.others;

	add_sum(&counts, "a", 0, 9);
	add_sum(&counts, "a", 1, 1);
	add_sum(&counts, "b", 1, 2);
	add_sum(&counts, "b", 1, 3);
	/* no room */
	add_sum(&counts, "c", 1, 4);
	add_sum(&counts, "d", 1, 5);
	CHECK_INT(others->sums[1].total, 9);
	CHECK_INT(others->sums[1].rows, 2);
	row_counts__rank(&counts);
	CHECK_STR(counts.list[0].key, "b");
	CHECK_INT(counts.list[0].sums[1].total, 5);
	CHECK_INT(counts.list[0].sums[0].rows, 0);
	row_counts__add_sums(&counts, others, &counts.list[1]);
	CHECK_INT(others->sums[0].total, 9);
	CHECK_INT(others->sums[1].total, 10);
	CHECK_INT(others->sums[1].rows, 3);
	row_counts__clear(&counts);
	CHECK(!counts.others.sums);
}

int main(void)
{
	test_ranking();
	test_bytes();
	test_bound();
	test_bytes_bound();
	test_hists();
	test_sums();
	return check_done();
}

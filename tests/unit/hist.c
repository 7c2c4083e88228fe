/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms: that the buckets the programs count in (bpf/hist.bpf.h, compiled here for the host) have the edges that the user
 * side prints, to the last value, and what is printed.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "check.h"
#include "lib/print/hist.h"
#include "lib/print/hist_add.h"

/* The BPF side as it is, without its library. */
#define __BPF_HELPERS__
#undef __always_inline
#define __always_inline inline __attribute__((always_inline, unused))
#define __noinline
#define const
#include "lib/bpf/hist.bpf.h"
#undef const

static void set_shape(const struct hist_shape *shape)
{
	memcpy((void *)&hist_shape, shape, sizeof(*shape));
}

/* Every edge of every bucket, in each unit: the value itself and the one before. */
static void test_edges(void)
{
	for (int unit = HIST_NSECS; unit <= HIST_PLAIN; unit++) {
		const struct hist_shape shape = hist_shape__of((enum hist_unit)unit);
		struct hist fine = { 0 };
		struct hist_rough rough = { 0 };
		const struct hist_view views[] = { hist_view__of(&shape, &fine), hist_view__of_rough(&shape, &rough) };

		set_shape(&shape);
		for (int i = 0; i < 2; i++) {
			uint64_t next = 0;

			for (uint32_t slot = 0; slot < views[i].slots_count && next != UINT64_MAX; slot++) {
				uint64_t low = hist_view__low(&views[i], slot), high = hist_view__high(&views[i], slot);

				/* a bucket that no value falls into: 1/1024 us is less than 1 ns */
				if (high + 1 == low)
					continue;
				CHECK_INT(low, next);
				CHECK_INT(hist_slot(low, views[i].bits), slot);
				CHECK_INT(hist_slot(high, views[i].bits), slot);
				next = high == UINT64_MAX ? high : high + 1;
			}
			CHECK(next == UINT64_MAX);
		}
	}
}

static char *text_of(const struct hist_view *view, size_t width)
{
	struct text_buffer text = text_buffer__growing(1 << 20);

	hist_view__text(view, width, &text);
	return text_buffer__take(&text);
}

static void check_text(const struct hist_view *view, const char *expected)
{
	char *all = text_of(view, 0);

	CHECK_STR(all, expected);
	free(all);
}

static void check_json(const struct hist_view *view, const char *expected)
{
	struct text_buffer text = text_buffer__growing(1 << 20);
	char *all;

	hist_view__json(view, &text);
	all = text_buffer__take(&text);
	CHECK_STR(all, expected);
	free(all);
}

static void test_text(void)
{
	const struct hist_shape shape = hist_shape__of(HIST_USECS);
	struct hist hist = { 0 };
	const struct hist_view empty = hist_view__of(&shape, &hist);
	struct hist_view view;

	set_shape(&shape);
	check_text(&empty, "");
	/* rows are exact in microseconds: 1999 ns is in the first, 2000 in the second */
	hist_add(&hist, 0);
	hist_add(&hist, 1999);
	for (int i = 0; i < 4; i++)
		hist_add(&hist, 2000);
	hist_add(&hist, 15999);
	view = hist_view__of(&shape, &hist);
	CHECK_INT(hist_view__count(&view), 7);
	check_text(&view, "     usecs               : count    distribution\n"
			  "         0 -> 1          : 2        |********************                    |\n"
			  "         2 -> 3          : 4        |****************************************|\n"
			  "         4 -> 7          : 0        |                                        |\n"
			  "         8 -> 15         : 1        |**********                              |\n"
			  "     count 7, avg 3.72, p50 <= 2.25, p90 <= 16, p99 <= 16, p99.9 <= 16, max <= 16, sum 25.998 us\n");
	check_json(&view, "\"unit\":\"ns\",\"buckets\":[[0,0,1],[1875,1999,1],[2000,2249,4],[15000,15999,1]],\"count\":7,"
			  "\"sum\":25998,\"p50\":2249,\"p90\":15999,\"p99\":15999,\"p999\":15999,\"max\":15999");
	/* more than can be scaled: the sum is still exact, and no bound is claimed */
	hist_add(&hist, UINT64_MAX / 2);
	view = hist_view__of(&shape, &hist);
	CHECK_INT(hist_view__percentile(&view, 500), 2249);
	CHECK(hist_view__percentile(&view, 1000) == UINT64_MAX);
	CHECK(view.sum == UINT64_MAX / 2 + 25998);
}

static void check_width(const struct hist_view *view, size_t width, const char *expected)
{
	char *all = text_of(view, width), *numbers = strstr(all, "     count ");

	CHECK_STR(numbers, expected);
	free(all);
}

/* The line of numbers: on a narrower terminal it is broken after the last comma that has room. */
static void test_width(void)
{
	const struct hist_shape shape = hist_shape__of(HIST_USECS);
	struct hist hist = { 0 };
	struct hist_view view;
#define ONE "     count 3, avg 412, p50 <= 416, p90 <= 416, p99 <= 416, p99.9 <= 416, max <= 416, sum 1234.569 us\n"
#define TWO "     count 3, avg 412, p50 <= 416, p90 <= 416, p99 <= 416, p99.9 <= 416,\n     max <= 416, sum 1234.569 us\n"
#define FOUR "     count 3, avg 412,\n     p50 <= 416, p90 <= 416,\n     p99 <= 416, p99.9 <= 416,\n" \
	     "     max <= 416, sum 1234.569 us\n"

	set_shape(&shape);
	for (int i = 0; i < 3; i++)
		hist_add(&hist, 411522 + (uint64_t)i);
	view = hist_view__of(&shape, &hist);
	check_width(&view, 0, ONE);
	check_width(&view, sizeof(ONE) - 2, ONE);
	check_width(&view, 80, TWO);
	check_width(&view, strcspn(TWO, "\n"), TWO);
	check_width(&view, 33, FOUR);
	/* no comma has room */
	check_width(&view, 8, ONE);
}

/* ---- values of any size, by what is printed */

/* The only row of text that has a count: its edges in units, *high UINT64_MAX for "and above". */
static bool parse_row(const char *text, unsigned long long *low, unsigned long long *high)
{
	for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
		unsigned long long count;
		char word[16];

		*high = UINT64_MAX;
		if (sscanf(line, "%llu -> %llu : %llu |", low, high, &count) != 3 &&
		    (sscanf(line, "%llu -> and %15s : %llu |", low, word, &count) != 3 || strcmp(word, "above")))
			continue;
		if (count)
			return true;
	}
	return false;
}

/* One value: its row and its bucket hold it, and are as narrow as they should be. */
static void check_value(enum hist_unit unit, uint64_t unit_ns, uint64_t value)
{
	const struct hist_shape shape = hist_shape__of(unit);
	struct text_buffer buffer = text_buffer__growing(1 << 20);
	unsigned long long low, high, from, to = UINT64_MAX;
	struct hist hist = { 0 };
	struct hist_view view;
	char *text;

	set_shape(&shape);
	hist_add(&hist, value);
	view = hist_view__of(&shape, &hist);
	hist_view__text(&view, 0, &buffer);
	text = text_buffer__take(&buffer);
	if (CHECK(text && parse_row(text, &low, &high))) {
		check_report(value / unit_ns >= low && value / unit_ns <= high, __FILE__, __LINE__,
			     "unit %d: %llu is in %llu -> %llu", unit,
			     (unsigned long long)value, low, high);
		/* a power of two, or open above what 64 bits of the scaled value have room for */
		if (high != UINT64_MAX || unit_ns == 1)
			CHECK_INT(high, low ? 2 * low - 1 : 1);
		else
			CHECK(low >= 1ull << 30);
	}
	free(text);
	hist_view__json(&view, &buffer);
	text = text_buffer__take(&buffer);
	if (CHECK(text && sscanf(text, "\"unit\":%*[^,],\"buckets\":[[%llu,%llu", &from, &to) >= 1)) {
		CHECK(value >= from && value <= to);
		/* an eighth of an octave, and the next whole nanosecond */
		if (to != UINT64_MAX)
			CHECK(to - from <= from / 8 + 2);
	}
	free(text);
}

static void test_any_value(void)
{
	static const struct { enum hist_unit unit; uint64_t ns; } units[] = {
		{ HIST_NSECS, 1 }, { HIST_USECS, 1000 }, { HIST_MSECS, 1000000 }, { HIST_BYTES, 1 }, { HIST_PLAIN, 1 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		for (int bit = 0; bit < 64; bit++)
			for (int64_t off = -2; off <= 2; off++)
				check_value(units[i].unit, units[i].ns, (1ull << bit) + (uint64_t)off);
		for (uint64_t value = 1; value < UINT64_MAX / 10 * 9; value += value / 9 + 1)
			check_value(units[i].unit, units[i].ns, value);
		check_value(units[i].unit, units[i].ns, UINT64_MAX);
	}
}

/* Sums of more than 64 bits: 20 timers' times of expiry in 2026, addresses, the largest numbers. */
static void test_large_sums(void)
{
	struct hist_shape shape = hist_shape__of(HIST_PLAIN);
	struct hist hist = { 0 };
	struct hist_view view;

	set_shape(&shape);
	for (int i = 0; i < 20; i++)
		hist_add(&hist, 1790000000000000000);
	view = hist_view__of(&shape, &hist);
	check_json(&view, "\"unit\":null,\"buckets\":[[1729382256910270464,1873497444986126335,20]],\"count\":20,\"sum\":null,"
			  "\"p50\":1873497444986126335,\"p90\":1873497444986126335,\"p99\":1873497444986126335,"
			  "\"p999\":1873497444986126335,\"max\":1873497444986126335");
	CHECK(view.sum / 20 == 1790000000000000000);
	CHECK(!(view.sum % 20));
	hist = (struct hist){ 0 };
	hist_add(&hist, 0xffff888000000000);
	hist_add(&hist, 0xffffffffffffffff);
	hist_add(&hist, 3);
	view = hist_view__of(&shape, &hist);
	/* 36893356755779584002, by python3 */
	CHECK(view.sum / 1000000000000000000 == 36);
	CHECK(view.sum % 1000000000000000000 == 893356755779584002u);
	/* with steps, too, of which the last one has no end */
	CHECK_INT(hist_shape__parse_linear(&shape, "0,10,10"), 0);
	set_shape(&shape);
	hist = (struct hist){ 0 };
	for (int i = 0; i < 3; i++)
		hist_add(&hist, 0xffffffffffffffff);
	view = hist_view__of(&shape, &hist);
	check_text(&view, "     value               : count    distribution\n"
			  "        10 -> and above  : 3        |****************************************|\n"
			  "     count 3, avg 18446744073709551615, p50 unbounded, p90 unbounded, p99 unbounded, p99.9 unbounded, max "
			  "unbounded, sum 55340232221128654845\n");
}

static void test_linear(void)
{
	static const char *const wrong[] = { "", "1", "1,2", "0,10,3", "10,10,1", "20,10,5", "0,10,0", "0,10,1x", "-1,10,1", "0,1000,1",
					     "0,99999999999999999999,1", "0,,1", "0, 10,1", "0,10,1,1" };
	struct hist_shape shape = hist_shape__of(HIST_USECS);
	struct hist hist = { 0 };
	struct hist_view view;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		check_report(hist_shape__parse_linear(&shape, wrong[i]) == -EINVAL, __FILE__, __LINE__, "\"%s\" is taken", wrong[i]);
	CHECK_INT(shape.linear_count, 0);
	CHECK_INT(hist_shape__parse_linear(&shape, "10,30,10"), 0);
	set_shape(&shape);
	hist_add(&hist, 9999);
	hist_add(&hist, 10000);
	hist_add(&hist, 29999);
	hist_add(&hist, 30000);
	hist_add(&hist, 1000000);
	view = hist_view__of(&shape, &hist);
	check_text(&view, "     usecs               : count    distribution\n"
			  "     below -> 9          : 1        |********************                    |\n"
			  "        10 -> 19         : 1        |********************                    |\n"
			  "        20 -> 29         : 1        |********************                    |\n"
			  "        30 -> and above  : 2        |****************************************|\n"
			  "     count 5, avg 216, p50 <= 30, p90 unbounded, p99 unbounded, p99.9 unbounded, max unbounded, sum 1079.998 us\n");
	check_json(&view, "\"unit\":\"ns\",\"buckets\":[[0,9999,1],[10000,19999,1],[20000,29999,1],[30000,null,2]],\"count\":5,"
			  "\"sum\":1079998,\"p50\":29999,\"p90\":null,\"p99\":null,\"p999\":null,\"max\":null");
}

/* Numbers without a unit. */
static void test_plain(void)
{
	const struct hist_shape shape = hist_shape__of(HIST_PLAIN);
	struct hist hist = { 0 };
	struct hist_view view;

	set_shape(&shape);
	hist_add(&hist, 1);
	hist_add(&hist, 3);
	view = hist_view__of(&shape, &hist);
	check_text(&view, "     value               : count    distribution\n"
			  "         0 -> 1          : 1        |****************************************|\n"
			  "         2 -> 3          : 1        |****************************************|\n"
			  "     count 2, avg 2, p50 <= 1, p90 <= 3, p99 <= 3, p99.9 <= 3, max <= 3, sum 4\n");
	check_json(&view, "\"unit\":null,\"buckets\":[[1,1,1],[3,3,1]],\"count\":2,\"sum\":4,\"p50\":1,\"p90\":3,\"p99\":3,\"p999\":3,\"max\":3");
}

static void test_format(void)
{
	const struct hist_shape us = hist_shape__of(HIST_USECS), ms = hist_shape__of(HIST_MSECS), ns = hist_shape__of(HIST_NSECS);
	char text[HIST_NUMBER_SIZE];

#define CHECK_FORMAT(shape, value, expected) (hist_shape__format(shape, value, text), CHECK_STR(text, expected))
	CHECK_FORMAT(&ns, 1234, "1234");
	CHECK_FORMAT(&us, 0, "0");
	CHECK_FORMAT(&us, 1, "0.001");
	CHECK_FORMAT(&us, 1000, "1");
	CHECK_FORMAT(&us, 1001, "1.01");
	CHECK_FORMAT(&us, 9999, "10");
	CHECK_FORMAT(&us, 12345, "12.4");
	CHECK_FORMAT(&us, 123456, "124");
	CHECK_FORMAT(&ms, 1, "0.001");
	CHECK_FORMAT(&ms, 12345678, "12.4");
}

/* What is counted without a program falls into the same buckets. */
static void test_added(void)
{
	struct hist_shape shapes[3] = { hist_shape__of(HIST_USECS), hist_shape__of(HIST_PLAIN), hist_shape__of(HIST_NSECS) };

	CHECK_INT(hist_shape__parse_linear(&shapes[2], "100,1000,100"), 0);
	for (int i = 0; i < 3; i++) {
		struct hist by_program = { 0 }, added = { 0 };
		struct hist_rough rough_by_program = { 0 }, rough_added = { 0 };

		set_shape(&shapes[i]);
		for (uint64_t value = 0; value < 1ull << 60; value += value / 7 + 1) {
			hist_add(&by_program, value);
			hist__add(&added, &shapes[i], value);
			hist_rough_add(&rough_by_program, value);
			hist_rough__add(&rough_added, &shapes[i], value);
		}
		CHECK(!memcmp(&by_program, &added, sizeof(added)));
		CHECK(!memcmp(&rough_by_program, &rough_added, sizeof(rough_added)));
	}
}

int main(void)
{
	test_edges();
	test_added();
	test_text();
	test_width();
	test_linear();
	test_plain();
	test_any_value();
	test_large_sums();
	test_format();
	return check_done();
}

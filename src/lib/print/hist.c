/* SPDX-License-Identifier: BSD-2-Clause */
#include "hist.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STARS 40
#define ROWS_MAX (HIST_LINEAR_MAX + 2)

static const struct {
	const char *name, *short_name;
	struct hist_shape shape;
} units[] = {
	/* 1024 / 1000 is 2^7 / 5^3; 2^20 / 10^6 is 2^14 / 5^6 */
	[HIST_NSECS] = { "nsecs", "ns", { .shift = 0, .divisor = 1 } },
	[HIST_USECS] = { "usecs", "us", { .shift = 7, .divisor = 125, .fraction = 10 } },
	[HIST_MSECS] = { "msecs", "ms", { .shift = 14, .divisor = 15625, .fraction = 20 } },
	[HIST_BYTES] = { "bytes", "bytes", { .shift = 0, .divisor = 1, .bytes = 1 } },
};

struct hist_shape hist_shape__of(enum hist_unit unit)
{
	return units[unit].shape;
}

static enum hist_unit unit_of(const struct hist_shape *shape)
{
	if (shape->bytes)
		return HIST_BYTES;
	return shape->fraction == 0 ? HIST_NSECS : shape->fraction == 10 ? HIST_USECS : HIST_MSECS;
}

const char *hist_shape__unit(const struct hist_shape *shape)
{
	return units[unit_of(shape)].name;
}

/* Values in one unit of the rows. */
static uint64_t unit_size(const struct hist_shape *shape)
{
	return (uint64_t)shape->divisor << (shape->fraction - shape->shift);
}

/* A whole number that ends at `end`; -1: there is none, or it is too large to be meant. */
static int64_t parse_part(const char **text, char end)
{
	unsigned long long value;
	char *after;

	errno = 0;
	value = strtoull(*text, &after, 10);
	if (!isdigit((unsigned char)**text) || *after != end || errno || value > 1000000000000ULL)
		return -1;
	*text = after + 1;
	return (int64_t)value;
}

int hist_shape__parse_linear(struct hist_shape *shape, const char *text)
{
	int64_t min = parse_part(&text, ','), max = min < 0 ? -1 : parse_part(&text, ',');
	int64_t step = max < 0 ? -1 : parse_part(&text, 0);

	if (step <= 0 || max <= min || (max - min) % step || (max - min) / step > HIST_LINEAR_MAX)
		return -EINVAL;
	shape->linear_min = (uint64_t)min * unit_size(shape);
	shape->linear_step = (uint64_t)step * unit_size(shape);
	shape->linear_count = (uint32_t)((max - min) / step);
	return 0;
}

struct hist_view hist_view__of(const struct hist_shape *shape, const struct hist *hist)
{
	return (struct hist_view){ shape, (const uint64_t *)hist->slots, hist->sum, HIST_BITS,
				   shape->linear_count ? shape->linear_count + 2 : HIST_SLOTS };
}

struct hist_view hist_view__of_rough(const struct hist_shape *shape, const struct hist_rough *hist)
{
	return (struct hist_view){ shape, (const uint64_t *)hist->slots, hist->sum, 0, HIST_ROUGH_SLOTS };
}

/* The smallest scaled value in the bucket; 128 bits, as the bucket behind the last one has one, too. */
static unsigned __int128 scaled_low(const struct hist_view *view, uint32_t slot)
{
	uint32_t parts = 1u << view->bits, length;

	if (slot < parts)
		return slot;
	length = (slot >> view->bits) + view->bits;
	return ((unsigned __int128)1 << (length - 1)) + ((unsigned __int128)(slot & (parts - 1)) << (length - 1 - view->bits));
}

static uint64_t low_of(const struct hist_view *view, uint32_t slot)
{
	unsigned __int128 low;

	if (view->shape->linear_count)
		return slot ? view->shape->linear_min + (slot - 1) * view->shape->linear_step : 0;
	low = (scaled_low(view, slot) * view->shape->divisor + (((uint64_t)1 << view->shape->shift) - 1)) >> view->shape->shift;
	return low > UINT64_MAX ? UINT64_MAX : (uint64_t)low;
}

uint64_t hist_view__low(const struct hist_view *view, uint32_t slot)
{
	return low_of(view, slot);
}

uint64_t hist_view__high(const struct hist_view *view, uint32_t slot)
{
	uint64_t next;

	if (slot + 1 >= view->slots_count)
		return UINT64_MAX;
	next = low_of(view, slot + 1);
	/* what is too large to be scaled counts in the last bucket that can be */
	if (!view->shape->linear_count && next >= (uint64_t)1 << HIST_VALUE_BITS)
		return UINT64_MAX;
	return next ? next - 1 : 0;
}

uint64_t hist_view__count(const struct hist_view *view)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < view->slots_count; i++)
		count += view->slots[i];
	return count;
}

uint64_t hist_view__percentile(const struct hist_view *view, unsigned int per_mille)
{
	uint64_t count = hist_view__count(view), below = 0, wanted;

	if (!count)
		return 0;
	/* how many must not be above it, rounded up */
	wanted = (uint64_t)(((unsigned __int128)count * per_mille + 999) / 1000);
	for (uint32_t i = 0; i < view->slots_count; i++) {
		below += view->slots[i];
		if (view->slots[i] && below >= wanted)
			return hist_view__high(view, i);
	}
	return UINT64_MAX;
}

void hist_shape__format(const struct hist_shape *shape, uint64_t value, char text[HIST_NUMBER_SIZE])
{
	uint64_t unit = unit_size(shape), whole = value / unit, rest = value % unit;
	/* three digits that count, and never "0.00" for what is not 0 */
	int digits = whole >= 100 ? 0 : whole >= 10 ? 1 : whole ? 2 : 3;
	uint64_t parts = digits == 3 ? 1000 : digits == 2 ? 100 : digits == 1 ? 10 : 1;

	if (unit == 1 || !rest) {
		snprintf(text, HIST_NUMBER_SIZE, "%llu", (unsigned long long)whole);
		return;
	}
	rest = (rest * parts + unit - 1) / unit;
	whole += rest / parts;
	rest %= parts;
	if (!rest)
		snprintf(text, HIST_NUMBER_SIZE, "%llu", (unsigned long long)whole);
	else
		snprintf(text, HIST_NUMBER_SIZE, "%llu.%0*llu", (unsigned long long)whole, digits,
			 (unsigned long long)rest);
}

/* What is printed as one row. */
struct row {
	uint64_t low, high;	/* in units, both included; high UINT64_MAX: and above */
	uint64_t count;
	bool below;		/* of --linear: smaller than high */
};

static void set_edges(const struct hist_view *view, uint32_t number, struct row *row)
{
	uint64_t unit = unit_size(view->shape);

	if (!view->shape->linear_count) {
		row->low = number ? (uint64_t)1 << number : 0;
		row->high = ((uint64_t)2 << number) - 1;
		return;
	}
	row->below = !number;
	row->low = low_of(view, number) / unit;
	row->high = number + 1 < view->slots_count ? low_of(view, number + 1) / unit - 1 : UINT64_MAX;
}

/* The rows from the first to the last that is not empty, at most ROWS_MAX; their number. */
static size_t make_rows(const struct hist_view *view, struct row *rows)
{
	size_t first = SIZE_MAX, used = 0;

	memset(rows, 0, ROWS_MAX * sizeof(*rows));
	for (uint32_t i = 0; i < view->slots_count; i++) {
		unsigned __int128 whole = view->shape->linear_count ? 0 : scaled_low(view, i) >> view->shape->fraction;
		size_t row = i;

		if (!view->slots[i])
			continue;
		if (!view->shape->linear_count)
			row = whole < 2 ? 0 : (size_t)(63 - __builtin_clzll((unsigned long long)whole));
		rows[row].count += view->slots[i];
		first = first < row ? first : row;
		used = row + 1;
	}
	if (!used)
		return 0;
	/* as everybody knows them, rows of powers of two begin with the smallest; the empty ones have edges, too */
	if (!view->shape->linear_count)
		first = 0;
	for (size_t i = first; i < used; i++)
		set_edges(view, (uint32_t)i, &rows[i]);
	memmove(rows, rows + first, (used - first) * sizeof(*rows));
	return used - first;
}

static void add_row(struct text_buffer *text, const struct row *row, uint64_t largest)
{
	static const char stars[] = "****************************************";
	int length = (int)((unsigned __int128)row->count * STARS / largest);

	if (row->below)
		text_buffer__add(text, "%10s -> %-10llu", "below", (unsigned long long)row->high);
	else if (row->high == UINT64_MAX)
		text_buffer__add(text, "%10llu -> %-10s", (unsigned long long)row->low, "and above");
	else
		text_buffer__add(text, "%10llu -> %-10llu", (unsigned long long)row->low, (unsigned long long)row->high);
	text_buffer__add(text, " : %-8llu |%-*.*s|\n", (unsigned long long)row->count, STARS, length, stars);
}

/* ", p50 <= 3", or "p50 > 12" where the bucket has no upper edge */
static void add_bound(const struct hist_view *view, struct text_buffer *text, const char *name, unsigned int per_mille)
{
	uint64_t value = hist_view__percentile(view, per_mille);
	char number[HIST_NUMBER_SIZE];

	if (value == UINT64_MAX) {
		text_buffer__add(text, ", %s unbounded", name);
		return;
	}
	hist_shape__format(view->shape, value, number);
	text_buffer__add(text, ", %s <= %s", name, number);
}

void hist_view__text(const struct hist_view *view, struct text_buffer *text)
{
	uint64_t count = hist_view__count(view), largest = 0, unit = unit_size(view->shape);
	char average[HIST_NUMBER_SIZE];
	struct row rows[ROWS_MAX];
	size_t used;

	if (!count)
		return;
	used = make_rows(view, rows);
	for (size_t i = 0; i < used; i++)
		largest = rows[i].count > largest ? rows[i].count : largest;
	text_buffer__add(text, "     %-19s : count    distribution\n", hist_shape__unit(view->shape));
	for (size_t i = 0; i < used; i++)
		add_row(text, &rows[i], largest);
	hist_shape__format(view->shape, view->sum / count, average);
	text_buffer__add(text, "     count %llu, avg %s", (unsigned long long)count, average);
	add_bound(view, text, "p50", 500);
	add_bound(view, text, "p90", 900);
	add_bound(view, text, "p99", 990);
	add_bound(view, text, "p99.9", 999);
	add_bound(view, text, "max", 1000);
	text_buffer__add(text, ", sum %llu", (unsigned long long)(view->sum / unit));
	if (unit > 1)
		text_buffer__add(text, ".%0*llu", unit == 1000 ? 3 : 6, (unsigned long long)(view->sum % unit));
	text_buffer__add(text, " %s\n", units[unit_of(view->shape)].short_name);
}

static void add_json_bound(const struct hist_view *view, struct text_buffer *text, const char *name, unsigned int per_mille)
{
	uint64_t value = hist_view__percentile(view, per_mille);

	if (value == UINT64_MAX)
		text_buffer__add(text, ",\"%s\":null", name);
	else
		text_buffer__add(text, ",\"%s\":%llu", name, (unsigned long long)value);
}

void hist_view__json(const struct hist_view *view, struct text_buffer *text)
{
	const char *comma = "";

	text_buffer__add(text, "\"unit\":\"%s\",\"buckets\":[", view->shape->bytes ? "bytes" : "ns");
	for (uint32_t i = 0; i < view->slots_count; i++) {
		uint64_t high = hist_view__high(view, i);

		if (!view->slots[i])
			continue;
		text_buffer__add(text, "%s[%llu,", comma, (unsigned long long)hist_view__low(view, i));
		if (high == UINT64_MAX)
			text_buffer__add(text, "null,%llu]", (unsigned long long)view->slots[i]);
		else
			text_buffer__add(text, "%llu,%llu]", (unsigned long long)high, (unsigned long long)view->slots[i]);
		comma = ",";
	}
	text_buffer__add(text, "],\"count\":%llu,\"sum\":%llu", (unsigned long long)hist_view__count(view),
			 (unsigned long long)view->sum);
	add_json_bound(view, text, "p50", 500);
	add_json_bound(view, text, "p90", 900);
	add_json_bound(view, text, "p99", 990);
	add_json_bound(view, text, "p999", 999);
	add_json_bound(view, text, "max", 1000);
}

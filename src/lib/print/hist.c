/* SPDX-License-Identifier: BSD-2-Clause */
#include "hist.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STARS 40

static const struct {
	const char *name, *short_name;
	struct hist_shape shape;
} units[] = {
	/* 1024 / 1000 is 2^7 / 5^3; 2^20 / 10^6 is 2^14 / 5^6 */
	[HIST_NSECS] = { "nsecs", "ns", { .shift = 0, .divisor = 1 } },
	[HIST_USECS] = { "usecs", "us", { .shift = 7, .divisor = 125, .fraction = 10 } },
	[HIST_MSECS] = { "msecs", "ms", { .shift = 14, .divisor = 15625, .fraction = 20 } },
	[HIST_BYTES] = { "bytes", "bytes", { .shift = 0, .divisor = 1, .bytes = 1 } },
	[HIST_PLAIN] = { "value", NULL, { .shift = 0, .divisor = 1, .plain = 1 } },
};

struct hist_shape hist_shape__of(enum hist_unit unit)
{
	return units[unit].shape;
}

static enum hist_unit unit_of(const struct hist_shape *shape)
{
	if (shape->bytes)
		return HIST_BYTES;
	if (shape->plain)
		return HIST_PLAIN;
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

/* What sum has beyond the high halves are the low ones, which fit into 64 bits for up to 2^32 values. */
static unsigned __int128 whole_sum(const struct hist *hist)
{
	unsigned __int128 high = (unsigned __int128)hist->sum_high << 32;

	return high + (uint64_t)(hist->sum - (uint64_t)high);
}

struct hist_view hist_view__of(const struct hist_shape *shape, const struct hist *hist)
{
	return (struct hist_view){ shape, (const uint64_t *)hist->slots, whole_sum(hist), HIST_BITS,
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
	if (!view->shape->linear_count && view->shape->shift && next > HIST_VALUE_MAX(*view->shape))
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

/* How many of count values must not be above a percentile, rounded up. */
static uint64_t wanted_of(uint64_t count, unsigned int per_mille)
{
	return (uint64_t)(((unsigned __int128)count * per_mille + 999) / 1000);
}

/* The upper edges of several percentiles, in one pass; per_mille must rise.  count: of all values, not 0. */
static void find_bounds(const struct hist_view *view, uint64_t count, const unsigned int *per_mille, uint64_t *bounds, size_t bounds_count)
{
	uint64_t below = 0;
	size_t found = 0;

	for (uint32_t i = 0; i < view->slots_count && found < bounds_count; i++) {
		if (!view->slots[i])
			continue;
		below += view->slots[i];
		while (found < bounds_count && below >= wanted_of(count, per_mille[found]))
			bounds[found++] = hist_view__high(view, i);
	}
	while (found < bounds_count)
		bounds[found++] = UINT64_MAX;
}

uint64_t hist_view__percentile(const struct hist_view *view, unsigned int per_mille)
{
	uint64_t count = hist_view__count(view), bound = 0;

	if (count)
		find_bounds(view, count, &per_mille, &bound, 1);
	return bound;
}

/*
 * Text is put together by hand: a tool with a table may print a hundred histograms in each interval, and with printf() that were
 * 3 million instructions.  Each put_…() gives the end of what it wrote.
 */

/* At least so many digits, up to 20. */
static char *put_digits(char *to, uint64_t value, int digits)
{
	char text[20], *from = text + sizeof(text);

	while (value || digits > 0) {
		*--from = (char)('0' + value % 10);
		value /= 10;
		digits--;
	}
	memcpy(to, from, (size_t)(text + sizeof(text) - from));
	return to + (text + sizeof(text) - from);
}

static char *put_number(char *to, uint64_t value)
{
	return put_digits(to, value, 1);
}

/* More than 64 bits, too: up to 39 digits. */
static char *put_large(char *to, unsigned __int128 value)
{
	const uint64_t part = 1000000000000000000;	/* 18 digits */

	if (value <= UINT64_MAX)
		return put_number(to, (uint64_t)value);
	return put_digits(put_large(to, value / part), (uint64_t)(value % part), 18);
}

static char *put_word(char *to, const char *word)
{
	size_t size = strlen(word);

	memcpy(to, word, size);
	return to + size;
}

/* Spaces from `to` until the field that begins at `start` is so wide. */
static char *fill_field(char *start, char *to, size_t width)
{
	while (to < start + width)
		*to++ = ' ';
	return to;
}

/* On the right of a field. */
static char *put_right(char *to, uint64_t value, size_t width)
{
	char text[20];
	size_t size = (size_t)(put_number(text, value) - text);

	to = fill_field(to, to, size < width ? width - size : 0);
	memcpy(to, text, size);
	return to + size;
}

static char *put_left(char *to, uint64_t value, size_t width)
{
	return fill_field(to, put_number(to, value), width);
}

/* Not ended by a 0 byte; HIST_NUMBER_SIZE bytes at most. */
static char *put_value(char *to, const struct hist_shape *shape, uint64_t value)
{
	uint64_t unit = unit_size(shape), whole = value / unit, rest = value % unit;
	/* three digits that count, and never "0.00" for what is not 0 */
	int digits = whole >= 100 ? 0 : whole >= 10 ? 1 : whole ? 2 : 3;
	uint64_t parts = digits == 3 ? 1000 : digits == 2 ? 100 : digits == 1 ? 10 : 1;

	if (unit == 1 || !rest)
		return put_number(to, whole);
	rest = (rest * parts + unit - 1) / unit;
	to = put_number(to, whole + rest / parts);
	rest %= parts;
	if (!rest)
		return to;
	*to++ = '.';
	return put_digits(to, rest, digits);
}

void hist_shape__format(const struct hist_shape *shape, uint64_t value, char text[HIST_NUMBER_SIZE])
{
	*put_value(text, shape, value) = 0;
}

/* The highest bit of the scaled value is that of the row. */
static uint32_t row_of(const struct hist_shape *shape, uint32_t highest_bit)
{
	return highest_bit > shape->fraction ? highest_bit - shape->fraction : 0;
}

/* Whether a row of a power of two has the values that cannot be scaled, too. */
static bool has_no_end(const struct hist_shape *shape, uint32_t row)
{
	uint64_t scaled = (HIST_VALUE_MAX(*shape) << shape->shift) / shape->divisor;

	return shape->shift && row == row_of(shape, 63 - (uint32_t)__builtin_clzll(scaled));
}

/* The rows, from the first to the last that is printed: of a power of two, or a step of --linear. */
struct rows {
	const uint64_t *counts;		/* of row 0, 1, … */
	uint32_t first, end;		/* end is behind the last */
	uint64_t largest;		/* of the counts */
	uint64_t powers[64];
};

static void make_rows(const struct hist_view *view, struct rows *rows)
{
	bool is_linear = view->shape->linear_count;

	rows->counts = is_linear ? view->slots : rows->powers;
	rows->first = UINT32_MAX;
	rows->end = 0;
	rows->largest = 0;
	if (!is_linear)
		memset(rows->powers, 0, sizeof(rows->powers));
	for (uint32_t i = 0; i < view->slots_count; i++) {
		uint32_t row = i, parts = 1u << view->bits, highest;

		if (!view->slots[i])
			continue;
		if (!is_linear) {
			/* the highest bit of the bucket's scaled values */
			highest = i >= parts ? (i >> view->bits) + view->bits - 1 : i ? 31 - (uint32_t)__builtin_clz(i) : 0;
			row = row_of(view->shape, highest);
			rows->powers[row] += view->slots[i];
		}
		rows->first = row < rows->first ? row : rows->first;
		rows->end = row + 1;
		rows->largest = rows->counts[row] > rows->largest ? rows->counts[row] : rows->largest;
	}
	/* as everybody knows them, rows of powers of two begin with the smallest; the empty ones have edges, too */
	if (!is_linear)
		rows->first = 0;
}

/* Ended by a 0 byte. */
static void to_edges(char *text, uint64_t low, uint64_t high)
{
	*put_number(put_word(put_number(text, low), " -> "), high) = 0;
}

size_t hist_view__rows(const struct hist_view *view, uint64_t counts[HIST_SLOTS])
{
	struct rows rows;

	make_rows(view, &rows);
	memcpy(counts, rows.counts, rows.end * sizeof(*counts));
	return rows.end;
}

void hist_shape__edges(const struct hist_shape *shape, uint32_t row, char text[HIST_EDGES_SIZE])
{
	uint64_t min = shape->linear_min / unit_size(shape), step = shape->linear_step / unit_size(shape), low = min + (row - 1) * step;

	if (!shape->linear_count && has_no_end(shape, row)) {
		strcpy(put_number(text, 1ULL << row), " and above");
	} else if (!shape->linear_count) {
		to_edges(text, row ? 1ULL << row : 0, (2ULL << row) - 1);
	} else if (!row) {
		*put_number(put_word(text, "below "), min) = 0;
	} else if (row > shape->linear_count) {
		strcpy(put_number(text, low), " and above");
	} else {
		to_edges(text, low, low + step - 1);
	}
}

/* "        10 -> 19        ": the values of a row, in units. */
static char *put_edges(char *to, const struct hist_view *view, uint32_t row)
{
	bool is_linear = view->shape->linear_count;
	bool is_last = is_linear ? row + 1 >= view->slots_count : has_no_end(view->shape, row);
	uint64_t unit = unit_size(view->shape), low = row ? 1ULL << row : 0, high = (2ULL << row) - 1;
	char *field;

	if (is_linear) {
		low = low_of(view, row) / unit;
		high = is_last ? 0 : low_of(view, row + 1) / unit - 1;
	}
	to = is_linear && !row ? put_word(to, "     below") : put_right(to, low, 10);
	field = to = put_word(to, " -> ");
	if (is_last)
		return fill_field(field, put_word(to, "and above"), 10);
	return put_left(to, high, 10);
}

#define ROW_SIZE 160	/* three numbers of 20 digits, and the bar */

static void add_row(struct text_buffer *text, const struct hist_view *view, const struct rows *rows, uint32_t row)
{
	char line[ROW_SIZE], *to = put_edges(line, view, row), *bar;
	uint64_t count = rows->counts[row];
	size_t stars = count < UINT64_MAX / STARS ? count * STARS / rows->largest :
		(size_t)((unsigned __int128)count * STARS / rows->largest);

	to = put_word(to, " : ");
	to = put_left(to, count, 8);
	to = put_word(to, " |");
	bar = to;
	memset(bar, '*', stars);
	to = put_word(fill_field(bar, bar + stars, STARS), "|\n");
	text_buffer__put(text, line, (size_t)(to - line));
}

static const unsigned int percentiles[] = { 500, 900, 990, 999, 1000 };
static const struct { const char *text, *json; } percentile_names[] = {
	{ "p50", "p50" }, { "p90", "p90" }, { "p99", "p99" }, { "p99.9", "p999" }, { "max", "max" },
};
#define PERCENTILES (sizeof(percentiles) / sizeof(*percentiles))

/* Appends a line that ends with a newline, broken after commas where it is longer than width characters; 0: never. */
static void add_broken(struct text_buffer *text, const char *line, size_t size, size_t width)
{
	size_t indent = strspn(line, " "), before = 0;	/* of this line's part, which was written */
	const char *comma;

	while (width > before && before + size - 1 > width && (comma = memrchr(line, ',', width - before))) {
		text_buffer__put(text, line, (size_t)(comma + 1 - line));
		text_buffer__add(text, "\n%*s", (int)indent, "");
		size -= (size_t)(comma + 2 - line);
		line = comma + 2;
		before = indent;
	}
	text_buffer__put(text, line, size);
}

/* count 7, avg 3.72, p50 <= 2.25, …, max unbounded, sum 25.998 us */
static void add_numbers(struct text_buffer *text, const struct hist_view *view, uint64_t count, size_t width)
{
	char line[(PERCENTILES + 4) * (HIST_NUMBER_SIZE + 16)], *to = put_word(line, "     count ");
	uint64_t bounds[PERCENTILES], unit = unit_size(view->shape);

	find_bounds(view, count, percentiles, bounds, PERCENTILES);
	to = put_word(put_number(to, count), ", avg ");
	to = put_value(to, view->shape, (uint64_t)(view->sum / count));
	for (size_t i = 0; i < PERCENTILES; i++) {
		to = put_word(put_word(to, ", "), percentile_names[i].text);
		if (bounds[i] == UINT64_MAX)
			to = put_word(to, " unbounded");
		else
			to = put_value(put_word(to, " <= "), view->shape, bounds[i]);
	}
	to = put_large(put_word(to, ", sum "), view->sum / unit);
	if (unit > 1) {
		*to++ = '.';
		to = put_digits(to, (uint64_t)(view->sum % unit), unit == 1000 ? 3 : 6);
	}
	if (!view->shape->plain)
		to = put_word(put_word(to, " "), units[unit_of(view->shape)].short_name);
	*to++ = '\n';
	add_broken(text, line, (size_t)(to - line), width);
}

/* "     usecs               : count    distribution" */
static void add_header(struct text_buffer *text, const struct hist_view *view)
{
	char line[64], *unit = put_word(line, "     "), *to = put_word(unit, hist_shape__unit(view->shape));

	to = put_word(fill_field(unit, to, 19), " : count    distribution\n");
	text_buffer__put(text, line, (size_t)(to - line));
}

void hist_view__text(const struct hist_view *view, size_t width, struct text_buffer *text)
{
	uint64_t count = hist_view__count(view);
	struct rows rows;

	if (!count)
		return;
	make_rows(view, &rows);
	add_header(text, view);
	for (uint32_t i = rows.first; i < rows.end; i++)
		add_row(text, view, &rows, i);
	add_numbers(text, view, count, width);
}

void hist_view__json(const struct hist_view *view, struct text_buffer *text)
{
	uint64_t count = hist_view__count(view), bounds[PERCENTILES] = { 0 };
	const char *comma = "";

	text_buffer__add(text, "\"unit\":%s,\"buckets\":[", view->shape->plain ? "null" : view->shape->bytes ? "\"bytes\"" : "\"ns\"");
	for (uint32_t i = 0; i < view->slots_count; i++) {
		char bucket[3 * HIST_NUMBER_SIZE], *to;
		uint64_t high;

		if (!view->slots[i])
			continue;
		high = hist_view__high(view, i);
		to = put_word(put_number(put_word(put_word(bucket, comma), "["), hist_view__low(view, i)), ",");
		to = put_word(high == UINT64_MAX ? put_word(to, "null") : put_number(to, high), ",");
		to = put_word(put_number(to, view->slots[i]), "]");
		text_buffer__put(text, bucket, (size_t)(to - bucket));
		comma = ",";
	}
	text_buffer__add(text, "],\"count\":%llu,\"sum\":", (unsigned long long)count);
	if (view->sum > UINT64_MAX)
		text_buffer__add(text, "null");
	else
		text_buffer__add(text, "%llu", (unsigned long long)view->sum);
	if (count)
		find_bounds(view, count, percentiles, bounds, PERCENTILES);
	for (size_t i = 0; i < PERCENTILES; i++) {
		if (bounds[i] == UINT64_MAX)
			text_buffer__add(text, ",\"%s\":null", percentile_names[i].json);
		else
			text_buffer__add(text, ",\"%s\":%llu", percentile_names[i].json, (unsigned long long)bounds[i]);
	}
}

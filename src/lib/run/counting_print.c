/* SPDX-License-Identifier: BSD-2-Clause */
/* What --count and --hist print for an interval. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counting.h"
#include "intervals.h"

#define TEXT_MAX (1 << 20)	/* of the values of a row that was JSON */

/* Whether a member of a row is the value of that column; there are also those that follow it, "path_more". */
static bool is_of(const struct taken_member *member, const struct counting_column *column)
{
	return member->key.size == strlen(column->key) && !memcmp(member->key.bytes, column->key, member->key.size);
}

static const struct counting_column *column_at(const struct counting *counting, size_t place)
{
	size_t i = 0;

	while (counting->columns[i].place != place && i + 1 < counting->names_count)
		i++;
	return &counting->columns[i];
}

/* The values of a row that is JSON as text, each followed by a 0 byte, in the table's order; the caller frees it. */
static char *as_text(const struct counting *counting, const struct row_count *count)
{
	struct text_buffer text = text_buffer__growing(TEXT_MAX);
	const char *at = count->key, *end = at + count->size, mark = OUT_MARK;
	struct taken_member member;
	size_t place = 0;

	while (place < counting->names_count && taken__next_member(&at, end, &member)) {
		if (!is_of(&member, column_at(counting, place)))
			continue;
		if (place++)
			text_buffer__put(&text, &mark, 1);
		taken__add_text(&text, &member.value);
	}
	return text_buffer__take(&text);
}

/* The values of a row as text, in the table's order: pointers into the key, or into *made, which the caller frees. */
static bool get_values(const struct counting *counting, const struct row_count *count, struct taken *values, char **made)
{
	const char *text = count->key;
	size_t size = count->size;

	*made = NULL;
	if (counting->rows_are_json) {
		*made = as_text(counting, count);
		text = *made;
		size = text ? strlen(text) : 0;
	}
	if (text && taken__split(text, size, values, counting->names_count) == counting->names_count)
		return true;
	tool__fail(counting->tool, *made || !counting->rows_are_json ? -EPROTO : -ENOMEM, "a row cannot be counted by its values: %s",
		   *made || !counting->rows_are_json ? "they do not fit the columns (a bug in this tool: please report it)" : "no memory");
	free(*made);
	return false;
}

bool counting__has_room(const struct out_column *column)
{
	return abs(column->width) <= 1 || abs(column->width) >= COUNTING_OTHERS_WIDTH;
}

/* In text: where the others' word has room. */
static size_t column_of_others(const struct counting *counting)
{
	for (size_t i = 0; counting->table[i].name; i++)
		if (counting->printed[i] < counting->names_count && counting__has_room(&counting->table[i]))
			return i;
	return counting->first_value;
}

/* The value of one of --sum or --avg, as text or JSON. */
static void put_number(const struct counting *counting, struct out *out, size_t i, const struct row_count *count)
{
	const struct row_sum *sum = count->sums ? &count->sums[i] : NULL;
	uint64_t value;

	if (!sum || !sum->rows) {
		out__none(out);
		return;
	}
	value = counting->numbers[i].is_average ? sum->total / sum->rows : sum->total;
	if (counting->numbers[i].has_decimals)
		out__milliseconds(out, value);
	else
		out__int(out, (int64_t)value);
}

/* In text, the columns that no value of a row is in; false: one of these is. */
static bool put_counted(const struct counting *counting, struct out *out, size_t printed, const struct row_count *count)
{
	if (printed < counting->names_count)
		return false;
	if (printed == counting->names_count)
		out__int(out, (int64_t)count->count);
	else
		put_number(counting, out, printed - counting->names_count - 1, count);
	return true;
}

static void put_others(const struct counting *counting, struct out *out, const struct row_count *count)
{
	size_t at = column_of_others(counting);

	for (size_t i = 0; counting->table[i].name; i++) {
		if (put_counted(counting, out, counting->printed[i], count))
			continue;
		if (i == at)
			out__string(out, OTHERS, sizeof(OTHERS));
		else
			out__none(out);
	}
}

static void put_values(const struct counting *counting, struct out *out, const struct row_count *count, const struct taken *values)
{
	for (size_t i = 0; counting->table[i].name; i++) {
		if (!put_counted(counting, out, counting->printed[i], count))
			out__taken(out, &values[counting->columns[counting->printed[i]].place]);
	}
}

/* Of rows that are counted by their stacks, too: the stacks, below the row. */
static void put_stacks(struct out *out, const struct row_count *count)
{
	const char *at = count->key, *end = at + count->size;
	struct taken_member member;

	while (taken__next_member(&at, end, &member)) {
		bool is_kernel = member.key.size == 5 && !memcmp(member.key.bytes, "stack", 5);
		bool is_user = member.key.size == 6 && !memcmp(member.key.bytes, "ustack", 6);
		char *strings = is_kernel || is_user ? malloc(member.value.size) : NULL;

		if (strings && *member.value.bytes == '[')
			out__list(out, "stack", strings, taken__strings(strings, &member.value), is_kernel ? " [k]" : "");
		else if (strings)
			out__list(out, "stack", NULL, 0, is_kernel ? "[stack not recorded] [k]" : "[stack not recorded]");
		free(strings);
	}
}

/* ,"count":5,"sum_bytes":4096,"avg_lat_ms":0.125 */
static void put_json(const struct counting *counting, struct out *out, const struct row_count *count)
{
	char members[COUNTING_NUMBERS_MAX * (COUNTING_NAME_MAX + 32) + 32];
	struct text_buffer text = text_buffer__fixed(members, sizeof(members));

	text_buffer__add(&text, ",\"count\":%llu", (unsigned long long)count->count);
	for (size_t i = 0; i < counting->numbers_count; i++) {
		const struct counting_number *number = &counting->numbers[i];
		const struct row_sum *sum = count->sums ? &count->sums[i] : NULL;
		unsigned long long value = !sum || !sum->rows ? 0 : number->is_average ? sum->total / sum->rows : sum->total;

		if (!sum || !sum->rows)
			text_buffer__add(&text, ",\"%s\":null", number->column.key);
		else if (number->has_decimals)
			text_buffer__add(&text, ",\"%s\":%llu.%03llu", number->column.key, value / 1000, value % 1000);
		else
			text_buffer__add(&text, ",\"%s\":%llu", number->column.key, value);
	}
	out__taken_members(out, &(struct taken){ members, text.length }, counting->numbers_count + 1);
}

/* count->key: NULL for the others. */
static void print_row(const struct counting *counting, const struct interval *interval, const struct row_count *count)
{
	static const struct taken others = { ",\"others\":true", 14 };
	struct out *out = &counting->tool->out;
	const struct taken members = { count->key, count->size };
	struct taken values[COUNTING_COLUMNS_MAX];
	char *made = NULL;

	if (!count->count || counting->tool->err)
		return;
	if (!out->json && count->key && !get_values(counting, count, values, &made))
		return;
	out__row(out, interval->end_ns);
	if (out->json) {
		/* the members are the values of all columns but the counted ones, which are somewhere between them in text */
		out__taken_members(out, count->key ? &members : &others, counting->names_count);
		put_json(counting, out, count);
	} else if (count->key) {
		put_values(counting, out, count, values);
		if (counting->tool->options.stacks_asked)
			put_stacks(out, count);
	} else {
		put_others(counting, out, count);
	}
	out__end(out);
	free(made);
}

static void add_to_others(struct row_counts *counts, const struct row_count *count)
{
	counts->others.count += count->count;
	row_counts__add_sums(counts, &counts->others, count);
}

static uint64_t print_rows(struct counting *counting, const struct interval *interval)
{
	struct row_counts *counts = &counting->counts;
	uint64_t total = counts->others.count;

	for (size_t i = 0; i < counts->count; i++) {
		total += counts->list[i].count;
		if (i < counting->tool->options.rows_max)
			print_row(counting, interval, &counts->list[i]);
		else
			add_to_others(counts, &counts->list[i]);
	}
	print_row(counting, interval, &counts->others);
	return total;
}

/* ---- histograms */

/* "comm = cat, path = /x", {"field":"lat_ms","comm":"cat"}; *title and *key are to be freed; false without memory. */
static bool describe(const struct counting *counting, const struct row_count *count, char **title, char **key)
{
	struct text_buffer text = text_buffer__growing(TEXT_MAX), json = text_buffer__growing(TEXT_MAX);
	struct taken values[COUNTING_COLUMNS_MAX];
	char *made;

	if (!get_values(counting, count, values, &made))
		return false;
	for (size_t i = 0; i < counting->names_count; i++) {
		const struct counting_column *column = &counting->columns[i];

		text_buffer__add(&text, "%s%s = ", i ? ", " : "", column->key);
		text_buffer__put(&text, values[column->place].bytes, values[column->place].size);
	}
	text_buffer__add(&json, "{\"field\":\"%s\"", counting->hist_column.key);
	text_buffer__put(&json, count->key, count->size);
	text_buffer__put(&json, "}", 1);
	free(made);
	*title = text_buffer__take(&text);
	*key = text_buffer__take(&json);
	return *title && *key;
}

static void print_hist_of(struct counting *counting, const struct interval *interval, const struct row_count *count)
{
	struct hist_view view = hist_view__of_rough(&counting->shape, count->hist);
	char *title = NULL, *key = NULL;

	if (counting->tool->err)
		return;
	if (describe(counting, count, &title, &key))
		interval__hist(counting->tool, interval, &view, title, key);
	free(title);
	free(key);
}

static void print_hist_of_others(struct counting *counting, const struct interval *interval, size_t below, uint64_t without_room)
{
	struct hist_view view = hist_view__of_rough(&counting->shape, counting->counts.others.hist);
	char title[128], key[COUNTING_NAME_MAX + 40];

	snprintf(title, sizeof(title), "others: %zu below these%s", below, without_room ? ", and those that found no room (--keys)" : "");
	snprintf(key, sizeof(key), "{\"field\":\"%s\",\"others\":true}", counting->hist_column.key);
	interval__hist(counting->tool, interval, &view, title, key);
}

static uint64_t print_hists(struct counting *counting, const struct interval *interval)
{
	struct row_counts *counts = &counting->counts;
	uint64_t without_room = counts->others.count, total = without_room;
	size_t rows = counting->tool->options.rows_max;

	for (size_t i = 0; i < counts->count; i++) {
		total += counts->list[i].count;
		if (i < rows)
			print_hist_of(counting, interval, &counts->list[i]);
		else if (counts->others.hist)
			interval__add_hist(counts->others.hist, counts->list[i].hist);
	}
	if (counts->others.hist)
		print_hist_of_others(counting, interval, counts->count > rows ? counts->count - rows : 0, without_room);
	return total;
}

/* --hist without --count */
static uint64_t print_one_hist(struct counting *counting, const struct interval *interval)
{
	struct hist_view view = hist_view__of(&counting->shape, &counting->hist);
	uint64_t count = hist_view__count(&view);
	char key[COUNTING_NAME_MAX + 16];

	snprintf(key, sizeof(key), "{\"field\":\"%s\"}", counting->hist_column.key);
	interval__hist(counting->tool, interval, &view, counting->hist_title, key);
	return count;
}

uint64_t counting__print(struct counting *counting, const struct interval *interval)
{
	if (!counting->names_count)
		return print_one_hist(counting, interval);
	row_counts__rank(&counting->counts);
	return counting->hist_name ? print_hists(counting, interval) : print_rows(counting, interval);
}

void counting__forget(struct counting *counting)
{
	memset(&counting->hist, 0, sizeof(counting->hist));
	row_counts__clear(&counting->counts);
}

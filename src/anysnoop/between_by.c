/* SPDX-License-Identifier: BSD-2-Clause */
#include "between_by.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "between_event.h"
#include "lib/kernel/kernel.h"
#include "lib/print/others.h"
#include "lib/run/ranking.h"
#include "lib/run/table.h"
#include "symbols.h"

#define ROW_ROOM 64	/* for brackets and the end */

/* In JSON.  Text has the values in columns.  docs/json.md: anysnoop --between --count */
static const struct out_column json_columns[] = {
	{ "FIELDS", 0, NULL, NULL },
	{ "COUNT", 10, NULL, NULL },
	{ "AVG(us)", 11, NULL, "avg_ns" },
	{ "MAX(us)", 11, NULL, "max_ns" },
	{ "TOTAL(us)", 13, NULL, "total_ns" },
	{ NULL, 0, NULL, NULL },
};

const struct metric between_by_metrics[] = {
	{ "kernel_intervals_total", "Times between two events of the kernel, by the chosen fields.", METRIC_EVENTS, "count", NULL },
	{ "kernel_interval_seconds_total", "The sum of these times, of all values.", METRIC_TIME, "total_ns", NULL },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static struct between_by *of_run;

/* ---- the command line */

void between_by__take(struct between_by *by, const struct plan_counts *wants, bool has_hist)
{
	by->has_hist = has_hist;
	if (!wants->names_count)
		usage_error("--count event: with --between times are counted by fields (--count FIELD,...)");
	for (size_t i = 0; i < wants->names_count; i++) {
		const char *name = wants->names[i];
		int side = !strncmp(name, "b.", 2);

		if (side || !strncmp(name, "a.", 2))
			name += 2;
		if (!*name)
			usage_error("--count \"%s\": the name of a field is missing", wants->names[i]);
		for (int other = 0; other < 2; other++)
			for (size_t k = 0; k < by->names_count[other]; k++)
				if (!strcmp(by->names[other][k], name))
					usage_error("--count: \"%s\" is there twice", name);
		by->names[side][by->names_count[side]++] = name;
		by->sides[by->count++] = side;
	}
}

/* ---- before it runs */

/* Field number `index` in the user's order. */
static const struct key_part *part_of(const struct between_by *by, size_t index)
{
	int side = by->sides[index];
	size_t place = 0;

	for (size_t i = 0; i < index; i++)
		place += by->sides[i] == side;
	return &by->keys[side].parts[place];
}

static int make_columns(struct between_by *by, struct tool *tool)
{
	const struct out_column *from = &json_columns[1];
	struct out_column *to;
	size_t room = ROW_ROOM;

	for (size_t i = 0; i < by->count; i++)
		room += shown__room(&part_of(by, i)->shown, part_of(by, i)->size) + strlen(part_of(by, i)->shown.key) + ROW_ROOM;
	by->row = malloc(room);
	by->columns = to = calloc(by->count + sizeof(json_columns) / sizeof(*json_columns), sizeof(*to));
	if (!by->row || !to)
		return tool__fail(tool, -ENOMEM, "no memory");
	tool->metric_columns = json_columns;
	for (size_t i = 0; i < by->count; i++)
		*to++ = (struct out_column){ .name = part_of(by, i)->shown.key, .width = plan__width(&part_of(by, i)->shown) };
	do
		*to++ = *from;
	while (from++->name);
	tool->columns = by->has_hist ? NULL : tool->out.json ? json_columns : by->columns;
	return 0;
}

int between_by__plan(struct between_by *by, struct tool *tool, const struct plan *plans)
{
	struct fault fault = { .text = "no memory" };
	int err = 0;

	of_run = by;
	by->size = KEY_VALUES;
	for (int side = 0; side < 2 && !err; side++) {
		err = key__plan(&by->keys[side], plans[side].format, by->names[side], by->names_count[side], &fault);
		for (size_t i = 0; i < by->keys[side].count; i++) {
			by->keys[side].parts[i].offset = by->size;
			by->size += by->keys[side].parts[i].size;
		}
		if (!err && by->size > KEY_SIZE_MAX)
			err = fault__set(&fault, -EINVAL, "--count: the fields take more than %d bytes (name fewer)", KEY_SIZE_MAX - KEY_VALUES);
		if (!err)
			err = key__emit(&by->make[side], &by->keys[side]);
	}
	return err ? tool__fail(tool, err, "%s", fault.text) : make_columns(by, tool);
}

uint32_t between_by__kept(const struct between_by *by)
{
	return by->names_count[0] ? by->keys[0].size - KEY_VALUES : 0;
}

size_t between_by__add_patches(const struct between_by *by, struct patch *patches, size_t count)
{
	static const int32_t marks[] = { BETWEEN_BEGIN_BY, BETWEEN_END_BY };

	patches[count++] = (struct patch){ .kind = PATCH_CHOICE, .mark = BETWEEN_HAS_BY, .number = by->count != 0 };
	patches[count++] = (struct patch){ .kind = PATCH_CHOICE, .mark = BETWEEN_KEEPS_BY, .number = by->names_count[0] != 0 };
	if (!by->count)
		return count;
	for (int side = 0; side < 2; side++)
		patches[count++] = (struct patch){ .kind = PATCH_FUNCTION, .mark = marks[side], .insns = by->make[side].insns,
						    .count = by->make[side].count };
	patches[count++] = (struct patch){ .kind = PATCH_VALUE, .mark = BETWEEN_BY_SIZE, .number = (int32_t)between_by__kept(by) };
	patches[count++] = (struct patch){ .kind = PATCH_CHOICE, .mark = BETWEEN_BY_HIST, .number = by->has_hist };
	patches[count++] = (struct patch){ .kind = PATCH_CHOICE, .mark = BETWEEN_EXCHANGES,
					    .number = kernel__version() >= kernel_version(5, 12, 0) };
	return count;
}

int between_by__prepare(const struct between_by *by, const struct bpf_object *object)
{
	int err;

	if (!by->count) {
		table__leave_out(object);
		return 0;
	}
	err = table__set_key_size(object, by->size - KEY_START);
	return err || by->has_hist ? err : table__set_value_size(object, sizeof(struct between_times));
}

/* ---- what is printed */

static char *put_part(const struct between_by *by, size_t index, char *to, const void *key, bool json, bool in_line)
{
	const struct key_part *part = part_of(by, index);
	struct record_value value = key__value(part, key);

	if (!value.bytes)
		return shown__fault(&part->shown, to, json);
	return json ? shown__json(&part->shown, to, value.bytes, value.size, value.more) :
		shown__text(&part->shown, to, value.bytes, value.size, value.more, in_line);
}

/* All values as a JSON object, or as "name = value, ...". */
static char *put_all(const struct between_by *by, const void *key, bool json)
{
	char *to = by->row;

	if (json)
		*to++ = '{';
	for (size_t i = 0; i < by->count; i++) {
		if (i)
			to = stpcpy(to, json ? "," : ", ");
		if (!json)
			to = stpcpy(stpcpy(to, part_of(by, i)->shown.key), " = ");
		to = put_part(by, i, to, key, json, true);
	}
	if (json)
		*to++ = '}';
	*to = 0;
	return to;
}

static void describe(const struct tool *tool, const void *key, struct interval_key *to)
{
	put_all(of_run, key, tool->out.json || tool->metrics);
	if (tool->out.json || tool->metrics)
		to->json_more = of_run->row;
	else
		to->text_more = of_run->row;
}

/* The others have a word in the first column. */
static void put_fields(struct between_by *by, struct out *out, const void *key)
{
	if (!key) {
		out__string(out, OTHERS, sizeof(OTHERS));
		for (size_t i = 1; i < by->count && !out->json; i++)
			out__none(out);
	} else if (out->json) {
		out__made(out, by->row, (size_t)(put_all(by, key, true) - by->row));
	} else {
		for (size_t i = 0; i < by->count; i++)
			out__made(out, by->row, (size_t)(put_part(by, i, by->row, key, false, false) - by->row));
	}
}

/* Text has microseconds with three digits behind the point. */
static void put_time(struct out *out, uint64_t ns)
{
	if (out->json)
		out__int(out, (int64_t)ns);
	else
		out__milliseconds(out, ns);
}

/* key: NULL for the others; has_max: false where the longest of them is not known. */
static void print_row(struct between_by *by, struct tool *tool, const struct interval *interval, const void *key,
		      const struct between_times *times, bool has_max)
{
	struct out *out = &tool->out;

	if (!times->count)
		return;
	out__row(out, interval->end_ns);
	put_fields(by, out, key);
	out__int(out, (int64_t)times->count);
	put_time(out, times->ns / times->count);
	if (has_max)
		put_time(out, times->max_ns);
	else
		out__none(out);
	put_time(out, times->ns);
	out__end(out);
}

static uint64_t weigh(const void *value)
{
	return ((const struct between_times *)value)->ns;
}

/* Those with the most time first. */
static uint64_t print_rows(struct between_by *by, struct tool *tool, const struct interval *interval)
{
	const struct between_cells *cells = interval->cells;
	struct between_times others = { .count = cells->others.count, .ns = cells->others.ns };
	struct ranked *ranking = ranking__make(interval->table, weigh);
	uint64_t total = others.count;

	if (!ranking) {
		tool__fail(tool, -ENOMEM, "no memory for %zu rows", interval->table->count);
		return 0;
	}
	for (size_t i = 0; i < interval->table->count; i++) {
		const struct between_times *times = table__value(interval->table, ranking[i].row);

		total += times->count;
		if (i < tool->options.rows_max) {
			print_row(by, tool, interval, table__key(interval->table, ranking[i].row), times, true);
			continue;
		}
		others.count += times->count;
		others.ns += times->ns;
		if (others.max_ns < times->max_ns)
			others.max_ns = times->max_ns;
	}
	free(ranking);
	/* cells only grow: there is no maximum of an interval in them */
	print_row(by, tool, interval, NULL, &others, !cells->others.count);
	return total;
}

uint64_t between_by__print(struct between_by *by, struct tool *tool, const struct interval *interval)
{
	const struct between_cells *cells = interval->cells;

	return by->has_hist ? interval__hists(tool, interval, &cells->other_times, describe) : print_rows(by, tool, interval);
}

void between_by__free(struct between_by *by)
{
	for (int side = 0; side < 2; side++) {
		key__free(&by->keys[side]);
		emit__free(&by->make[side]);
	}
	free(by->columns);
	free(by->row);
	by->columns = NULL;
	by->row = NULL;
}

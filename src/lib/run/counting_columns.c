/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of --count, --sum, --avg and --hist: names of columns. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "counting.h"
#include "lib/print/near.h"
#include "tool.h"

#define COUNT_WIDTH 10

/* A process is one tool. */
static struct counting counting;

bool counting__is_for(const struct tool *tool)
{
	if (!tool->columns || (tool->counts && !tool->about->rows_too))
		return false;
	for (const struct argp_option *option = tool->about->options; option && (option->name || option->key || option->doc); option++)
		if (option->name && !strcmp(option->name, "count"))
			return false;
	return true;
}

void counting__add_names(struct tool *tool, char *text)
{
	char *name;

	tool->counting = &counting;
	while ((name = strsep(&text, ","))) {
		if (!*name)
			usage_error("--count: the name of a column is missing");
		if (counting.names_count == COUNTING_COLUMNS_MAX)
			usage_error("--count: more than %d columns", COUNTING_COLUMNS_MAX);
		counting.names[counting.names_count++] = name;
	}
}

void counting__set_hist(struct tool *tool, const char *name)
{
	tool->counting = &counting;
	if (counting.hist_name)
		usage_error("--hist \"%s\": there is one already, \"%s\"", name, counting.hist_name);
	counting.hist_name = name;
}

void counting__add_numbers(struct tool *tool, char *text, bool are_averages)
{
	const char *option = are_averages ? "--avg" : "--sum", *name;

	tool->counting = &counting;
	while ((name = strsep(&text, ","))) {
		if (!*name)
			usage_error("%s: the name of a column is missing", option);
		if (counting.numbers_count == COUNTING_NUMBERS_MAX)
			usage_error("--sum and --avg: more than %d columns", COUNTING_NUMBERS_MAX);
		counting.numbers[counting.numbers_count++] = (struct counting_number){ .asked = name, .is_average = are_averages };
	}
}

/* ---- which column a name means */

/* "LAT(ms)" and "lat_ms" without the unit: "lat"; in lower case. */
static void plain_name(const char *name, char plain[COUNTING_NAME_MAX])
{
	static const char *const units[] = { "_ns", "_ms", "_s", "_kb" };
	size_t length = strcspn(name, "(");

	if (length >= COUNTING_NAME_MAX)
		length = COUNTING_NAME_MAX - 1;
	for (size_t i = 0; i < length; i++)
		plain[i] = (char)(name[i] == ' ' ? '_' : tolower((unsigned char)name[i]));
	plain[length] = 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (length > strlen(units[i]) && !strcmp(plain + length - strlen(units[i]), units[i]))
			plain[length - strlen(units[i])] = 0;
}

/* Whether no option has text show it. */
static bool is_unprinted(const struct out_column *column)
{
	return column->shown == &tool_not_shown || column->shown == &out_counted_only;
}

/* Ways to name a column, the surest first. */
enum match {
	MATCH_PRINTED,		/* cap: the header of a printed table, though the key of another column is the same */
	MATCH_KEY,		/* lat_ms */
	MATCH_HEADER,		/* LAT(ms) */
	MATCH_PLAIN,		/* lat, LAT */
	MATCH_OWN,		/* cap_number: what the tool calls a column that it does not print */
	MATCHES
};

static bool is_match(const struct tool *tool, const struct out_column *column, const char *name, enum match match)
{
	char key[COUNTING_NAME_MAX], plain[COUNTING_NAME_MAX], wanted[COUNTING_NAME_MAX];

	if (match == MATCH_PRINTED)
		return !tool->out.json && out__shows(&tool->out, column) && !strcasecmp(column->name, name);
	if (match == MATCH_OWN)
		return is_unprinted(column) && !strcasecmp(column->name, name);
	out_column__key(column, key);
	if (match == MATCH_KEY)
		return !strcmp(key, name);
	/* a column that no option shows has a header in name only */
	if (match == MATCH_HEADER)
		return !is_unprinted(column) && !strcmp(column->name, name);
	plain_name(name, wanted);
	plain_name(column->name, plain);
	if (!is_unprinted(column) && !strcmp(plain, wanted))
		return true;
	plain_name(key, plain);
	return !strcmp(plain, wanted);
}

/* The keys of several columns, "a, b and c". */
static void refuse_ambiguous(const struct tool *tool, const char *option, const char *name, enum match match)
{
	struct text_buffer text = text_buffer__growing(1024);
	char key[COUNTING_NAME_MAX];

	for (const struct out_column *column = tool->columns; column->name; column++)
		if (is_match(tool, column, name, match)) {
			out_column__key(column, key);
			text_buffer__add(&text, "%s%s", text.length ? " or " : "", key);
		}
	usage_error("%s \"%s\": more than one column has this name: %s?", option, name, text.text);
}

/* How unlike a column's key or header is: a part of a name is the nearest. */
static unsigned int distance(const char *name, const char *wanted, unsigned int limit)
{
	return strstr(name, wanted) || strstr(wanted, name) ? 0 : near__edits(name, wanted, limit);
}

static void refuse_unknown(const struct tool *tool, const char *option, const char *name)
{
	struct text_buffer text = text_buffer__growing(4096);
	char wanted[COUNTING_NAME_MAX], key[COUNTING_NAME_MAX], plain[COUNTING_NAME_MAX];
	struct near near;

	plain_name(name, wanted);
	near__init(&near, 2 + (unsigned int)strlen(wanted) / 4, 3);
	for (const struct out_column *column = tool->columns; column->name; column++) {
		unsigned int least, other;

		out_column__key(column, key);
		plain_name(column->name, plain);
		least = distance(key, wanted, near__limit(&near));
		other = is_unprinted(column) ? near__limit(&near) : distance(plain, wanted, near__limit(&near));
		near__add(&near, key, other < least ? other : least);
	}
	near__put(&near, &text);
	if (near.count)
		usage_error("%s \"%s\": there is no such column%s", option, name, text.text);
	for (const struct out_column *column = tool->columns; column->name; column++) {
		out_column__key(column, key);
		text_buffer__add(&text, "%s%s", column == tool->columns ? "" : ", ", key);
	}
	usage_error("%s \"%s\": there is no such column; there are %s", option, name, text.text);
}

/* A histogram is of a number, which the key names where the table prints a word: no header goes before it there. */
static void find_column(const struct tool *tool, const char *option, const char *name, bool is_hist, struct counting_column *found)
{
	for (enum match match = is_hist ? MATCH_KEY : MATCH_PRINTED; match < MATCHES; match++) {
		const struct out_column *hit = NULL;

		for (const struct out_column *column = tool->columns; column->name; column++) {
			if (!is_match(tool, column, name, match))
				continue;
			if (hit)
				refuse_ambiguous(tool, option, name, match);
			hit = column;
		}
		if (hit) {
			found->index = (size_t)(hit - tool->columns);
			out_column__key(hit, found->key);
			snprintf(found->name, sizeof(found->name), "%s", hit->name);
			return;
		}
	}
	refuse_unknown(tool, option, name);
}

/* ---- what the counts look like */

/* Whether text of the tool's rows has the column. */
static bool is_shown(const struct tool *tool, const struct counting_column *column)
{
	return out__shows(&tool->out, &tool->columns[column->index]);
}

/* In rows that are JSON a value is as its key says (lat_ns), not as the header does. */
static void name_by_key(struct counting_column *column)
{
	for (size_t i = 0; i < sizeof(column->name); i++)
		column->name[i] = (char)toupper((unsigned char)column->key[i]);
}

/* Columns of any width stand behind COUNT, so that all that has a width is aligned. */
static bool is_wide(const struct tool *tool, const struct counting_column *column)
{
	int width = tool->columns[column->index].width;

	return width == 0 || width == -1;
}

static void add_to_table(const struct tool *tool, size_t index, size_t *count)
{
	const struct counting_column *column = &counting.columns[index];

	counting.table[*count] = (struct out_column){ column->name, tool->columns[column->index].width, NULL, column->key };
	counting.printed[(*count)++] = index;
}

static void make_table(const struct tool *tool)
{
	size_t count = 0;

	for (size_t i = 0; i < counting.names_count; i++)
		if (!is_wide(tool, &counting.columns[i]))
			add_to_table(tool, i, &count);
	counting.printed[count] = counting.names_count;
	counting.table[count++] = (struct out_column){ "COUNT", COUNT_WIDTH, NULL, NULL };
	for (size_t i = 0; i < counting.numbers_count; i++) {
		const struct counting_column *column = &counting.numbers[i].column;
		int width = (int)strlen(column->name);

		counting.printed[count] = counting.names_count + 1 + i;
		counting.table[count++] = (struct out_column){ column->name, width < COUNT_WIDTH ? COUNT_WIDTH : width, NULL, column->key };
	}
	for (size_t i = 0; i < counting.names_count; i++)
		if (is_wide(tool, &counting.columns[i]))
			add_to_table(tool, i, &count);
	counting.table[count] = (struct out_column){ .name = NULL };
}

/* The others' word has room in some column: in the first one, if in no other. */
static void make_room_for_others(void)
{
	struct out_column *first;

	if (!counting.names_count)
		return;
	while (counting.printed[counting.first_value] >= counting.names_count)
		counting.first_value++;
	first = &counting.table[counting.first_value];
	for (size_t i = 0; counting.table[i].name; i++)
		if (counting.printed[i] < counting.names_count && counting__has_room(&counting.table[i]))
			return;
	first->width = first->width < 0 ? -COUNTING_OTHERS_WIDTH : COUNTING_OTHERS_WIDTH;
}

static void place_columns(void)
{
	for (size_t i = 0; i < counting.names_count; i++) {
		counting.columns[i].place = 0;
		for (size_t j = 0; j < counting.names_count; j++)
			counting.columns[i].place += counting.columns[j].index < counting.columns[i].index;
	}
}

/* The unit of a number is in its key (docs/json.md). */
static void choose_shape(void)
{
	static const struct {
		const char *end;
		uint64_t scale;
		enum hist_unit unit;
	} units[] = {
		{ "_ns", 1, HIST_USECS }, { "_ms", 1000000, HIST_USECS }, { "_s", 1000000000, HIST_MSECS },
		{ "_bytes", 1, HIST_BYTES }, { "_kb", 1024, HIST_BYTES },
	};
	const char *key = counting.hist_column.key;

	plain_name(key, counting.hist_title);
	counting.hist_scale = 1;
	counting.shape = hist_shape__of(strcmp(key, "bytes") ? HIST_PLAIN : HIST_BYTES);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(key) > strlen(units[i].end) && !strcmp(key + strlen(key) - strlen(units[i].end), units[i].end)) {
			counting.hist_scale = units[i].scale;
			counting.shape = hist_shape__of(units[i].unit);
		}
}

static bool ends_with(const char *text, const char *end)
{
	return strlen(text) > strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

/* sum_bytes, AVG_LAT_MS: which number it is, and in what unit. */
static void find_number(const struct tool *tool, struct counting_number *number)
{
	const char *option = number->is_average ? "--avg" : "--sum";
	struct counting_column *column = &number->column;

	find_column(tool, option, number->asked, true, column);
	memcpy(number->key, column->key, sizeof(number->key));
	number->has_decimals = ends_with(number->key, "_ms") || ends_with(number->key, "_s");
	if (snprintf(column->key, sizeof(column->key), "%s_%s", option + 2, number->key) >= (int)sizeof(column->key))
		usage_error("%s \"%s\": the name is too long", option, number->asked);
	name_by_key(column);
	for (size_t i = 0; i < counting.names_count; i++)
		number->is_key = number->is_key || counting.columns[i].index == column->index;
	for (const struct counting_number *other = counting.numbers; other < number; other++)
		if (other->column.index == column->index && other->is_average == number->is_average)
			usage_error("%s \"%s\": the same column as \"%s\"", option, number->asked, other->asked);
}

/* The first of --sum decides the order of the rows. */
static void find_numbers(const struct tool *tool)
{
	for (size_t i = 0; i < counting.numbers_count; i++) {
		find_number(tool, &counting.numbers[i]);
		if (!counting.numbers[i].is_average && !counting.counts.rank_by) {
			counting.rank_by = i;
			counting.counts.rank_by = &counting.rank_by;
		}
	}
	counting.counts.sums = counting.numbers_count;
}

static void find_columns(const struct tool *tool)
{
	for (size_t i = 0; i < counting.names_count; i++) {
		find_column(tool, "--count", counting.names[i], false, &counting.columns[i]);
		if (!strcmp(counting.columns[i].key, "count"))
			usage_error("--count \"%s\": the counts have a column of this name", counting.names[i]);
		for (size_t j = 0; j < i; j++)
			if (counting.columns[j].index == counting.columns[i].index)
				usage_error("--count \"%s\": the same column as \"%s\"", counting.names[i], counting.names[j]);
	}
	if (counting.hist_name) {
		find_column(tool, "--hist", counting.hist_name, true, &counting.hist_column);
		choose_shape();
	}
	find_numbers(tool);
}

static void check_others(const struct tool *tool)
{
	const struct tool_options *asked = &tool->options;
	const char *for_rows = asked->events_max ? "--max-events" : asked->shows_uid ? "-U" : asked->shows_cgroup ? "--cgroup-name" : NULL;

	if (tool->counts)
		usage_error("--count and --hist: for rows, which the tool prints with --slower");
	if (for_rows)
		usage_error("%s: for lines, which --count and --hist do not print", for_rows);
	if (counting.numbers_count && counting.hist_name)
		usage_error("--sum and --avg: --hist has both below each histogram");
	if (counting.numbers_count && !counting.names_count)
		usage_error("--sum and --avg: with --count COLUMN,...: a row for each of its values");
	if (tool->options.stacks_asked && (counting.hist_name || tool->metrics))
		usage_error("--stack and --ustack: %s has no rows that they could be below", tool->metrics ? "--metrics" : "--hist");
	if (counting.hist_name && !counting.names_count && (asked->rows_asked || asked->keys_max != tool->about->keys_max))
		usage_error("%s: for --count", asked->rows_asked ? "-r" : "--keys");
}

/* A path is no label: for a collector a cgroup is what people, and Kubernetes, call it. */
static void expand_cgroup(void)
{
	static const char *const parts[] = { "unit", "slice", "container_id", "pod_uid" };

	for (size_t i = 0; i < counting.names_count; i++) {
		if (strcmp(counting.names[i], "cgroup"))
			continue;
		if (counting.names_count + 3 > COUNTING_COLUMNS_MAX)
			usage_error("--by: more than %d columns, with those that cgroup stands for", COUNTING_COLUMNS_MAX);
		counting.names[i] = parts[0];
		for (size_t part = 1; part < 4; part++)
			counting.names[counting.names_count++] = parts[part];
		return;
	}
}

void counting__check(struct tool *tool)
{
	check_others(tool);
	counting.tool = tool;
	if (tool->metrics)
		expand_cgroup();
	find_columns(tool);
	place_columns();
	counting.rows_are_json = tool->out.json || counting.hist_name || counting.numbers_count || tool->options.stacks_asked ||
				 tool->metrics;
	for (size_t i = 0; i < counting.names_count; i++) {
		counting.rows_are_json = counting.rows_are_json || !is_shown(tool, &counting.columns[i]);
		counting.hist_is_key = counting.hist_is_key ||
				       (counting.hist_name && counting.columns[i].index == counting.hist_column.index);
	}
	for (size_t i = 0; counting.rows_are_json && i < counting.names_count; i++)
		name_by_key(&counting.columns[i]);
	counting.counts.keys_max = tool->options.keys_max ? tool->options.keys_max : COUNTING_KEYS;
	counting.counts.with_hists = counting.hist_name;
	make_table(tool);
	make_room_for_others();
}

bool counting__is_by(const struct tool *tool, const char *key)
{
	for (size_t i = 0; tool->counting && i < counting.names_count; i++)
		if (!strcmp(counting.columns[i].key, key))
			return true;
	return false;
}

bool counting__is_by_cgroup(const struct tool *tool)
{
	static const char *const keys[] = { "cgroup", "cgroup_name", "container", "pod", "unit", "slice", "container_id", "pod_uid" };

	for (size_t key = 0; key < sizeof(keys) / sizeof(*keys); key++)
		if (counting__is_by(tool, keys[key]))
			return true;
	return false;
}

void counting__check_rows(const struct tool *tool)
{
	const char *option = NULL;

	if (!tool->counts)
		option = tool->options.interval_ns ? "INTERVAL" : tool->options.refreshes ? "--refresh" : NULL;
	if (!tool->about->keys_max || !tool->counts)
		option = tool->options.rows_asked ? "-r" : tool->options.keys_max != tool->about->keys_max ? "--keys" : option;

	if (option)
		usage_error("%s: for --count or --hist", option);
}

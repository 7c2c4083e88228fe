/* SPDX-License-Identifier: BSD-2-Clause */
#include "counted.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anysnoop.h"
#include "lib/print/others.h"
#include "lib/run/counting.h"
#include "lib/run/ranking.h"
#include "lib/run/table.h"
#include "lib/shared/counted.h"

_Static_assert(offsetof(struct counted_memory, is_busy) == KEY_SIZE_MAX, "programs have room for every key");
_Static_assert(offsetof(struct counted_memory, index) == KEY_START && offsetof(struct counted_memory, values) == KEY_VALUES,
	       "and find its parts where they expect them");

/* In JSON.  Text has the values in columns.  docs/json.md: anysnoop --count */
static const struct out_column json_columns[] = {
	{ "EVENT", -24, NULL, NULL },
	{ "FIELDS", 0, NULL, NULL },
	{ "COUNT", 10, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* ---- the command line */

void counted__add_names(struct counted *counted, char *text)
{
	char *name;

	while ((name = strsep(&text, ","))) {
		if (!*name)
			usage_error("--count: the name of a field is missing");
		/* rows are by event, whatever else they are by */
		if (!strcmp(name, "event"))
			continue;
		if (counted->wants.names_count == KEY_PARTS_MAX)
			usage_error("--count: more than %d fields", KEY_PARTS_MAX);
		counted->wants.names[counted->wants.names_count++] = name;
	}
	counted->wants.is_wanted = true;
}

void counted__set_hist(struct counted *counted, const char *name)
{
	if (counted->hist)
		usage_error("--hist \"%s\": there is one already, \"%s\"", name, counted->hist);
	counted->hist = name;
}

static void check_rows(const struct tool *tool)
{
	const struct tool_options *asked = &tool->options;
	const char *option = asked->interval_ns ? "INTERVAL" : asked->rows_asked ? "-r" : asked->refreshes ? "--refresh" :
		asked->keys_max != tool->about->keys_max ? "--keys" : tool->shape->linear_count ? "--linear" : NULL;

	if (option)
		usage_error("%s: for --count or --hist", option);
}

static void check_counts(const struct counted *counted, const struct tool *tool, const struct requests *requests)
{
	const struct tool_options *asked = &tool->options;
	const char *for_rows = asked->events_max ? "--max-events" : asked->ring_size && !counted->by_stack ? "--buffer" :
		asked->shows_uid ? "-U" : asked->shows_cgroup ? "--cgroup-name" : NULL;

	if (for_rows)
		usage_error("%s: for lines, which --count and --hist do not print", for_rows);
	if (!counted->hist && tool->shape->linear_count)
		usage_error("--linear: for --hist");
	if (counted->hist && (asked->rows_asked || asked->keys_max != tool->about->keys_max))
		usage_error("%s: for --count", asked->rows_asked ? "-r" : "--keys");
	for (size_t i = 0; i < requests->count; i++)
		for (size_t j = 0; j < requests->list[i].fields_count; j++)
			/* "n=+8(%si)" and "char *name" only say what that means */
			if (!strchr(requests->list[i].fields[j], '=') && !requests->list[i].types[j])
				usage_error("\"%s(%s\": --count and --hist name the fields, not the event", requests->list[i].name,
					    requests->list[i].fields[j]);
}

/* Of a row that is counted by its stacks: JSON has what counts have; text a column for each value, which is named once it is known. */
static void count_by_stack(const struct counted *counted, struct tool *tool)
{
	static const struct out_column in_json[] = { { "EVENT", -24, NULL, NULL }, { "FIELDS", 0, NULL, NULL }, { NULL, 0, NULL, NULL } };
	static struct out_column in_text[KEY_PARTS_MAX + 2] = { { "EVENT", -24, NULL, NULL } };
	static char names[KEY_PARTS_MAX][16], all[KEY_PARTS_MAX * 17 + 16] = "event";

	tool->columns = in_json;
	if (tool->out.json) {
		strcpy(all, "event,fields");
	} else {
		tool->columns = in_text;
		for (size_t i = 0; i < counted->wants.names_count; i++) {
			snprintf(names[i], sizeof(names[i]), "value_%zu", i);
			in_text[i + 1] = (struct out_column){ names[i], -1 - (int)sizeof(names[i]), NULL, names[i] };
			strcat(strcat(all, ","), names[i]);
		}
	}
	counting__add_names(tool, all);
}

void counted__check(struct counted *counted, struct tool *tool, const struct requests *requests)
{
	if (counted->hist && counted->wants.is_wanted)
		usage_error("--count and --hist exclude each other");
	if (counted->hist)
		counted->wants = (struct plan_counts){ .is_wanted = true, .names = { counted->hist }, .names_count = 1 };
	if (counted->hist && tool->options.stacks_asked)
		usage_error("--hist prints no rows that --stack and --ustack could be below (--count does)");
	counted->by_stack = counted->wants.is_wanted && tool->options.stacks_asked;
	if (counted->wants.is_wanted)
		check_counts(counted, tool, requests);
	else
		check_rows(tool);
	if (counted->by_stack)
		count_by_stack(counted, tool);
}

/* ---- before it runs */

/* Whether text has a column with the event's name. */
static bool has_event_column(const struct counted *counted)
{
	return counted->plans_count > 1 || !plan__values(&counted->plans[0]);
}

/* The counts are a table of lib/run/counting: the event, and the values. */
static void name_values(const struct plan *first, struct counting *counting)
{
	for (size_t i = 0; i < plan__values(first); i++) {
		snprintf(counting->columns[i + 1].name, sizeof(counting->columns[i + 1].name), "%s", plan__shown(first, i)->key);
		counting->table[i + 1].width = plan__width(plan__shown(first, i));
	}
}

int counted__make_columns(struct counted *counted, struct tool *tool, struct fault *fault)
{
	const struct plan *first = &counted->plans[0];
	struct out_column *to;

	if (counted->by_stack) {
		if (!tool->out.json)
			name_values(first, tool->counting);
		return 0;
	}
	for (size_t i = 0; counted->hist && i < counted->plans_count; i++)
		if (operand__is_text(&counted->plans[i].key.parts[0].operand))
			return fault__set(fault, -EINVAL, "--hist: %s of %s is a text (--count counts texts)", counted->hist,
					  counted->plans[i].name);
	tool->columns = counted->hist ? NULL : json_columns;
	tool->metric_columns = json_columns;
	if (counted->hist || tool->out.json)
		return 0;
	counted->columns = to = calloc(plan__values(first) + 3, sizeof(*to));
	if (!to)
		return fault__set(fault, -ENOMEM, "no memory");
	if (has_event_column(counted))
		*to++ = json_columns[0];
	for (size_t i = 0; i < plan__values(first); i++)
		*to++ = (struct out_column){ .name = plan__shown(first, i)->key, .width = plan__width(plan__shown(first, i)) };
	*to = (struct out_column){ "COUNT", 10, NULL, NULL };
	tool->columns = counted->columns;
	return 0;
}

void counted__leave_out(const struct bpf_object *object)
{
	table__leave_out(object);
	bpf_map__set_autocreate(bpf_object__find_map_by_name(object, "counts_map"), false);
	bpf_map__set_autocreate(bpf_object__find_map_by_name(object, "counted_map"), false);
}

int counted__prepare(const struct counted *counted, const struct bpf_object *object)
{
	uint32_t events = (uint32_t)counted->plans_count, size = 0;
	int err = bpf_map__set_max_entries(bpf_object__find_map_by_name(object, "counted_map"),
					   (uint32_t)counted->programs_count * (counted->is_preempted ? COUNTED_PREEMPTED : 1));

	if (err)
		return err;
	if (counted->hist) {
		table__leave_out(object);
		return bpf_map__set_max_entries(bpf_object__find_map_by_name(object, "counts_map"), events);
	}
	/* the same name may be a text in one event and a number in another one */
	for (size_t i = 0; i < counted->plans_count; i++)
		if (counted->plans[i].key.size > size)
			size = counted->plans[i].key.size;
	return table__set_key_size(object, size - KEY_START);
}

void counted__set_rate_words(const struct counted *counted, struct tool *tool)
{
	tool->rate_word = (counted->hist ? offsetof(struct counted_cells, values.slots) : offsetof(struct counted_cells, others)) /
			  sizeof(uint64_t);
	tool->rate_words = counted->hist ? HIST_SLOTS : 2;
}

void counted__free(struct counted *counted)
{
	free(counted->columns);
	counted->columns = NULL;
}

/* ---- what is printed */

static uint64_t weigh(const void *value)
{
	return ((const struct counted_value *)value)->count;
}

static void put_fields(const struct counted *counted, struct out *out, const struct plan *plan, const void *key)
{
	if (out->json) {
		out__made(out, counted->row, (size_t)(plan__put_all(plan, counted->row, key, true) - counted->row));
		return;
	}
	for (size_t i = 0; i < plan__values(plan); i++)
		out__made(out, counted->row, (size_t)(plan__put(plan, i, counted->row, key, false, false) - counted->row));
}

/* The others have a word in the first column and nothing in the next ones. */
static void put_others(const struct counted *counted, struct out *out)
{
	size_t columns = out->json ? 2 : plan__values(&counted->plans[0]) + has_event_column(counted);

	out__string(out, OTHERS, sizeof(OTHERS));
	while (--columns)
		out__none(out);
}

/* key: its first word is the event's number; NULL for the others. */
static void print_row(const struct counted *counted, struct tool *tool, const struct interval *interval, const void *key, uint64_t count)
{
	const struct plan *plan = key ? &counted->plans[*(const uint64_t *)key] : NULL;
	struct out *out = &tool->out;

	if (!count)
		return;
	out__row(out, interval->end_ns);
	if (!key) {
		put_others(counted, out);
	} else {
		if (out->json || has_event_column(counted))
			out__string(out, plan->name, sizeof(plan->name));
		put_fields(counted, out, plan, key);
	}
	out__int(out, (int64_t)count);
	out__end(out);
}

static uint64_t print_rows(const struct counted *counted, struct tool *tool, const struct interval *interval)
{
	const struct counted_cells *cells = interval->cells;
	struct ranked *ranking = ranking__make(interval->table, weigh);
	uint64_t others = cells->others, total = others;

	if (!ranking) {
		tool__fail(tool, -ENOMEM, "no memory for %zu rows", interval->table->count);
		return 0;
	}
	for (size_t i = 0; i < interval->table->count; i++) {
		total += ranking[i].weight;
		if (i < tool->options.rows_max)
			print_row(counted, tool, interval, table__key(interval->table, ranking[i].row), ranking[i].weight);
		else
			others += ranking[i].weight;
	}
	free(ranking);
	print_row(counted, tool, interval, NULL, others);
	return total;
}

static uint64_t print_hists(const struct counted *counted, struct tool *tool, const struct interval *interval)
{
	const struct counted_cells *cells = interval->cells;
	uint64_t total = 0;

	for (size_t i = 0; i < counted->plans_count; i++) {
		struct hist_view values = hist_view__of(tool->shape, &cells[i].values);
		const char *event = counted->plans[i].name, *field = plan__shown(&counted->plans[i], 0)->key;
		char title[4 * FORMAT_NAME_MAX], key[4 * FORMAT_NAME_MAX];

		/* both names are the kernel's own, of letters, digits and the like */
		snprintf(title, sizeof(title), "%s %s", event, field);
		snprintf(key, sizeof(key), "{\"event\":\"%s\",\"field\":\"%s\"}", event, field);
		interval__hist(tool, interval, &values, title, key);
		total += hist_view__count(&values);
	}
	return total;
}

uint64_t counted__print(const struct counted *counted, struct tool *tool, const struct interval *interval)
{
	return counted->hist ? print_hists(counted, tool, interval) : print_rows(counted, tool, interval);
}

void counted__print_event(const struct counted *counted, struct tool *tool, const void *data)
{
	const struct anysnoop_event *event = data;
	const struct plan *plan = &counted->plans[event->index];
	const void *key = (const char *)&event->index + KEY_START;

	out__row(&tool->out, event->task.ts_ns);
	out__string(&tool->out, plan->name, sizeof(plan->name));
	if (tool->counting->names_count == 2 && !strcmp(tool->counting->names[1], "fields")) {
		out__made(&tool->out, counted->row, (size_t)(plan__put_all(plan, counted->row, key, true) - counted->row));
		return;
	}
	for (size_t i = 0; i < plan__values(plan); i++) {
		/* behind "NAME": */
		char *value = counted->row + strlen(plan__shown(plan, i)->key) + 3;
		char *end = plan__put(plan, i, counted->row, key, true, false);

		out__made(&tool->out, value, (size_t)(end - value));
	}
}

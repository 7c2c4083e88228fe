/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack_tasks.h"

#include <stdio.h>
#include <string.h>

#include "lib/print/others.h"
#include "ranking.h"

bool stack_tasks_shows_tag;

/* docs/json.md: profile --by */
const struct out_column stack_tasks_sample_columns[] = {
	{ "PERCENT", 7, NULL, NULL },
	{ "SAMPLES", 10, NULL, "count" },
	TASK_KEY_COLUMNS,
	TASK_KEY_CGROUP_COLUMNS,
	{ NULL, 0, NULL, NULL },
};

/* What is printed now. */
static struct {
	const struct stack_report *report;
	uint64_t all;		/* weight of all rows */
	bool is_sum;		/* of all alone: the row is of nobody */
} printed;

static uint64_t weigh(const void *data)
{
	const struct stack_value *value = data;

	return printed.report->is_time ? value->ns : value->count;
}

/* key: NULL for the others. */
static void put_tag(struct out *out, const struct stack_key *key)
{
	const char *tag = !stack_tasks_shows_tag || printed.is_sum ? NULL : key ? printed.report->tag(key) : OTHERS;

	if (tag)
		out__string(out, tag, strlen(tag));
	else
		out__none(out);
}

static void put_numbers(struct out *out, const struct stack_value *value)
{
	char text[32];
	double percent = printed.all ? (double)weigh(value) * 100 / (double)printed.all : 0;

	out__made(out, text, (size_t)snprintf(text, sizeof(text), "%.*f", out->json ? 3 : 1, percent));
	if (printed.report->is_time && out->json)
		out__int(out, (int64_t)value->ns);
	else if (printed.report->is_time)
		out__milliseconds(out, value->ns / 1000);
	out__int(out, (int64_t)value->count);
}

/* key: NULL for the others. */
static void print_row(struct tool *tool, const struct interval *interval, const void *data, const void *values)
{
	const struct stack_value *value = values;
	const struct stack_key *key = data;
	struct out *out = &tool->out;

	if (!value->count)
		return;
	out__row(out, interval->end_ns);
	put_numbers(out, value);
	task_keys__columns(out, key ? &key->task : NULL);
	if (printed.report->tag)
		put_tag(out, key);
	task_keys__cgroup_columns(out, key ? &key->task : NULL);
	out__end(out);
}

uint64_t stack_tasks__print(struct stack_report *report, const struct interval *interval, const struct stack_value *without_room)
{
	const struct ranked_rows rows = { sizeof(struct stack_value) / sizeof(uint64_t), weigh, print_row };
	struct stack_value others = *without_room, all = *without_room;

	for (size_t i = 0; i < interval->table->count; i++) {
		const struct stack_value *value = table__value(interval->table, i);

		all.count += value->count;
		all.ns += value->ns;
	}
	printed.report = report;
	printed.all = weigh(&all);
	printed.is_sum = !report->by_task;
	if (printed.is_sum)
		print_row(report->tool, interval, NULL, &all);
	else
		ranking__print(report->tool, interval, interval->table, &rows, &others, &all);
	return all.count;
}

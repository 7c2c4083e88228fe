/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "anysnoop.h"
#include "run_events.h"
#include "lib/run/state_columns.h"

/* In JSON, and in text of several events. */
const struct out_column event_columns[] = {
	TOOL_TASK_COLUMNS,
	{ "CPU", 3, NULL, NULL },
	{ "EVENT", -24, NULL, NULL },
	{ "FIELDS", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

uint16_t event_rows_state;

static char *row;			/* room for the values of any event */
static size_t row_size;
static struct out_column *made_columns;
static bool is_table;			/* the columns are the fields of one event */
static bool has_state;

int event_rows__make_room(size_t size)
{
	char *larger = size > row_size ? realloc(row, size) : row;

	if (!larger)
		return -ENOMEM;
	row_size = size > row_size ? size : row_size;
	row = larger;
	return 0;
}

char *event_rows__room(void)
{
	return row;
}

int event_rows__make(struct tool *tool)
{
	size_t longest = 0, record_max = 0;

	for (size_t i = 0; i < run_events.count; i++) {
		size_t room = plan__room(&run_events.plans[i]), size = run_events.plans[i].record.size;

		longest = room > longest ? room : longest;
		record_max = size > record_max ? size : record_max;
	}
	while (tool->options.ring_size && tool->options.ring_size < record_max + sizeof(struct anysnoop_event) + 8)
		tool->options.ring_size *= 2;
	return event_rows__make_room(longest) ? tool__fail(tool, -ENOMEM, "no memory") : 0;
}

void event_rows__print(struct tool *tool, const struct plan *event, const struct event_task *task, uint32_t cpu, const void *copy)
{
	tool__row(tool, task);
	out__int(&tool->out, cpu);
	if (has_state)
		state_columns__put(&tool->out, event_rows_state);
	if (!is_table) {
		out__string(&tool->out, event->name, sizeof(event->name));
		out__made(&tool->out, row, (size_t)(plan__put_all(event, row, copy, tool->out.json) - row));
		return;
	}
	for (size_t i = 0; i < plan__values(event); i++)
		out__made(&tool->out, row, (size_t)(plan__put(event, i, row, copy, false, false) - row));
}

void event_rows__print_event(struct tool *tool, const void *data, size_t size)
{
	const struct anysnoop_event *any = data;

	(void)size;
	event_rows__print(tool, &run_events.plans[any->index], &any->task, any->cpu, &any->index);
}

/* A table of one event's fields.  NULL without memory. */
static struct out_column *table_of(const struct plan *event)
{
	static const struct out_column first[] = { TOOL_TASK_COLUMNS, { "CPU", 3, NULL, NULL } };
	const size_t first_count = sizeof(first) / sizeof(*first);
	struct out_column *made = calloc(first_count + plan__values(event) + 1, sizeof(*made));

	if (!made)
		return NULL;
	memcpy(made, first, sizeof(first));
	for (size_t i = 0; i < plan__values(event); i++)
		made[first_count + i] = (struct out_column){ .name = plan__shown(event, i)->key,
							     .width = plan__width(plan__shown(event, i)) };
	return made;
}

/* Those of --context are behind the CPU. */
static struct out_column *with_context(const struct out_column *all)
{
	size_t at = 0;

	while (strcmp(all[at].name, "CPU"))
		at++;
	return state_columns__insert(all, all[at + 1].name ?: "");
}

int event_rows__make_columns(struct tool *tool, const struct plan *only, bool with_state)
{
	struct out_column *table;

	has_state = with_state;
	is_table = only && !tool->out.json;
	if (!is_table && !with_state)
		return 0;
	made_columns = table = is_table ? table_of(only) : NULL;
	if (with_state && (table || !is_table)) {
		made_columns = with_context(table ?: event_columns);
		free(table);
	}
	if (!made_columns)
		return tool__fail(tool, -ENOMEM, "no memory");
	tool->columns = made_columns;
	return 0;
}

void event_rows__free(void)
{
	free(made_columns);
	free(row);
}

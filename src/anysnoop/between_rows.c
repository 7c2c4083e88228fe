/* SPDX-License-Identifier: BSD-2-Clause */
#include "between_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/gen/condition.h"

#define ROW_ROOM (1024 + FORMAT_NAME_MAX)	/* for what is there besides the values: names of events, keys in JSON */

static struct between *of_run;

/* In JSON.  Text has the values of the last three in columns.  docs/json.md: anysnoop --between */
static const struct out_column json_columns[] = {
	TOOL_TASK_COLUMNS,
	{ "CPU", 3, NULL, NULL },
	{ "LAT(us)", 13, NULL, "lat_ms" },
	{ "LAT_NS", 0, &tool_not_shown, NULL },
	{ "BEGIN_EVENT", 0, &tool_not_shown, NULL },
	{ "EVENT", 0, &tool_not_shown, NULL },
	{ "KEY", 0, NULL, NULL },
	{ "BEGIN_FIELDS", 0, NULL, NULL },
	{ "FIELDS", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};
/* Those that text has too. */
#define FIRST_COLUMNS (sizeof(json_columns) / sizeof(*json_columns) - 4)

int between_rows__make(struct between *between, struct tool *tool)
{
	size_t count = between->keys[0].count, room = ROW_ROOM;
	struct out_column *to;

	for (size_t i = 0; i < 2; i++) {
		count += plan__values(&between->plans[i]);
		room += plan__room(&between->plans[i]);
	}
	for (size_t i = 0; i < between->keys[0].count; i++)
		room += shown__room(&between->keys[0].parts[i].shown, between->keys[0].parts[i].size);
	of_run = between;
	between->row = malloc(room);
	between->columns = to = calloc(FIRST_COLUMNS + count + 1, sizeof(*to));
	if (!between->columns || !between->row)
		return tool__fail(tool, -ENOMEM, "no memory");
	if (between->ends)
		return 0;
	tool->columns = tool->out.json ? json_columns : between->columns;
	if (tool->out.json)
		return 0;
	memcpy(to, json_columns, FIRST_COLUMNS * sizeof(*to));
	to += FIRST_COLUMNS;
	for (size_t i = 0; i < between->keys[0].count; i++) {
		const struct shown *shown = &between->keys[0].parts[i].shown;

		*to++ = (struct out_column){ .name = shown->key, .width = plan__width(shown) };
	}
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; between->has_fields[side] && i < plan__values(&between->plans[side]); i++) {
			const struct shown *shown = plan__shown(&between->plans[side], i);

			*to++ = (struct out_column){ .name = shown->key, .width = plan__width(shown) };
		}
	return 0;
}

static void put_key(const struct between *between, struct out *out, const void *values)
{
	/* key__value() counts from the word before */
	const void *key = (const char *)values - (KEY_VALUES - KEY_START);
	char *to = between->row;

	if (out->json)
		*to++ = '{';
	for (size_t i = 0; i < between->keys[0].count; i++) {
		const struct key_part *part = &between->keys[0].parts[i];
		struct record_value value = key__value(part, key);

		if (out->json && i)
			*to++ = ',';
		if (!out->json)
			to = between->row;
		to = out->json ? shown__json(&part->shown, to, value.bytes, value.size, value.more) :
			shown__text(&part->shown, to, value.bytes, value.size, value.more, false);
		if (!out->json)
			out__made(out, between->row, (size_t)(to - between->row));
	}
	if (!out->json)
		return;
	*to++ = '}';
	out__made(out, between->row, (size_t)(to - between->row));
}

/* The same in a row whose fields are one value. */
static char *add_key(const struct between *between, char *to, const void *values, bool json)
{
	const void *key = (const char *)values - (KEY_VALUES - KEY_START);

	for (size_t i = 0; i < between->keys[0].count; i++) {
		const struct key_part *part = &between->keys[0].parts[i];
		struct record_value value = key__value(part, key);

		if (json && i)
			*to++ = ',';
		if (!json)
			to += sprintf(to, " %s=", part->shown.key);
		to = json ? shown__json(&part->shown, to, value.bytes, value.size, value.more) :
			shown__text(&part->shown, to, value.bytes, value.size, value.more, true);
	}
	return to;
}

static void put_fields(const struct between *between, struct out *out, int side, const void *copy)
{
	const struct plan *plan = &between->plans[side];
	char *row = between->row;

	if (out->json && !between->has_fields[side]) {
		out__none(out);
	} else if (out->json) {
		out__made(out, row, (size_t)(plan__put_all(plan, row, copy, true) - row));
	} else {
		for (size_t i = 0; between->has_fields[side] && i < plan__values(plan); i++)
			out__made(out, row, (size_t)(plan__put(plan, i, row, copy, false, false) - row));
	}
}

void between_rows__print(struct tool *tool, const void *data, size_t size)
{
	const struct between *between = of_run;
	const struct between_event *event = data;
	const char *values = (const char *)event->values;
	struct out *out = &tool->out;

	(void)size;
	tool__row(tool, &event->task);
	out__int(out, event->cpu);
	/* nanoseconds as microseconds; in JSON microseconds as milliseconds, as all tools have it */
	out__milliseconds(out, out->json ? event->lat_ns / 1000 : event->lat_ns);
	out__int(out, (int64_t)event->lat_ns);
	out__string(out, between->plans[0].name, sizeof(between->plans[0].name));
	out__string(out, between->plans[1].name, sizeof(between->plans[1].name));
	put_key(between, out, values);
	put_fields(between, out, 0, values + between__key_size(between));
	put_fields(between, out, 1, values + between__key_size(between) + between__copy_size(between, 0));
}


static char *add_fields(const struct between *between, char *to, int side, const void *copy, bool json)
{
	if (!between->has_fields[side])
		return json ? stpcpy(to, "null") : to;
	if (!json)
		*to++ = ' ';
	return plan__put_all(&between->plans[side], to, copy, json);
}

void between_rows__print_end(struct tool *tool, const void *data, size_t size)
{
	const struct between *between = of_run;
	const struct between_event *event = data;
	const char *values = (const char *)event->values, *first = values + between__key_size(between);
	bool json = tool->out.json;
	char *to = between->row;

	(void)size;
	tool__row(tool, &event->task);
	out__int(&tool->out, event->cpu);
	out__string(&tool->out, between->plans[1].name, sizeof(between->plans[1].name));
	if (json)
		to += sprintf(to, "{\"lat_ns\":%llu,\"begin_event\":\"%s\",\"key\":{", (unsigned long long)event->lat_ns, between->plans[0].name);
	else
		to += sprintf(to, "lat_us=%llu.%03llu begin_event=%s", (unsigned long long)event->lat_ns / 1000,
			      (unsigned long long)event->lat_ns % 1000, between->plans[0].name);
	to = add_key(between, to, values, json);
	if (json)
		to = stpcpy(to, "},\"begin_fields\":");
	to = add_fields(between, to, 0, first, json);
	if (json)
		to = stpcpy(to, ",\"fields\":");
	to = add_fields(between, to, 1, first + between__copy_size(between, 0), json);
	if (json)
		*to++ = '}';
	out__made(&tool->out, between->row, (size_t)(to - between->row));
}

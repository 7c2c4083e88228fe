/* SPDX-License-Identifier: BSD-2-Clause */
/* What print functions use: the histograms of an interval, the names of keys, times. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "intervals.h"
#include "lib/print/terminal.h"
#include "lib/print/text.h"
#include "metrics.h"
#include "ranking.h"

#define TEXT_MAX (16 << 20)	/* bytes of one histogram, as text or as JSON */

char interval_total_name[16] = "TOTAL_usecs";

void interval__add_time(struct text_buffer *text, struct tool *tool, const char *name, uint64_t ts_ns)
{
	char time[WALLCLOCK_SIZE];
	int size = (int)wallclock__format(&tool->out.clock, time, ts_ns);

	text_buffer__add(text, ",\"%s\":\"%.*s\",\"%s_ns\":%llu", name, size, time, name, (unsigned long long)ts_ns);
}

void interval__text(struct tool *tool, struct text_buffer *text)
{
	size_t length = text->length;
	char *all = text_buffer__take(text);

	if (!all) {
		tool__fail(tool, -ENOMEM, "no memory for a histogram");
		return;
	}
	if (length)
		out__line(&tool->out, all, length - (all[length - 1] == '\n'));
	free(all);
}

static void print_hist(struct tool *tool, const struct interval *interval, const struct hist_view *view, const char *title,
		       const char *key)
{
	struct text_buffer text = text_buffer__growing(TEXT_MAX);

	if (!hist_view__count(view))
		return;
	if (tool->out.json) {
		text_buffer__add(&text, "{\"type\":\"hist\",\"tool\":\"%s\",\"hist\":{", tool->about->name);
		if (key)
			text_buffer__add(&text, "\"key\":%s,", key);
		hist_view__json(view, &text);
		text_buffer__add(&text, "}");
		interval__add_time(&text, tool, "begin", interval->begin_ns);
		interval__add_time(&text, tool, "end", interval->end_ns);
		text_buffer__add(&text, ",\"n\":%llu}", (unsigned long long)interval->number);
	} else {
		if (title) {
			text_buffer__put(&text, title, strlen(title));
			text_buffer__put(&text, "\n", 1);
		}
		hist_view__text(view, terminal__columns(&tool->out), &text);
	}
	interval__text(tool, &text);
}

void interval__hist(struct tool *tool, const struct interval *interval, const struct hist_view *view, const char *title,
		    const char *key)
{
	if (metrics__is_taking(tool)) {
		metrics__take_hist(tool, key, view);
		return;
	}
	heat_report__add(tool, key, title, view);
	print_hist(tool, interval, view, title, key);
}

void interval__time(struct tool *tool, uint64_t value)
{
	char text[HIST_NUMBER_SIZE];

	if (value == UINT64_MAX) {
		out__none(&tool->out);
	} else if (tool->out.json) {
		out__int(&tool->out, (int64_t)value);
	} else {
		hist_shape__format(tool->shape, value, text);
		out__string(&tool->out, text, strlen(text));
	}
}

void interval__times(struct tool *tool, const struct hist_view *times)
{
	uint64_t count = hist_view__count(times);

	interval__time(tool, (uint64_t)times->sum);
	interval__time(tool, count ? (uint64_t)(times->sum / count) : 0);
	interval__time(tool, hist_view__percentile(times, 990));
	interval__time(tool, hist_view__percentile(times, 1000));
}

/* Appends NAME and the number. */
static char *put_number(char *to, const char *name, uint32_t number)
{
	char digits[10], *from = digits + sizeof(digits);

	to = stpcpy(to, name);
	do
		*--from = (char)('0' + number % 10);
	while (number /= 10);
	memcpy(to, from, (size_t)(digits + sizeof(digits) - from));
	return to + (digits + sizeof(digits) - from);
}

/* By hand: there may be hundreds in an interval. */
void interval_key__task(struct interval_key *key, uint32_t pid, uint32_t tid, const char *comm)
{
	size_t size = strnlen(comm, TASK_COMM_LEN), characters;
	char *to;
	bool valid;

	_Static_assert(sizeof("pid =  tid =  ") + 20 + TEXT_ESCAPED_MAX(TASK_COMM_LEN) <= sizeof(key->text), "room for all");
	_Static_assert(sizeof("{\"pid\":,\"tid\":,\"comm\":}") + 20 + TEXT_QUOTED_MAX(TASK_COMM_LEN) <= sizeof(key->json), "room for all");
	to = put_number(key->text, "pid = ", pid);
	if (tid)
		to = put_number(to, " tid = ", tid);
	*to++ = ' ';
	*text__escape(to, comm, size, &characters) = 0;
	to = put_number(key->json, "{\"pid\":", pid);
	if (tid)
		to = put_number(to, ",\"tid\":", tid);
	to = text__quote(stpcpy(to, ",\"comm\":"), comm, size, &valid);
	memcpy(to, "}", 2);
}

void interval_key__comm(struct interval_key *key, const char *comm)
{
	size_t size = strnlen(comm, TASK_COMM_LEN), characters;
	bool valid;

	*text__escape(stpcpy(key->text, "comm = "), comm, size, &characters) = 0;
	strcpy(text__quote(stpcpy(key->json, "{\"comm\":"), comm, size, &valid), "}");
}

void interval_key__before(struct interval_key *key, const char *text, const char *json)
{
	struct interval_key behind = *key;
	struct text_buffer new_text = text_buffer__fixed(key->text, sizeof(key->text));
	struct text_buffer new_json = text_buffer__fixed(key->json, sizeof(key->json));

	text_buffer__add(&new_text, "%s%s%s", text, behind.text[0] ? ", " : "", behind.text);
	text_buffer__add(&new_json, "{%s%s", json, behind.json[0] ? "," : "}");
	if (behind.json[0])	/* its '{' is there already */
		text_buffer__add(&new_json, "%s", behind.json + 1);
}

static uint64_t count_hist(const void *value)
{
	const struct hist_rough *hist = value;
	uint64_t count = 0;

	for (size_t i = 0; i < HIST_ROUGH_SLOTS; i++)
		count += hist->slots[i];
	return count;
}

void interval__add_hist(struct hist_rough *to, const struct hist_rough *hist)
{
	to->sum += hist->sum;
	for (size_t i = 0; i < HIST_ROUGH_SLOTS; i++)
		to->slots[i] += hist->slots[i];
}

/* The histogram of one key. */
static void print_keyed(struct tool *tool, const struct interval *interval, const struct hist_view *view, const void *data,
			void (*describe)(const struct tool *tool, const void *key, struct interval_key *to))
{
	struct text_buffer text = text_buffer__growing(TEXT_MAX), json = text_buffer__growing(TEXT_MAX);
	struct interval_key key = { .text_more = NULL };

	describe(tool, data, &key);
	if (key.text_more)
		text_buffer__add(&text, "%s%s", key.text, key.text_more);
	if (key.json_more && key.json[0])
		text_buffer__add(&json, "%.*s,%s", (int)strlen(key.json) - 1, key.json, key.json_more + 1);
	interval__hist(tool, interval, view, text.text ? text.text : key.text,
		       json.text ? json.text : key.json_more ? key.json_more : key.json);
	text_buffer__free(&text);
	text_buffer__free(&json);
}

uint64_t interval__hists(struct tool *tool, const struct interval *interval, const struct hist_rough *other,
			 void (*describe)(const struct tool *tool, const void *key, struct interval_key *to))
{
	const struct table *table = interval->table;
	struct ranked *ranking = ranking__make(table, count_hist);
	struct hist_rough others = *other;
	uint64_t counted = count_hist(other);
	struct interval_key key;
	struct hist_view view;

	if (!ranking) {
		tool__fail(tool, -ENOMEM, "no memory for %zu histograms", table->count);
		return 0;
	}
	for (size_t i = 0; i < table->count; i++) {
		const struct hist_rough *hist = table__value(table, ranking[i].row);

		counted += ranking[i].weight;
		if (i >= tool->options.rows_max) {
			interval__add_hist(&others, hist);
			continue;
		}
		view = hist_view__of_rough(tool->shape, hist);
		print_keyed(tool, interval, &view, table__key(table, ranking[i].row), describe);
	}
	view = hist_view__of_rough(tool->shape, &others);
	snprintf(key.text, sizeof(key.text), "others: %zu below these%s",
		 table->count > tool->options.rows_max ? table->count - tool->options.rows_max : 0,
		 !count_hist(other) ? "" : ", and those that found no room (--keys)");
	if (metrics__is_taking(tool)) {
		metrics__take_hist(tool, "{\"others\":true}", &view);
	} else {
		heat_report__add(tool, "{\"others\":true}", "others", &view);
		print_hist(tool, interval, &view, key.text, "{\"others\":true}");
	}
	free(ranking);
	return counted;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "clock.h"
#include "json.h"
#include "out_row.h"
#include "terminal.h"
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A batch: large enough that a write is rare, small enough to stay in the cache. */
#define BUFFER_SIZE (32 * 1024)

#define TIME_HEAD "TIME "		/* the date follows */
#define TIME_WIDTH (sizeof("hh:mm:ss.uuuuuu") - 1)

_Static_assert(sizeof(TIME_HEAD "2026-11-23") - 1 == TIME_WIDTH, "the header is as wide as the times");

const bool out_counted_only = false;

void out_column__key(const struct out_column *column, char key[OUT_KEY_SIZE])
{
	snprintf(key, OUT_KEY_SIZE, "%s", column->key ? column->key : column->name);
	for (size_t i = 0; key[i] && !column->key; i++)
		key[i] = (char)(key[i] == ' ' ? '_' : tolower((unsigned char)key[i]));
}

static void make_slot(struct out_slot *slot, const struct out_column *column)
{
	char key[OUT_KEY_SIZE];

	out_column__key(column, key);
	slot->key_size = (size_t)snprintf(slot->key, sizeof(slot->key), ",\"%s\":", key);
	slot->hidden = column->shown == &out_counted_only;
	slot->right = column->width > 0;
	slot->width = (size_t)abs(column->width);
	/* rows are aligned with a name that is longer than its values */
	if (slot->width > 1 && slot->width < strlen(column->name))
		slot->width = strlen(column->name);
}

/* What rows have of the host.  false without memory. */
static bool make_host(struct out *out)
{
	size_t size = out->host ? strlen(out->host) : 0, most = TEXT_QUOTED_MAX(size), characters;
	char *end;

	out->host_made = NULL;
	out->host_width = 0;
	if (!out->host)
		return true;
	if (TEXT_ESCAPED_MAX(size) > most)
		most = TEXT_ESCAPED_MAX(size);
	out->host_made = malloc(most + sizeof(",\"host\":"));
	if (!out->host_made)
		return false;
	if (out->json)
		end = json__quote(stpcpy(out->host_made, ",\"host\":"), out->host, size);
	else
		end = text__escape(out->host_made, out->host, size, &characters);
	*end = '\0';
	if (!out->json)
		out->host_width = strlen(out->host_made) > strlen("HOST") ? strlen(out->host_made) : strlen("HOST");
	return true;
}

int out__open(struct out *out)
{
	size_t count = 0;

	while (out->columns && out->columns[count].name)
		count++;
	out->buffer = malloc(BUFFER_SIZE);
	out->slots = calloc(count + 2, sizeof(*out->slots));
	if (!make_host(out) || !out->buffer || !out->slots) {
		out__free(out);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		make_slot(&out->slots[i + 1], &out->columns[i]);
	for (size_t i = 0; i <= count; i++)
		out->slots[i].next = &out->slots[i + 1];
	out->last = &out->slots[count];
	out->take = NULL;
	memset(out->fill, ' ', sizeof(out->fill));
	out->slots[count + 1] = (struct out_slot){ .next = &out->slots[count + 1], .hidden = true };
	if (out->record)
		out->head_size = (size_t)snprintf(out->head, sizeof(out->head), "{\"type\":\"%s\",\"tool\":\"%s\"%s,\"ts_ns\":",
						  out->record, out->tool, out->json && out->host_made ? out->host_made : "");
	else
		out->head_size = (size_t)snprintf(out->head, sizeof(out->head), "{\"ts_ns\":");
	out->fixed = OUT_SLACK;
	for (size_t i = 1; i <= count; i++)
		out->fixed += 1 + out->slots[i].width + OUT_NUMBER_SIZE + out->slots[i].key_size;
	out->room = BUFFER_SIZE;
	out->used = 0;
	wallclock__init(&out->clock, out->json);
	return 0;
}

void out__take_rows(struct out *out, const bool *wanted, out_take take, void *ctx)
{
	for (struct out_slot *slot = out->slots + 1; slot <= out->last; slot++) {
		slot->hidden = !*wanted++;
		slot->right = false;
		slot->width = 0;
	}
	memset(out->fill, OUT_MARK, sizeof(out->fill));
	out->take = take;
	out->take_ctx = ctx;
	out->take_last = out->last;
	out->last = NULL;
	out->time = false;
	out->host = NULL;
}

void out__free(struct out *out)
{
	free(out->buffer);
	out->buffer = NULL;
	free(out->slots);
	out->slots = NULL;
	free(out->header);
	out->header = NULL;
	free(out->host_made);
	out->host_made = NULL;
}

char *out_row__make_room(struct out *out, size_t size)
{
	if (out->row_start) {
		size_t row = out->row_start, part = out->used - row;

		out->used = row;
		out__flush(out);
		memmove(out->buffer, out->buffer + row, part);
		out->used = part;
	}
	if (out->room - out->used < size) {
		size_t room = out->room * 2 > out->used + size ? out->room * 2 : out->used + size;
		char *larger = realloc(out->buffer, room);

		if (!larger) {
			/* Out of memory: drop the row and set out->error, which ends the run with an error message and exit status 1. */
			if (!out->error)
				out->error = -ENOMEM;
			out->used = 0;
			return size <= out->room ? out->buffer : NULL;
		}
		out->buffer = larger;
		out->room = room;
	}
	return out->buffer + out->used;
}

void out_row__put(struct out *out, const char *bytes, size_t size)
{
	char *to = out_row__reserve(out, size);

	if (to) {
		memcpy(to, bytes, size);
		out->used += size;
	}
}

void out_row__put_aligned(struct out *out, const struct out_slot *slot, const char *value, size_t size)
{
	char *to = out_row__reserve(out, out->pad + slot->width + size);

	if (!to)
		return;
	to = out_row__pad(out, slot, to, size);
	memcpy(to, value, size);
	out->used = (size_t)(to + size - out->buffer);
}

void out_row__put_key(struct out *out, const struct out_slot *slot, const char *suffix)
{
	if (!suffix) {
		out_row__put(out, slot->key, slot->key_size);
		return;
	}
	out_row__put(out, slot->key, slot->key_size - 2);
	out_row__put(out, suffix, strlen(suffix));
	out_row__put(out, "\":", 2);
}

void out_row__put_value(struct out *out, const struct out_slot *slot, const char *value, size_t size)
{
	if (out->json) {
		out_row__put_key(out, slot, NULL);
		out_row__put(out, value, size);
	} else {
		out_row__put_aligned(out, slot, value, size);
	}
}

void out_row__put_word(struct out *out, const char *word, const char *json_word)
{
	const struct out_slot *slot = out_row__next(out);
	const char *value = out->json ? json_word : word;

	if (slot)
		out_row__put_value(out, slot, value, strlen(value));
}

void out__made(struct out *out, const char *value, size_t size)
{
	const struct out_slot *slot = out_row__next(out);

	if (slot)
		out_row__put_value(out, slot, value, size);
}

/* The header that was just put is the one to repeat. */
static void keep_header(struct out *out, size_t begin)
{
	if (!out->repeats_header || out->used < begin || !isatty(out->sink.fd))
		return;
	free(out->header);
	out->header_size = out->used - begin;
	out->header = malloc(out->header_size);
	if (out->header)
		memcpy(out->header, out->buffer + begin, out->header_size);
	out->lines_since = 0;
}

size_t out__width_before(const struct out *out)
{
	return (out->host ? out->host_width + 1 : 0) + (out->time ? TIME_WIDTH + 1 : 0);
}

/* Text: a value of the column HOST. */
static void put_host(struct out *out, const char *text)
{
	static const struct out_slot none = { .width = 0 };

	out_row__put_aligned(out, &none, text, strlen(text));
	out->pad += out->host_width - strlen(text);
}

/* What is printed from now on is of this day, unless a line says otherwise. */
static void put_time_header(struct out *out)
{
	char text[WALLCLOCK_SIZE];

	wallclock__format(&out->clock, text, out->header_ns ? out->header_ns : (uint64_t)clock__kernel_ns());
	out->day = out->clock.day;
	out_row__put_aligned(out, &(struct out_slot){ .width = 0 }, TIME_HEAD, strlen(TIME_HEAD));
	out_row__put(out, out->clock.date, strlen(out->clock.date));
}

void out__show(struct out *out, const bool *shown)
{
	size_t count = 0;

	while (out->shows[count] && out->shows[count] != shown)
		count++;
	if (count < OUT_SHOWS_MAX - 1)
		out->shows[count] = shown;
}

bool out__shows(const struct out *out, const struct out_column *column)
{
	for (size_t i = 0; out->shows[i]; i++)
		if (out->shows[i] == column->shown)
			return true;
	return !column->shown || *column->shown;
}

void out__header(struct out *out)
{
	size_t begin = out->used;

	if (out->json)
		return;
	for (size_t i = 0; out->columns[i].name; i++)
		out->slots[i + 1].hidden = out->slots[i + 1].is_dropped || !out__shows(out, &out->columns[i]);
	if (!out->is_fitted)
		terminal__fit(out);
	out->is_fitted = true;
	out->row_start = out->used;
	out->pad = 0;
	if (out->host)
		put_host(out, "HOST");
	if (out->time)
		put_time_header(out);
	for (size_t i = 0; out->columns[i].name; i++)
		if (!out->slots[i + 1].hidden)
			out_row__put_aligned(out, &out->slots[i + 1], out->columns[i].name, strlen(out->columns[i].name));
	out_row__put(out, "\n", 1);
	out->row_start = out->used;
	keep_header(out, begin);
}

/* The header that is repeated has the day of what follows it. */
static void date_header(struct out *out)
{
	size_t before = (out->host ? out->host_width + 1 : 0) + strlen(TIME_HEAD), size = strlen(out->clock.date);

	if (out->header && out->time && out->header_size >= before + size)
		memcpy(out->header + before, out->clock.date, size);
}

void out__new_day(struct out *out)
{
	if (out->clock.day <= out->day)
		return;
	if (out->day || out->time) {
		out_row__put(out, "-- ", 3);
		out_row__put(out, out->clock.date, strlen(out->clock.date));
		out_row__put(out, " --\n", 4);
		out->row_start = out->used;
	}
	out->day = out->clock.day;
	date_header(out);
}

/* Text: TIME and HOST. */
static void put_before(struct out *out, uint64_t ts_ns)
{
	static const struct out_slot none = { .width = 0 };
	char text[WALLCLOCK_SIZE];
	size_t size = 0;

	if (out->time && out->other_clock) {
		size = (size_t)snprintf(text, sizeof(text), "%llu.%06llu", (unsigned long long)(ts_ns / 1000000000),
					(unsigned long long)(ts_ns / 1000 % 1000000));
	} else if (out->time) {
		size = wallclock__format(&out->clock, text, ts_ns);
		out__new_day(out);
	}
	if (out->host)
		put_host(out, out->host_made);
	if (out->time)
		out_row__put_aligned(out, &none, text, size);
}

static __attribute__((noinline)) void put_time(struct out *out, uint64_t ts_ns)
{
	char text[96], *end = text;

	if (!out->json) {
		put_before(out, ts_ns);
		return;
	}
	out_row__put(out, out->head, out->head_size);
	end = out_row__decimal(text + sizeof(text), ts_ns);
	out_row__put(out, end, (size_t)(text + sizeof(text) - end));
	if (out->other_clock) {
		out_row__put(out, ",\"time\":null", 12);
		return;
	}
	out_row__put(out, ",\"time\":\"", 9);
	out_row__put(out, text, wallclock__format(&out->clock, text, ts_ns));
	out_row__put(out, "\"", 1);
}

void out__begin_row(struct out *out, uint64_t ts_ns)
{
	out_row__reserve(out, 0);
	if ((out->json || out->time || out->host) && !out->take)
		put_time(out, ts_ns);
}

/* What was finished before the row is still good. */
static __attribute__((cold, noinline)) void refuse_row(struct out *out)
{
	out->used = out->row_start;
	out__flush(out);
	if (out->error)
		return;
	out->error = -EPROTO;
	out->wrong = out->slot;
}

static __attribute__((noinline)) void hand_over(struct out *out)
{
	if (!out->error) {
		out->take(out->take_ctx, out->buffer + out->row_start, out->used - out->row_start);
		out->rows_written++;
	}
	out->used = out->row_start;
}

#define IS_A_BUG " (a bug in this tool: please report it)"

const char *out__error(const struct out *out)
{
	size_t count = (size_t)((out->take ? out->take_last : out->last) - out->slots);
	size_t values = out->wrong ? (size_t)(out->wrong - out->slots) : 0;
	static char text[512];

	if (!out->error || out->error == -EPIPE)
		return NULL;
	if (out->error == -EAGAIN)
		snprintf(text, sizeof(text), "the reader of %.200s does not read: rows were given up",
			 out->sink.path ? out->sink.path : "stdout");
	else if (!out->wrong && out->sink.path)
		snprintf(text, sizeof(text), "-o \"%.200s\": cannot be written: %s", out->sink.path, strerror(-out->error));
	else if (!out->wrong)
		snprintf(text, sizeof(text), "stdout cannot be written: %s", strerror(-out->error));
	else if (values > count)
		snprintf(text, sizeof(text), "a row has more values than its %zu columns" IS_A_BUG, count);
	else
		snprintf(text, sizeof(text), "a row has %zu values for %zu columns, none for %s" IS_A_BUG, values, count,
			 out->columns[values].name);
	return text;
}

void out__end(struct out *out)
{
	char *to = out->buffer + out->used;

	if (__builtin_expect(out->slot != out->last, 0)) {
		if (out->take && out->slot == out->take_last)
			hand_over(out);
		else
			refuse_row(out);
		return;
	}
	if (out->json)
		*to++ = '}';
	*to++ = '\n';
	out->used = (size_t)(to - out->buffer);
	out->rows_pending++;
	out->row_start = out->used;
}

void out__line(struct out *out, const char *text, size_t size)
{
	if (out->take)
		return;
	out->row_start = out->used;
	if (out->json && out->host_made && size && text[size - 1] == '}') {
		out_row__put(out, text, size - 1);
		out_row__put(out, out->host_made, strlen(out->host_made));
		out_row__put(out, "}\n", 2);
	} else {
		out_row__put(out, text, size);
		out_row__put(out, "\n", 1);
	}
	out->row_start = out->used;
}

int out__flush(struct out *out)
{
	if (out->header && out->used && !out->error)
		terminal__repeat_header(out);
	if (out->used && !out->error) {
		out->error = sink__write(&out->sink, out->buffer, out->used);
		if (!out->error)
			out->rows_written += out->rows_pending;
	}
	out->rows_pending = 0;
	out->used = 0;
	out->row_start = 0;
	/* an NTP step in the middle of a long run must show in the next rows */
	wallclock__forget(&out->clock);
	return out->error;
}

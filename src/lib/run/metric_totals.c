/* SPDX-License-Identifier: BSD-2-Clause */
#include "metric_totals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/hist.h"
#include "lib/print/others.h"
#include "lib/print/taken.h"
#include "metric_sums.h"
#include "tally.h"

#define LABELS_MAX (1 << 20)	/* bytes of the labels of one series */

static const struct {
	const char *name, *type, *help;
} own_metrics[] = {
	{ "up", "gauge", "1 while the tool runs, 0 when it has ended." },
	{ "start_time_seconds", "gauge", "When the counting began, in seconds since 1970; the totals are since then." },
	{ "events_total", "counter", "Events by what became of them; without a series \"missed\" it is not known whether any were missed." },
	{ "series_others_total", "counter", "Sets of labels for which --series had no room, each time that one came." },
};
enum { OWN_UP, OWN_START, OWN_EVENTS, OWN_OTHERS };

int metric_totals__open(struct metric_totals *totals, const struct metric *metrics, const char *tool, const char *run, uint32_t series)
{
	struct text_buffer own = text_buffer__growing(LABELS_MAX), labels = text_buffer__growing(LABELS_MAX);

	while (metrics[totals->count].name)
		totals->count++;
	totals->tool = tool;
	totals->list = calloc(totals->count, sizeof(*totals->list));
	prometheus__add_label(&own, "tool", tool, strlen(tool));
	if (run) {
		prometheus__add_label(&labels, "run", run, strlen(run));
		prometheus__add_label(&own, "run", run, strlen(run));
	}
	totals->own_labels = text_buffer__take(&own);
	totals->run_labels = text_buffer__take(&labels);
	if (!totals->list || !totals->own_labels || !totals->run_labels) {
		metric_totals__free(totals);
		return -ENOMEM;
	}
	for (size_t i = 0; i < totals->count; i++) {
		totals->list[i].metric = &metrics[i];
		totals->list[i].counts.keys_max = series;
	}
	return 0;
}

void metric_totals__free(struct metric_totals *totals)
{
	for (size_t i = 0; totals->list && i < totals->count; i++) {
		row_counts__clear(&totals->list[i].counts);
		free(totals->list[i].hists);
		free(totals->list[i].states);
		free(totals->list[i].others_labels);
	}
	free(totals->list);
	free(totals->own_labels);
	free(totals->run_labels);
	*totals = (struct metric_totals){ .count = 0 };
}

/* ---- labels */

static bool is_word(const struct taken *bytes, const char *word, size_t size)
{
	return bytes->size == size && !memcmp(bytes->bytes, word, size);
}

static bool is_null(const struct taken *value)
{
	return is_word(value, "null", 4);
}

/* The member of that key; false: there is none. */
static bool find(const char *row, size_t size, const char *key, size_t key_size, struct taken_member *member)
{
	const char *at = row, *end = row + size;

	while (taken__next_member(&at, end, member))
		if (is_word(&member->key, key, key_size))
			return true;
	return false;
}

static bool is_others(const char *row, size_t size)
{
	struct taken_member member;

	return find(row, size, "others", 6, &member);
}

/* A label of a series, and in the labels that say that it is of the others. */
static void add_label(struct text_buffer *labels, struct text_buffer *others, const char *name, const struct taken *value)
{
	prometheus__add_json_label(labels, name, value->bytes, value->size);
	prometheus__add_label(others, name, OTHERS, strlen(OTHERS));
}

/* "call=syscall,error": a name of a label is its member's, or stands behind it. */
static void add_chosen(const char *chosen, const char *row, size_t size, struct text_buffer *labels, struct text_buffer *others)
{
	struct taken_member member;
	char name[64];

	while (chosen && *chosen) {
		size_t length = strcspn(chosen, ","), key = strcspn(chosen, ",="), from = key < length ? key + 1 : 0;

		if (length - from < sizeof(name)) {
			memcpy(name, chosen + from, length - from);
			name[length - from] = 0;
			if (find(row, size, chosen, key, &member) && !is_null(&member.value))
				add_label(labels, others, name, &member.value);
		}
		chosen += length + (chosen[length] == ',');
	}
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static bool is_letter(char byte)
{
	return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

/* Whether the member is the number of some metric. */
static bool is_number(const struct metric_totals *totals, const struct taken *key)
{
	for (size_t i = 0; i < totals->count; i++)
		if (totals->list[i].metric->key && is_word(key, totals->list[i].metric->key, strlen(totals->list[i].metric->key)))
			return true;
	return false;
}

/* All members but the count and sums, those that are no labels, and lists.  An object's are labels of their own. */
static void add_all(const struct metric_totals *totals, const char *row, size_t size, struct text_buffer *labels,
		    struct text_buffer *others)
{
	const char *at = row, *end = row + size;
	struct taken_member member;
	char name[64];

	while (taken__next_member(&at, end, &member)) {
		if (*member.value.bytes == '{') {
			char *inner = strndup(member.value.bytes, member.value.size - 1);

			if (inner) {
				*inner = ',';
				add_all(totals, inner, member.value.size - 1, labels, others);
			}
			free(inner);
			continue;
		}
		if (*member.value.bytes == '[' || is_null(&member.value) || is_number(totals, &member.key) ||
		    member.key.size >= sizeof(name) || !metrics__is_label(member.key.bytes, member.key.size))
			continue;
		for (size_t i = 0; i < member.key.size; i++) {
			char letter = member.key.bytes[i];

			/* what a label's name may have */
			name[i] = (char)(is_digit(letter) ? i ? letter : '_' : is_letter(letter) ? letter : '_');
		}
		name[member.key.size] = 0;
		add_label(labels, others, name, &member.value);
	}
}

/* ---- adding */

static int grow(struct metric_series *series, size_t number)
{
	size_t room = series->room ? 2 * series->room : 8;
	struct prometheus_hist *hists = series->hists;
	unsigned char *states;

	if (number < series->room)
		return 0;
	states = realloc(series->states, room);
	if (!states)
		return -ENOMEM;
	series->states = states;
	if (series->metric->kind == METRIC_HIST) {
		hists = realloc(series->hists, room * sizeof(*hists));
		if (!hists)
			return -ENOMEM;
		memset(hists + series->room, 0, (room - series->room) * sizeof(*hists));
		series->hists = hists;
	}
	memset(states + series->room, SERIES_IDLE, room - series->room);
	series->room = room;
	return 0;
}

/* The series of these labels, or that of the others; *hist: its histogram, where the metric has them.  NULL without memory. */
static struct row_count *series_at(struct metric_series *series, const char *labels, size_t size, bool is_of_others,
				   struct prometheus_hist **hist)
{
	struct row_count *count = is_of_others ? &series->counts.others : row_counts__at(&series->counts, labels, size);

	series->refused += !is_of_others && count == &series->counts.others;
	*hist = &series->others_hist;
	if (count == &series->counts.others)
		return count;
	if (grow(series, count->number))
		return NULL;
	series->states[count->number] = SERIES_CHANGED;
	*hist = series->hists ? &series->hists[count->number] : NULL;
	return count;
}

/* Finds the series of a row; NULL without memory. */
static struct row_count *find_series(const struct metric_totals *totals, struct metric_series *series, const char *row, size_t size,
				     struct prometheus_hist **hist)
{
	struct text_buffer labels = text_buffer__growing(LABELS_MAX), others = text_buffer__growing(LABELS_MAX);
	bool is_of_others = is_others(row, size);
	struct row_count *count = NULL;

	text_buffer__put(&labels, totals->run_labels, strlen(totals->run_labels));
	text_buffer__put(&others, totals->run_labels, strlen(totals->run_labels));
	if (series->metric->kind == METRIC_EVENTS || series->metric->kind == METRIC_SUM)
		add_all(totals, row, size, &labels, &others);
	else
		add_chosen(series->metric->labels, row, size, &labels, &others);
	if (!is_of_others && !series->others_labels)
		series->others_labels = text_buffer__take(&others);
	if (!labels.err)
		count = series_at(series, labels.text ? labels.text : "", labels.length, is_of_others, hist);
	text_buffer__free(&labels);
	text_buffer__free(&others);
	return count;
}

int metric_totals__add_row(struct metric_totals *totals, const char *row, size_t size)
{
	for (size_t i = 0; i < totals->count; i++) {
		struct metric_series *series = &totals->list[i];
		const char *key = series->metric->key;
		struct prometheus_hist *hist;
		struct taken_member member;
		struct row_count *count;
		uint64_t value;
		int err;

		/* a column that the options do not ask for has no number */
		if (series->metric->kind == METRIC_HIST || !find(row, size, key, strlen(key), &member) || is_null(&member.value))
			continue;
		err = taken__number(&member.value, series->metric->kind == METRIC_SUM ? metric_unit__of(key)->scale : 1, &value);
		if (err)
			return -EPROTO;
		count = find_series(totals, series, row, size, &hist);
		if (!count)
			return -ENOMEM;
		count->count += value;
	}
	return 0;
}

static void add_view(struct prometheus_hist *hist, const struct hist_view *view)
{
	const struct hist_shape *shape = view->shape;

	/* a value is scaled to the unit of the rows, whose octaves are the bounds */
	hist->scale_ns = shape->bytes || shape->plain ? 0 : ((uint64_t)shape->divisor << shape->fraction) >> shape->shift;
	for (uint32_t slot = 0; slot < view->slots_count; slot++)
		if (view->slots[slot])
			prometheus_hist__add(hist, hist_view__high(view, slot), view->slots[slot]);
	hist->sum += (uint64_t)view->sum;
}

int metric_totals__add_hist(struct metric_totals *totals, const char *key, const struct hist_view *view)
{
	char *members = strdup(key ? key : "");

	if (!members)
		return -ENOMEM;
	/* the members of the object, a comma before each */
	if (*members) {
		*members = ',';
		members[strlen(members) - 1] = 0;
	}
	for (size_t i = 0; i < totals->count; i++) {
		struct metric_series *series = &totals->list[i];
		struct prometheus_hist *hist;

		if (series->metric->kind != METRIC_HIST)
			continue;
		if (!find_series(totals, series, members, strlen(members), &hist)) {
			free(members);
			return -ENOMEM;
		}
		add_view(hist, view);
	}
	free(members);
	return 0;
}

/* ---- what is gone */

static void add_hist(struct prometheus_hist *to, const struct prometheus_hist *hist)
{
	to->scale_ns = hist->scale_ns;
	to->sum += hist->sum;
	for (size_t i = 0; i <= PROMETHEUS_BOUNDS; i++)
		to->counts[i] += hist->counts[i];
}

/* A table of those that stay, in their order.  0 or -ENOMEM. */
static int keep(struct metric_series *kept, const struct metric_series *series)
{
	struct prometheus_hist *hist;

	for (size_t i = 0; i < series->counts.count; i++) {
		const struct row_count *from = &series->counts.list[i];
		struct row_count *to;

		if (series->states[i] == SERIES_MAY_BE_GONE)
			continue;
		to = series_at(kept, from->key, from->size, false, &hist);
		if (!to || to == &kept->counts.others)
			return -ENOMEM;
		to->count = from->count;
		kept->states[to->number] = series->states[i];
		if (hist)
			*hist = series->hists[i];
	}
	return 0;
}

int metric_series__fold(struct metric_series *series)
{
	struct metric_series kept = { .metric = series->metric, .counts = { .keys_max = series->counts.keys_max } };
	int err = memchr(series->states ? series->states : (unsigned char *)"", SERIES_MAY_BE_GONE, series->counts.count) ?
		keep(&kept, series) : 1;

	if (err) {
		row_counts__clear(&kept.counts);
		free(kept.hists);
		free(kept.states);
		return err < 0 ? err : 0;
	}
	kept.counts.others = series->counts.others;
	for (size_t i = 0; i < series->counts.count; i++) {
		if (series->states[i] != SERIES_MAY_BE_GONE)
			continue;
		kept.counts.others.count += series->counts.list[i].count;
		if (series->hists)
			add_hist(&series->others_hist, &series->hists[i]);
	}
	row_counts__clear(&series->counts);
	free(series->hists);
	free(series->states);
	series->counts = kept.counts;
	series->hists = kept.hists;
	series->states = kept.states;
	series->room = kept.room;
	return 0;
}

void metric_totals__written(struct metric_totals *totals)
{
	for (size_t i = 0; i < totals->count; i++)
		if (totals->list[i].states)
			memset(totals->list[i].states, SERIES_IDLE, totals->list[i].room);
}

/* ---- text */

static const char *type_of(const struct metric *metric)
{
	return metric->kind == METRIC_HIST ? "histogram" : "counter";
}

static void put_series(const struct metric_series *series, const char *labels, uint64_t value, const struct prometheus_hist *hist,
		       struct text_buffer *text)
{
	const char *name = series->metric->name;
	enum metric_kind kind = series->metric->kind;

	if (kind == METRIC_SUM)
		kind = metric_unit__of(series->metric->key)->is_time ? METRIC_TIME : METRIC_COUNT;
	switch (kind) {
	case METRIC_EVENTS:
	case METRIC_SUM:
	case METRIC_COUNT:
		prometheus__count(text, name, labels, value);
		break;
	case METRIC_TIME:
		prometheus__seconds(text, name, labels, value);
		break;
	case METRIC_HIST:
		prometheus__hist(text, name, labels, hist);
		break;
	}
}

static bool has_values(const struct prometheus_hist *hist)
{
	for (size_t i = 0; i <= PROMETHEUS_BOUNDS; i++)
		if (hist->counts[i])
			return true;
	return false;
}

static void put_metric(const struct metric_series *series, struct text_buffer *text)
{
	const struct row_counts *counts = &series->counts;

	if (!counts->count && !counts->others.count && !has_values(&series->others_hist))
		return;
	prometheus__head(text, series->metric->name, type_of(series->metric), series->metric->help);
	for (size_t i = 0; i < counts->count; i++)
		put_series(series, counts->list[i].key, counts->list[i].count, series->hists ? &series->hists[i] : NULL, text);
	if (counts->others.count || has_values(&series->others_hist))
		put_series(series, series->others_labels ? series->others_labels : "", counts->others.count, &series->others_hist, text);
}

static void put_head(unsigned int own, struct text_buffer *text)
{
	prometheus__head(text, own_metrics[own].name, own_metrics[own].type, own_metrics[own].help);
}

static void put_events(const struct metric_totals *totals, const char *result, uint64_t count, struct text_buffer *text)
{
	struct text_buffer labels = text_buffer__growing(LABELS_MAX);

	text_buffer__put(&labels, totals->own_labels, strlen(totals->own_labels));
	prometheus__add_label(&labels, "result", result, strlen(result));
	prometheus__count(text, own_metrics[OWN_EVENTS].name, labels.text ? labels.text : "", count);
	text_buffer__free(&labels);
}

void metric_totals__text(const struct metric_totals *totals, const struct tally *tally, uint64_t start_ns, bool is_up,
			 struct text_buffer *text)
{
	uint64_t refused = 0;

	for (size_t i = 0; i < totals->count; i++) {
		put_metric(&totals->list[i], text);
		refused += totals->list[i].refused;
	}
	put_head(OWN_UP, text);
	prometheus__count(text, own_metrics[OWN_UP].name, totals->own_labels, is_up);
	put_head(OWN_START, text);
	prometheus__seconds(text, own_metrics[OWN_START].name, totals->own_labels, start_ns);
	put_head(OWN_EVENTS, text);
	put_events(totals, "delivered", tally->delivered, text);
	put_events(totals, "filtered", tally->filtered.value, text);
	put_events(totals, "lost", tally->lost.value, text);
	/* 0 of an inexact count is "not known" */
	if (tally->missed.kind == COUNT_EXACT || tally->missed.value)
		put_events(totals, "missed", tally->missed.value, text);
	put_head(OWN_OTHERS, text);
	prometheus__count(text, own_metrics[OWN_OTHERS].name, totals->own_labels, refused);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "readahead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "cachestat.h"
#include "lib/print/others.h"
#include "lib/run/task_keys.h"
#include "rows.h"

static bool shows_file;

/* docs/json.md: cachestat --readahead */
const struct out_column readahead_columns[] = {
	TASK_KEY_COLUMNS,
	{ "READAHEAD", 9, NULL, NULL },
	{ "USED", 9, NULL, NULL },
	{ "DROPPED", 8, NULL, NULL },
	{ "WAITING", 8, NULL, NULL },
	{ "USED_READ", 8, &tool_not_shown, NULL },
	{ "USED_MAPPED", 8, &tool_not_shown, NULL },
	{ "USED_WRITTEN", 8, &tool_not_shown, NULL },
	{ "INODE", 8, &tool_not_shown, NULL },
	{ "DEVICE", 8, &tool_not_shown, NULL },
	{ "FILE", 0, &shows_file, NULL },
	TASK_KEY_CGROUP_COLUMNS,
	{ NULL, 0, NULL, NULL },
};

static struct {
	const struct bpf_map *map;
	bool by_age;
	bool is_over;			/* programs count no more: what waits is known */
	bool is_read;
	struct table rows;		/* of what waits: count keys and values */
	struct cachestat_counts all;
	struct hist_rough ages;
} waiting = { .rows = TABLE_NONE };

static struct hist_shape ages;

struct hist_shape readahead__ages(void)
{
	return hist_shape__of(HIST_MSECS);
}

static void end_counting(struct tool *tool)
{
	(void)tool;
	waiting.is_over = true;
}

void readahead__prepare(struct tool *tool, const struct bpf_map *map, bool by_file, bool by_age)
{
	ages = readahead__ages();
	shows_file = by_file;
	waiting.map = map;
	waiting.by_age = by_age;
	tool->detach_own = end_counting;
	tool->reads_maps = true;
	tool->rate_words = 1;
	tool->room_is_full = "more pages that were read ahead wait to be used than the tool can keep (try a larger --pages)";
}

static uint32_t slot_of(uint64_t age_ns)
{
	const struct hist_view view = hist_view__of_rough(&ages, &waiting.ages);
	uint32_t slot = 0;

	while (slot + 1 < HIST_ROUGH_SLOTS && hist_view__high(&view, slot) < age_ns)
		slot++;
	return slot;
}

static void add_waiting(size_t number, const struct ahead_folio *folio, uint64_t end_ns)
{
	struct cachestat_counts counts = { .ahead_waiting = folio->pages };
	uint64_t age_ns = end_ns > folio->added_ns ? end_ns - folio->added_ns : 0;

	memcpy(waiting.rows.keys + number * waiting.rows.key_size, &folio->key, waiting.rows.key_size);
	memcpy(waiting.rows.values + number * waiting.rows.value_size, &counts, sizeof(counts));
	waiting.all.ahead_waiting += folio->pages;
	waiting.ages.slots[slot_of(age_ns)] += folio->pages;
	waiting.ages.sum += age_ns * folio->pages;
}

/* Reads the map, once.  0 or -errno. */
static int read_waiting(uint64_t end_ns)
{
	uint32_t room = bpf_map__max_entries(waiting.map), position;
	struct ahead_key *keys = calloc(room, sizeof(*keys));
	struct ahead_folio *folios = calloc(room, sizeof(*folios));
	int err = 0;

	waiting.is_read = true;
	waiting.rows.key_size = sizeof(struct cachestat_key);
	waiting.rows.value_size = sizeof(struct cachestat_counts);
	waiting.rows.keys = calloc(room, waiting.rows.key_size);
	waiting.rows.values = calloc(room, waiting.rows.value_size);
	if (!keys || !folios || !waiting.rows.keys || !waiting.rows.values)
		err = -ENOMEM;
	else if (bpf_map_lookup_batch(bpf_map__fd(waiting.map), NULL, &position, keys, folios, &room, NULL) && errno != ENOENT)
		err = -errno;
	for (uint32_t i = 0; i < room && !err; i++)
		add_waiting(i, &folios[i], end_ns);
	free(keys);
	free(folios);
	if (!err) {
		waiting.rows.count = room;
		err = task_keys__fold(&waiting.rows);
	}
	return err;
}

static uint64_t unused(const struct cachestat_counts *counts)
{
	return counts->ahead_dropped + counts->ahead_waiting;
}

static uint64_t used(const struct cachestat_counts *counts)
{
	return counts->ahead_read + counts->ahead_mapped + counts->ahead_written;
}

static void print_row(struct tool *tool, const struct interval *interval, const struct cachestat_key *key,
		      const struct cachestat_counts *counts)
{
	struct out *out = &tool->out;

	if (!counts->ahead && !used(counts) && !unused(counts))
		return;
	out__row(out, interval->end_ns);
	task_keys__columns(out, key ? &key->task : NULL);
	out__int(out, (int64_t)counts->ahead);
	out__int(out, (int64_t)used(counts));
	out__int(out, (int64_t)counts->ahead_dropped);
	if (waiting.is_over)
		out__int(out, (int64_t)counts->ahead_waiting);
	else
		out__none(out);
	out__int(out, (int64_t)counts->ahead_read);
	out__int(out, (int64_t)counts->ahead_mapped);
	out__int(out, (int64_t)counts->ahead_written);
	cache_rows__put_file(out, key, shows_file);
	task_keys__cgroup_columns(out, key ? &key->task : NULL);
	out__end(out);
}

static void print_age(struct tool *tool, const struct interval *interval, const struct hist_rough *hist, const char *title, const char *key)
{
	const struct hist_view view = hist_view__of_rough(&ages, hist);

	interval__hist(tool, interval, &view, title, key);
}

static void print_ages(struct tool *tool, const struct interval *interval, const struct cachestat_cells *cells)
{
	print_age(tool, interval, &cells->used, "used after", "{\"fate\":\"used\"}");
	print_age(tool, interval, &cells->dropped, "dropped unused after", "{\"fate\":\"dropped\"}");
	if (waiting.is_over)
		print_age(tool, interval, &waiting.ages, "waiting for", "{\"fate\":\"waiting\"}");
}

/* Those with most pages that nobody has used first.  The number of pages that were read ahead. */
static uint64_t print_rows(struct tool *tool, const struct interval *interval, struct cache_row *rows, size_t count,
			   struct cachestat_counts *others)
{
	uint64_t counted = 0;

	cache_rows__sort(rows, count, unused);
	for (size_t i = 0; i < count; i++) {
		counted += rows[i].counts.ahead;
		if (i < tool->options.rows_max)
			print_row(tool, interval, &rows[i].key, &rows[i].counts);
		else
			cache_rows__add(others, &rows[i].counts);
	}
	return counted;
}

uint64_t readahead__print(struct tool *tool, const struct interval *interval)
{
	const struct cachestat_cells *cells = interval->cells;
	struct cachestat_counts others = cells->counts;
	uint64_t counted = others.ahead;
	struct cache_row *rows;
	size_t count;
	int err = waiting.is_over && !waiting.is_read ? read_waiting(interval->end_ns) : 0;

	if (err) {
		tool__fail(tool, err, "the pages that wait to be used cannot be read: %s", strerror(-err));
		return 0;
	}
	if (shows_file || task_keys__kind()) {
		rows = cache_rows__of(interval->table, &waiting.rows, &count);
		if (!rows) {
			tool__fail(tool, -ENOMEM, "no memory for %zu rows", interval->table->count);
			return 0;
		}
		counted += print_rows(tool, interval, rows, count, &others);
		free(rows);
	} else {
		cache_rows__add(&others, &waiting.all);
	}
	print_row(tool, interval, NULL, &others);
	if (waiting.by_age)
		print_ages(tool, interval, cells);
	return counted;
}

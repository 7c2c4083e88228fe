/* SPDX-License-Identifier: BSD-2-Clause */
/* cachestat: hits and misses of the page cache, read-ahead, and who makes pages dirty and writes them back. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/kernel.h"
#include "lib/kernel/tracefs.h"
#include "lib/probe/attach.h"
#include "lib/run/argument.h"
#include "lib/run/foreign_options.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/task_keys.h"
#include "cachestat.h"
#include "cachestat.skel.h"
#include "readahead.h"
#include "rows.h"

enum { KEY_FILE = 0x200, KEY_SORT, KEY_READAHEAD, KEY_AGE, KEY_PAGES };
enum sort { SORT_COUNT, SORT_HITS, SORT_MISSES, SORT_READAHEAD, SORT_DIRTIED, SORT_WRITTEN, SORTS };

static struct cachestat_bpf *skel;
static bool by_file, reads_ahead, by_age;
static enum sort sort;
static uint32_t pages_max;

static const struct argp_option options[] = {
	{ "readahead", KEY_READAHEAD, NULL, 0, "count pages that are read ahead: used, dropped unused, or waiting", 0 },
	{ "age", KEY_AGE, NULL, 0, "with --readahead: also histograms of how long after that they are used, or dropped, or wait", 0 },
	{ "pages", KEY_PAGES, "N", 0, "with --readahead: keep up to N pages that nobody has used (default: 65536)", 0 },
	{ "sort", KEY_SORT, "BY", 0, "with --by: the rows with most pages (the default), hits, misses, readahead, dirtied or written first", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct by_word by[] = { { "file", KEY_FILE }, { NULL, 0 } };

static const struct foreign_option foreign_options[] = {
	{ "-i", "the interval is an argument: cachestat 1" },
	{ "-D", "-v says what is attached" },
	{ "--count", "--by process,file counts by these" },
	{ "--hist", "there are no sizes or times here; fsslower --slower 0 --hist lat_ms has the times of reads" },
	{ NULL, NULL },
};

static enum sort parse_sort(const char *text)
{
	static const char *const names[SORTS] = { "count", "hits", "misses", "readahead", "dirtied", "written" };

	for (int i = 0; i < SORTS; i++)
		if (!strcmp(text, names[i]))
			return (enum sort)i;
	usage_error("--sort \"%s\": not count, hits, misses, readahead, dirtied or written", text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tool *tool = state->input;

	switch (key) {
	case KEY_READAHEAD:
		reads_ahead = true;
		tool->columns = readahead_columns;
		return 0;
	case KEY_AGE:
		by_age = true;
		return 0;
	case KEY_PAGES:
		pages_max = (uint32_t)argument__number("--pages", arg, 1, 1 << 24);
		return 0;
	case KEY_FILE:
		by_file = true;
		return 0;
	case KEY_SORT:
		sort = parse_sort(arg);
		return 0;
	case ARGP_KEY_END:
		if (tool->shape && tool->shape->linear_count)
			usage_error("--linear: there are no histograms here");
		if ((by_age || pages_max) && !reads_ahead)
			usage_error("--age and --pages need --readahead");
		if (sort != SORT_COUNT && reads_ahead)
			usage_error("--sort: with --readahead the rows with most pages that nobody has used come first");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* docs/json.md: cachestat */
static const struct out_column columns[] = {
	TASK_KEY_COLUMNS,
	{ "COUNT", 9, &tool_not_shown, NULL },
	{ "HITS", 9, NULL, NULL },
	{ "MISSES", 9, NULL, NULL },
	{ "HIT%", 6, NULL, "hit_percent" },
	{ "READAHEAD", 9, NULL, NULL },
	{ "OTHER", 8, NULL, "other_pages" },
	{ "DIRTIED", 8, NULL, NULL },
	{ "WRITTEN", 8, NULL, NULL },
	{ "READ_HITS", 8, &tool_not_shown, NULL },
	{ "READ_MISSES", 8, &tool_not_shown, NULL },
	{ "FAULT_HITS", 8, &tool_not_shown, NULL },
	{ "FAULT_MISSES", 8, &tool_not_shown, NULL },
	{ "INODE", 8, &tool_not_shown, NULL },
	{ "DEVICE", 8, &tool_not_shown, NULL },
	{ "FILE", 0, &by_file, NULL },
	TASK_KEY_CGROUP_COLUMNS,
	{ NULL, 0, NULL, NULL },
};

static uint64_t hits_of(const struct cachestat_counts *counts)
{
	return counts->read_hits + counts->fault_hits;
}

static uint64_t misses_of(const struct cachestat_counts *counts)
{
	return counts->read_misses + counts->fault_misses;
}

static uint64_t sum(const struct cachestat_counts *counts)
{
	return hits_of(counts) + misses_of(counts) + counts->readahead + counts->other + counts->dirtied + counts->written;
}

static uint64_t weigh(const struct cachestat_counts *counts)
{
	switch (sort) {
	case SORT_HITS: return hits_of(counts);
	case SORT_MISSES: return misses_of(counts);
	case SORT_READAHEAD: return counts->readahead;
	case SORT_DIRTIED: return counts->dirtied;
	case SORT_WRITTEN: return counts->written;
	default: return sum(counts);
	}
}

/* The share of the pages asked for that were in the cache; none where nothing was asked for. */
static void put_percent(struct out *out, const struct cachestat_counts *counts)
{
	uint64_t hits = hits_of(counts), all = hits + misses_of(counts);
	char text[32];

	if (!all)
		out__none(out);
	else
		out__made(out, text, (size_t)snprintf(text, sizeof(text), "%.*f", out->json ? 3 : 1, (double)hits * 100 / (double)all));
}

static void print_row(struct tool *tool, const struct interval *interval, const struct cachestat_key *key,
		      const struct cachestat_counts *counts)
{
	struct out *out = &tool->out;

	if (!sum(counts))
		return;
	out__row(out, interval->end_ns);
	task_keys__columns(out, key ? &key->task : NULL);
	out__int(out, (int64_t)sum(counts));
	out__int(out, (int64_t)hits_of(counts));
	out__int(out, (int64_t)misses_of(counts));
	put_percent(out, counts);
	out__int(out, (int64_t)counts->readahead);
	out__int(out, (int64_t)counts->other);
	out__int(out, (int64_t)counts->dirtied);
	out__int(out, (int64_t)counts->written);
	out__int(out, (int64_t)counts->read_hits);
	out__int(out, (int64_t)counts->read_misses);
	out__int(out, (int64_t)counts->fault_hits);
	out__int(out, (int64_t)counts->fault_misses);
	cache_rows__put_file(out, key, by_file);
	task_keys__cgroup_columns(out, key ? &key->task : NULL);
	out__end(out);
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	struct cachestat_counts others = ((const struct cachestat_cells *)interval->cells)->counts;
	uint64_t counted = sum(&others);
	struct cache_row *rows;
	size_t count;

	if (!by_file && !task_keys__kind()) {
		print_row(tool, interval, NULL, &others);
		return counted;
	}
	rows = cache_rows__of(interval->table, NULL, &count);
	if (!rows) {
		tool__fail(tool, -ENOMEM, "no memory for %zu rows", interval->table->count);
		return 0;
	}
	cache_rows__sort(rows, count, weigh);
	for (size_t i = 0; i < count; i++) {
		counted += sum(&rows[i].counts);
		if (i < tool->options.rows_max)
			print_row(tool, interval, &rows[i].key, &rows[i].counts);
		else
			cache_rows__add(&others, &rows[i].counts);
	}
	free(rows);
	print_row(tool, interval, NULL, &others);
	return counted;
}

/* ---- the programs */

static uint32_t page_shift(void)
{
	return (uint32_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
}

/* Before load. */
static void choose_programs(void)
{
	bool has_folios = tracefs__has_event("writeback/writeback_dirty_folio");
	bool has_splice = kernel__version() >= kernel_version(6, 5, 0);		/* filemap_splice_read() */
	bool map_has_result = kernel__version() >= kernel_version(5, 12, 0);	/* f9ce0be71d1f */

	bpf_program__set_autoload(skel->progs.map_enter, !reads_ahead);
	bpf_program__set_autoload(skel->progs.write_back, !reads_ahead);
	bpf_program__set_autoload(skel->progs.ahead_accessed, reads_ahead);
	bpf_program__set_autoload(skel->progs.ahead_mapped, reads_ahead);
	bpf_program__set_autoload(skel->progs.ahead_removed, reads_ahead);
	bpf_map__set_autocreate(skel->maps.ahead, reads_ahead);
	if (pages_max)
		bpf_map__set_max_entries(skel->maps.ahead, pages_max);
	bpf_program__set_autoload(skel->progs.folio_dirtied, has_folios);
	bpf_program__set_autoload(skel->progs.page_dirtied, !has_folios);
	bpf_program__set_autoload(skel->progs.splice_enter, has_splice);
	bpf_program__set_autoload(skel->progs.splice_exit, has_splice);
	bpf_program__set_autoload(skel->progs.map_exit, map_has_result && !reads_ahead);
	bpf_program__set_autoload(skel->progs.map_exit_void, !map_has_result && !reads_ahead);
	skel->rodata->by_file = by_file;
	skel->rodata->reads_ahead = reads_ahead;
	skel->rodata->by_age = by_age;
	skel->rodata->hist_shape = readahead__ages();
	skel->rodata->task_key_kind = task_keys__kind();
	skel->rodata->page_shift = page_shift();
	if (kernel__allocates_on_demand()) {
		bpf_map__set_map_flags(skel->maps.calls, BPF_F_NO_PREALLOC);
		bpf_map__set_map_flags(skel->maps.ahead, BPF_F_NO_PREALLOC);
	}
	if (!by_file && !task_keys__kind())
		table__leave_out(skel->obj);
}

/* The return first: a call that was seen to begin is then seen to end.  Programs that are not loaded are skipped. */
static void attach_probes(struct tool *tool)
{
	static const char *const reads[] = { "filemap_read", "generic_file_buffered_read", NULL };
	static const char *const splices[] = { "filemap_splice_read", NULL };
	static const char *const faults[] = { "filemap_fault", NULL };
	static const char *const maps[] = { "filemap_map_pages", NULL };
	static const char *const advice[] = { "generic_fadvise", NULL };
	static const char *const accesses[] = { "folio_mark_accessed", "mark_page_accessed", NULL };
	static const char *const mappings[] = { "folio_add_file_rmap_ptes", "folio_add_file_rmap_range", "page_add_file_rmap", NULL };
	static const char *const write_backs[] = { "__folio_start_writeback", "__test_set_page_writeback", NULL };
	struct attach *attach = tool->attach;

	attach__kprobe(attach, skel->progs.ahead_accessed, &skel->links.ahead_accessed, accesses);
	attach__kprobe(attach, skel->progs.ahead_mapped, &skel->links.ahead_mapped, mappings);
	attach__kprobe(attach, skel->progs.read_exit, &skel->links.read_exit, reads);
	attach__kprobe(attach, skel->progs.read_enter, &skel->links.read_enter, reads);
	attach__kprobe(attach, skel->progs.splice_exit, &skel->links.splice_exit, splices);
	attach__kprobe(attach, skel->progs.splice_enter, &skel->links.splice_enter, splices);
	attach__kprobe(attach, skel->progs.fault_exit, &skel->links.fault_exit, faults);
	attach__kprobe(attach, skel->progs.fault_enter, &skel->links.fault_enter, faults);
	attach__kprobe(attach, skel->progs.map_exit, &skel->links.map_exit, maps);
	attach__kprobe(attach, skel->progs.map_exit_void, &skel->links.map_exit_void, maps);
	attach__kprobe(attach, skel->progs.map_enter, &skel->links.map_enter, maps);
	attach__kprobe(attach, skel->progs.advise_exit, &skel->links.advise_exit, advice);
	attach__kprobe(attach, skel->progs.advise_enter, &skel->links.advise_enter, advice);
	attach__kprobe(attach, skel->progs.write_back, &skel->links.write_back, write_backs);
}

static const struct metric metrics[] = {
	{ "page_cache_hits_total", "Pages that were requested and in the page cache.", METRIC_COUNT, "hits", TASK_KEY_LABELS },
	{ "page_cache_misses_total", "Pages that were requested and not in the page cache.", METRIC_COUNT, "misses", TASK_KEY_LABELS },
	{ "page_cache_readahead_total", "Pages that were read ahead.", METRIC_COUNT, "readahead", TASK_KEY_LABELS },
	{ "page_cache_other_total", "Pages that writes and the file system added.", METRIC_COUNT, "other_pages", TASK_KEY_LABELS },
	{ "page_cache_dirtied_total", "Pages that became dirty.", METRIC_COUNT, "dirtied", TASK_KEY_LABELS },
	{ "page_cache_written_total", "Pages whose write-back began.", METRIC_COUNT, "written", TASK_KEY_LABELS },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct metric metrics_readahead[] = {
	{ "readahead_pages_total", "Pages that were read ahead.", METRIC_COUNT, "readahead", TASK_KEY_LABELS },
	{ "readahead_used_total", "Pages that were read ahead and used.", METRIC_COUNT, "used", TASK_KEY_LABELS },
	{ "readahead_dropped_total", "Pages that were read ahead and dropped unused.", METRIC_COUNT, "dropped", TASK_KEY_LABELS },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "cachestat",
	.summary = "Counts hits and misses of the page cache, read-ahead, and pages that become dirty and are written back.",
	.examples = "  sudo cachestat 1             each second\n"
		    "  sudo cachestat --by file --sort misses 10   by file\n"
		    "  sudo cachestat --by process --refresh 1     as a top\n"
		    "  sudo cachestat --by process --sort written  who writes back\n"
		    "  sudo cachestat --readahead --by file        read ahead for nothing\n",
	.options = options,
	.foreign_options = foreign_options,
	.parse = parse,
	.columns = columns,
	.counts = true,
	.by_task = true,
	.by = by,
	.keys_max = CACHESTAT_KEYS,
	.keys_on_demand = true,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach, .attach_probes = attach_probes };

	tool__parse(&tool, argc, argv);
	skel = cachestat_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel))
		choose_programs();
	tool.rate_words = CACHESTAT_WORDS;
	if (reads_ahead) {
		tool.metric_names = metrics_readahead;
		readahead__prepare(&tool, skel->maps.ahead, by_file, by_age);
	}
	tool__run_intervals(&tool, skel, reads_ahead ? readahead__print : print_interval);
	cachestat_bpf__destroy(skel);
	return tool__finish(&tool);
}

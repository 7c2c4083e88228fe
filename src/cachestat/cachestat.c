/* SPDX-License-Identifier: BSD-2-Clause */
/* cachestat: hits and misses of the page cache, read-ahead, and who makes pages dirty and writes them back. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/kernel/kernel.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/others.h"
#include "lib/probe/attach.h"
#include "lib/run/foreign_options.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/task_keys.h"
#include "cachestat.h"
#include "cachestat.skel.h"

#define MINOR_BITS 20		/* of the kernel's own dev_t */

enum { KEY_FILE = 0x200, KEY_SORT };
enum sort { SORT_COUNT, SORT_HITS, SORT_MISSES, SORT_READAHEAD, SORT_DIRTIED, SORT_WRITTEN, SORTS };

static struct cachestat_bpf *skel;
static bool by_file;
static enum sort sort;

static const struct argp_option options[] = {
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
	const struct tool *tool = state->input;

	switch (key) {
	case KEY_FILE:
		by_file = true;
		return 0;
	case KEY_SORT:
		sort = parse_sort(arg);
		return 0;
	case ARGP_KEY_END:
		if (tool->shape && tool->shape->linear_count)
			usage_error("--linear: there are no histograms here");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

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

static uint64_t weigh(const void *value)
{
	const struct cachestat_counts *counts = value;

	switch (sort) {
	case SORT_HITS: return hits_of(counts);
	case SORT_MISSES: return misses_of(counts);
	case SORT_READAHEAD: return counts->readahead;
	case SORT_DIRTIED: return counts->dirtied;
	case SORT_WRITTEN: return counts->written;
	default: return sum(counts);
	}
}

static void add(struct cachestat_counts *to, const struct cachestat_counts *counts)
{
	const __u64 *words = (const __u64 *)counts;

	for (size_t i = 0; i < CACHESTAT_WORDS; i++)
		((__u64 *)to)[i] += words[i];
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

/* key: NULL for the others, and where nothing is counted by. */
static void put_file(struct out *out, const struct cachestat_key *key)
{
	char text[48];
	size_t size;

	if (!by_file || !key) {
		out__none(out);
		out__none(out);
		if (by_file && !task_keys__kind())
			out__path(out, OTHERS, strlen(OTHERS), 0);
		else
			out__no_path(out);
		return;
	}
	out__int(out, (int64_t)key->inode);
	size = (size_t)snprintf(text, sizeof(text), "%u:%u", key->device >> MINOR_BITS, key->device & ((1u << MINOR_BITS) - 1));
	if (key->device)
		out__string(out, text, size);
	else
		out__none(out);
	if (*key->name) {
		out__path(out, key->name, strnlen(key->name, sizeof(key->name)), key->is_cut);
		return;
	}
	if (out->json) {
		out__no_path(out);
		return;
	}
	if (key->device)
		size = (size_t)snprintf(text, sizeof(text), "[device %u:%u]", key->device >> MINOR_BITS,
					key->device & ((1u << MINOR_BITS) - 1));
	else
		size = (size_t)snprintf(text, sizeof(text), "[inode %llu]", (unsigned long long)key->inode);
	out__path(out, text, size, 0);
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
	put_file(out, key);
	task_keys__cgroup_columns(out, key ? &key->task : NULL);
	out__end(out);
}

/* ---- rows of one file, which hooks that know its name and others that do not have made */

struct row {
	struct cachestat_key key;
	struct cachestat_counts counts;
};

static int compare_files(const struct cachestat_key *a, const struct cachestat_key *b)
{
	int order = memcmp(&a->task, &b->task, sizeof(a->task));

	if (!order && a->dev != b->dev)
		order = a->dev < b->dev ? -1 : 1;
	if (!order && a->inode != b->inode)
		order = a->inode < b->inode ? -1 : 1;
	return order;
}

/* The name first that is there. */
static int compare_rows(const void *a, const void *b)
{
	const struct cachestat_key *first = &((const struct row *)a)->key, *second = &((const struct row *)b)->key;
	int order = compare_files(first, second);

	return order ? order : memcmp(second->name, first->name, sizeof(first->name));
}

/* The rows of a table with one for each file; *count of them.  NULL without memory. */
static struct row *rows_of(const struct table *table, size_t *count)
{
	struct row *rows = calloc(table->count + 1, sizeof(*rows));
	size_t used = 0;

	if (!rows)
		return NULL;
	for (size_t i = 0; i < table->count; i++) {
		memcpy(&rows[i].key, table__key(table, i), sizeof(rows[i].key));
		memcpy(&rows[i].counts, table__value(table, i), sizeof(rows[i].counts));
	}
	qsort(rows, table->count, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < table->count; i++) {
		if (used && !compare_files(&rows[used - 1].key, &rows[i].key)) {
			add(&rows[used - 1].counts, &rows[i].counts);
			rows[used - 1].key.device |= rows[i].key.device;
		} else {
			rows[used++] = rows[i];
		}
	}
	*count = used;
	return rows;
}

static int compare_weights(const void *a, const void *b)
{
	uint64_t first = weigh(&((const struct row *)a)->counts), second = weigh(&((const struct row *)b)->counts);

	return first == second ? compare_rows(a, b) : first < second ? 1 : -1;
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	struct cachestat_counts others = *(const struct cachestat_counts *)interval->cells;
	uint64_t counted = sum(&others);
	struct row *rows;
	size_t count;

	if (!by_file && !task_keys__kind()) {
		print_row(tool, interval, NULL, &others);
		return counted;
	}
	rows = rows_of(interval->table, &count);
	if (!rows) {
		tool__fail(tool, -ENOMEM, "no memory for %zu rows", interval->table->count);
		return 0;
	}
	qsort(rows, count, sizeof(*rows), compare_weights);
	for (size_t i = 0; i < count; i++) {
		counted += sum(&rows[i].counts);
		if (i < tool->options.rows_max)
			print_row(tool, interval, &rows[i].key, &rows[i].counts);
		else
			add(&others, &rows[i].counts);
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

	bpf_program__set_autoload(skel->progs.folio_dirtied, has_folios);
	bpf_program__set_autoload(skel->progs.page_dirtied, !has_folios);
	bpf_program__set_autoload(skel->progs.splice_enter, has_splice);
	bpf_program__set_autoload(skel->progs.splice_exit, has_splice);
	bpf_program__set_autoload(skel->progs.map_exit, map_has_result);
	bpf_program__set_autoload(skel->progs.map_exit_void, !map_has_result);
	skel->rodata->by_file = by_file;
	skel->rodata->task_key_kind = task_keys__kind();
	skel->rodata->page_shift = page_shift();
	if (kernel__allocates_on_demand())
		bpf_map__set_map_flags(skel->maps.calls, BPF_F_NO_PREALLOC);
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
	static const char *const write_backs[] = { "__folio_start_writeback", "__test_set_page_writeback", NULL };
	struct attach *attach = tool->attach;

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

static const struct tool_about about = {
	.name = "cachestat",
	.summary = "Counts hits and misses of the page cache, read-ahead, and pages that become dirty and are written back.",
	.examples = "  sudo cachestat 1             each second\n"
		    "  sudo cachestat --by file --sort misses 10   by file\n"
		    "  sudo cachestat --by process --refresh 1     as a top\n"
		    "  sudo cachestat --by process --sort written  who writes back\n",
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
	tool__run_intervals(&tool, skel, print_interval);
	cachestat_bpf__destroy(skel);
	return tool__finish(&tool);
}

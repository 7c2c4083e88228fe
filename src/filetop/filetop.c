/* SPDX-License-Identifier: BSD-2-Clause */
/* filetop: which files are read and written most, and by whom. */
#include <string.h>

#include "lib/print/others.h"
#include "lib/probe/attach.h"
#include "lib/run/file_ops.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/ranking.h"
#include "lib/run/task_keys.h"
#include "filetop.h"
#include "filetop.skel.h"

enum { KEY_FILES = 0x200, KEY_FS, KEY_SORT };
enum sort { SORT_BYTES, SORT_READS, SORT_WRITES, SORT_READ_BYTES, SORT_WRITTEN_BYTES, SORTS };

static bool by_file, by_fs;
static enum sort sort;

static const struct argp_option options[] = {
	{ "files", KEY_FILES, NULL, 0, "by file alone, not by process", 0 },
	{ "sort", KEY_SORT, "BY", 0, "the rows with most bytes (the default), reads, writes, rbytes or wbytes first", 0 },
	FILE_OPS_OPTIONS,
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct by_word by[] = { { "file", KEY_FILES }, { "fs", KEY_FS }, { NULL, 0 } };

static const struct foreign_option foreign_options[] = {
	FILE_OPS_FOREIGN_OPTIONS,
	{ "-a", "all regular files are shown, and nothing else is" },
	{ "-C", "--refresh clears the screen, and nothing else does" },
	{ "-s", "--sort BY: bytes, reads, writes, rbytes, wbytes" },
	{ "--count", "fsslower --slower 0 --count COLUMN,... counts operations by any columns" },
	{ "--hist", "fsslower --slower 0 --hist bytes --count COLUMN,... has their sizes" },
	{ NULL, NULL },
};

static enum sort parse_sort(const char *text)
{
	static const char *const names[SORTS] = { "bytes", "reads", "writes", "rbytes", "wbytes" };

	for (int i = 0; i < SORTS; i++)
		if (!strcmp(text, names[i]))
			return (enum sort)i;
	usage_error("--sort \"%s\": not bytes, reads, writes, rbytes or wbytes", text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct tool *tool = state->input;

	switch (key) {
	case KEY_FILES:
		by_file = by_fs = true;
		return 0;
	case KEY_FS:
		by_fs = true;
		return 0;
	case KEY_SORT:
		sort = parse_sort(arg);
		return 0;
	case ARGP_KEY_END:
		if (!by_fs && !task_keys__kind()) {
			by_file = by_fs = true;
			task_keys__set(TASK_KEY_PROCESS, "process");
		}
		if (tool->shape && tool->shape->linear_count)
			usage_error("--linear: there are no histograms here");
		return 0;
	default:
		return file_ops__parse(key, arg) ? 0 : ARGP_ERR_UNKNOWN;
	}
}

static const struct out_column columns[] = {
	TASK_KEY_COLUMNS,
	{ "COUNT", 8, &tool_not_shown, NULL },
	{ "READS", 8, NULL, NULL },
	{ "WRITES", 8, NULL, NULL },
	{ "R_KB", 9, NULL, "read_bytes" },
	{ "W_KB", 9, NULL, "written_bytes" },
	{ "FS", -8, &by_fs, "fstype" },
	{ "INODE", 8, &tool_not_shown, NULL },
	{ "FILE", 0, &by_file, NULL },
	TASK_KEY_CGROUP_COLUMNS,
	{ NULL, 0, NULL, NULL },
};

/* key: NULL for the others, which are named where no task is. */
static void put_file(struct out *out, const struct filetop_key *key)
{
	bool names_others = !key && !task_keys__kind();

	if (by_fs && key)
		out__string(out, key->fs, sizeof(key->fs));
	else if (names_others && !by_file)
		out__string(out, OTHERS, sizeof(OTHERS));
	else
		out__none(out);
	if (by_file && key) {
		out__int(out, (int64_t)key->inode);
		out__path(out, key->name, strnlen(key->name, sizeof(key->name)), key->is_cut);
	} else {
		out__none(out);
		if (names_others && by_file)
			out__path(out, OTHERS, strlen(OTHERS), 0);
		else
			out__no_path(out);
	}
}

/* key: NULL for the others. */
static void print_row(struct tool *tool, const struct interval *interval, const void *of, const void *value)
{
	const struct filetop_counts *counts = value;
	const struct filetop_key *key = of;
	struct out *out = &tool->out;

	if (!counts->reads && !counts->writes)
		return;
	out__row(out, interval->end_ns);
	task_keys__columns(out, key ? &key->task : NULL);
	out__int(out, (int64_t)(counts->reads + counts->writes));
	out__int(out, (int64_t)counts->reads);
	out__int(out, (int64_t)counts->writes);
	out__kilobytes(out, counts->read_bytes);
	out__kilobytes(out, counts->written_bytes);
	put_file(out, key);
	task_keys__cgroup_columns(out, key ? &key->task : NULL);
	out__end(out);
}

static uint64_t weigh(const void *value)
{
	const struct filetop_counts *counts = value;

	switch (sort) {
	case SORT_READS: return counts->reads;
	case SORT_WRITES: return counts->writes;
	case SORT_READ_BYTES: return counts->read_bytes;
	case SORT_WRITTEN_BYTES: return counts->written_bytes;
	default: return counts->read_bytes + counts->written_bytes;
	}
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct ranked_rows rows = { sizeof(struct filetop_counts) / sizeof(uint64_t), weigh, print_row };
	struct filetop_counts others = *(const struct filetop_counts *)interval->cells, all = { 0 };

	ranking__print(tool, interval, interval->table, &rows, &others, &all);
	return all.reads + all.writes;
}

static const struct metric metrics[] = {
	{ "file_reads_total", "Reads of files.", METRIC_COUNT, "reads", TASK_KEY_LABELS ",fstype" },
	{ "file_writes_total", "Writes of files.", METRIC_COUNT, "writes", TASK_KEY_LABELS ",fstype" },
	{ "file_read_bytes_total", "Bytes that were read from files.", METRIC_COUNT, "read_bytes", TASK_KEY_LABELS ",fstype" },
	{ "file_written_bytes_total", "Bytes that were written to files.", METRIC_COUNT, "written_bytes", TASK_KEY_LABELS ",fstype" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "filetop",
	.summary = "Counts reads and writes of files, and the bytes that they move, by process and file.",
	.examples = "  sudo filetop                  until Ctrl-C\n"
		    "  sudo filetop --refresh 1      as a top, each second\n"
		    "  sudo filetop --files --sort wbytes 5    those written to most\n"
		    "  sudo filetop --by unit        by systemd unit, all its files added up\n"
		    "  sudo filetop -n postgres --fs ext4      one program on ext4\n",
	.options = options,
	.foreign_options = foreign_options,
	.parse = parse,
	.columns = columns,
	.counts = true,
	.by_task = true,
	.by = by,
	.keys_max = FILETOP_KEYS,
	.keys_on_demand = true,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach, .attach_probes = file_ops__attach };
	struct filetop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = filetop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->task_key_kind = task_keys__kind();
		skel->rodata->by_file = by_file;
		skel->rodata->by_fs = by_fs;
		file_ops__prepare(&tool);
	}
	tool__run_intervals(&tool, skel, print_interval);
	filetop_bpf__destroy(skel);
	return tool__finish(&tool);
}

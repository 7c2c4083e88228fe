/* SPDX-License-Identifier: BSD-2-Clause */
/* fsdist: how long reads, writes, opens and syncs of files take. */
#include <stdio.h>

#include "lib/probe/attach.h"
#include "lib/run/file_ops.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/task_keys.h"
#include "fsdist.h"
#include "fsdist.skel.h"

enum { KEY_OP = 0x200 };

static bool asked_by_op;

static const struct argp_option options[] = {
	FILE_OPS_OPTIONS,
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct by_word by[] = { { "op", KEY_OP }, { NULL, 0 } };

static const struct foreign_option foreign_options[] = {
	FILE_OPS_FOREIGN_OPTIONS,
	{ "--count", "fsslower --slower 0 --count COLUMN,... counts operations by any columns" },
	{ "--hist", "fsslower --slower 0 --hist lat --count COLUMN,... has a histogram for each" },
	{ NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)state;
	if (key == KEY_OP) {
		asked_by_op = true;
		return 0;
	}
	return file_ops__parse(key, arg) ? 0 : ARGP_ERR_UNKNOWN;
}

static bool by_op(void)
{
	return asked_by_op || !task_keys__kind();
}

/* "op = read, unit = cron.service" */
static void describe_key(const struct tool *tool, const void *data, struct interval_key *to)
{
	const struct fsdist_key *key = data;
	char text[32], json[32];

	task_keys__describe(tool, &key->task, to);
	if (!by_op())
		return;
	snprintf(text, sizeof(text), "op = %s", file_op__name((unsigned int)key->op));
	snprintf(json, sizeof(json), "\"op_name\":\"%s\"", file_op__name((unsigned int)key->op));
	interval_key__before(to, text, json);
}

static uint64_t print_by_task(struct tool *tool, const struct interval *interval)
{
	const struct fsdist_counts *counts = interval->cells;
	struct hist_rough others = { .sum = 0 };

	for (unsigned int op = 0; op < FILE_OPS; op++)
		interval__add_hist(&others, &counts[op].others);
	return interval__hists(tool, interval, &others, describe_key);
}

/* A histogram for each operation that there was. */
static uint64_t print_by_op(struct tool *tool, const struct interval *interval)
{
	const struct fsdist_counts *counts = interval->cells;
	uint64_t counted = 0;

	for (unsigned int op = 0; op < FILE_OPS; op++) {
		struct hist_view times = hist_view__of(tool->shape, &counts[op].times);
		char title[32], key[32];

		snprintf(title, sizeof(title), "op = %s", file_op__name(op));
		snprintf(key, sizeof(key), "{\"op_name\":\"%s\"}", file_op__name(op));
		interval__hist(tool, interval, &times, title, key);
		counted += hist_view__count(&times);
	}
	return counted;
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	return task_keys__kind() ? print_by_task(tool, interval) : print_by_op(tool, interval);
}

static const struct metric metrics[] = {
	{ "file_operation_seconds", "How long reads, writes, opens and syncs of files took.", METRIC_HIST, NULL, "op_name=op," TASK_KEY_LABELS },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "fsdist",
	.summary = "Counts how long reads, writes, opens and syncs of files take, on any file system.",
	.examples = "  sudo fsdist            until Ctrl-C\n"
		    "  sudo fsdist -T 1 10    each second, ten times\n"
		    "  sudo fsdist --by op,unit    by operation and systemd unit\n"
		    "  sudo fsdist --fs ext4 -n postgres    one program on one type of file system\n",
	.options = options,
	.foreign_options = foreign_options,
	.parse = parse,
	.ready = "Counting operations on files. Ctrl-C ends it.",
	.counts = true,
	.by_task = true,
	.by = by,
	.keys_max = FSDIST_KEYS,
	.has_result = true,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(HIST_USECS);
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .shape = &shape, .attach = &attach, .attach_probes = file_ops__attach };
	struct fsdist_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = fsdist_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		file_ops__prepare(&tool);
		skel->rodata->task_key_kind = task_keys__kind();
		skel->rodata->by_op = by_op();
		if (!task_keys__kind())
			table__leave_out(skel->obj);
	}
	tool__run_intervals(&tool, skel, print_interval);
	fsdist_bpf__destroy(skel);
	return tool__finish(&tool);
}

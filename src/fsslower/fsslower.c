/* SPDX-License-Identifier: BSD-2-Clause */
/* fsslower: reads, writes, opens and syncs of files that took long. */
#include <string.h>

#include "lib/print/error.h"
#include "lib/probe/attach.h"
#include "lib/run/argument.h"
#include "lib/run/file_ops.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "lib/stacks/row_stacks.h"
#include "fsslower.h"
#include "fsslower.skel.h"

static uint64_t min_ns = FSSLOWER_MIN_MS * 1000000ull;

enum { KEY_SLOWER = 0x200 };

static const struct argp_option options[] = {
	{ "slower", KEY_SLOWER, "TIME", 0, "operations of TIME or more: 500us, 2s, 0 for all (default 10ms)", 0 },
	FILE_OPS_OPTIONS,
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	FILE_OPS_FOREIGN_OPTIONS,
	{ NULL, NULL },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "OP", -5, NULL, "op_name" },
	TOOL_ERROR_COLUMNS,
	{ "BYTES", 9, NULL, NULL },
	{ "LAT(ms)", 10, NULL, "lat_ms" },
	{ "FD", 3, &tool_not_shown, NULL },
	{ "VIA", -8, &tool_not_shown, NULL },
	{ "FS", -8, NULL, "fstype" },
	{ "FILE", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case KEY_SLOWER:
		min_ns = argument__time("--slower", arg);
		return 0;
	default:
		return file_ops__parse(key, arg) ? 0 : ARGP_ERR_UNKNOWN;
	}
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct fsslower_event *event = data;
	const char *op = file_op__name(event->op), *via = file_via__name(event->via);
	struct out *out = &tool->out;

	tool->stack_ns = event->task.ts_ns - (event->via == FILE_VIA_CALL ? 0 : event->latency_ns);
	tool__row(tool, &event->task);
	out__string(out, op, strlen(op));
	error__columns(out, event->result < 0 ? (int)-event->result : 0);
	if (event->result >= 0 && (event->op == FILE_READ || event->op == FILE_WRITE))
		out__int(out, event->result);
	else
		out__none(out);
	out__milliseconds(out, event->latency_ns / 1000);
	if (event->fd < 0 && event->via != FILE_VIA_CALL)
		out__none(out);
	else
		out__int(out, event->fd);
	out__string(out, via, strlen(via));
	if (*event->fs)
		out__string(out, event->fs, sizeof(event->fs));
	else
		out__none(out);
	if (event->is_closed)
		out__no_path(out);
	else if (event->file_size)
		out__path(out, event->file, event->file_size, 0);
	else
		out__path(out, NULL, 0, 0);
}

/* What of an event says something: the room behind the name does not. */
static size_t used(const void *data)
{
	const struct fsslower_event *event = data;

	return offsetof(struct fsslower_event, file) + event->file_size;
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct fsslower_event *event = data;

	return record__is_result(event->result) && event->file_size <= FILE_NAME_SIZE && used(event) <= size;
}

static const struct tool_about about = {
	.name = "fsslower",
	.summary = "Shows reads, writes, opens and syncs of files that took 10 ms or more, on any file system.",
	.examples = "  sudo fsslower                         10 ms and more\n"
		    "  sudo fsslower --slower 1ms -n postgres\n"
		    "  sudo fsslower --slower 0 --fs ext4    all, on ext4\n"
		    "  sudo fsslower --count comm,file 5     whose and which files are slow\n",
	.options = options,
	.foreign_options = foreign_options,
	.parse = parse,
	.columns = columns,
	ROW_STACKS_BEFORE(ROW_STACK_USER),
	.has_result = true,
	RECORDS(fsslower, offsetof(struct fsslower_event, file), .is_intact = is_intact, .used = used),
	.metrics = METRIC_OF_ROWS("slow_file_operations_total", "Reads, writes, opens and syncs of files that took longer than the tool's limit."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct fsslower_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = fsslower_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->min_ns = min_ns;
		file_ops__prepare(&tool);
		tool__load(&tool);
		file_ops__attach(&tool);
	}
	tool__run(&tool, skel, print_event);
	fsslower_bpf__destroy(skel);
	return tool__finish(&tool);
}

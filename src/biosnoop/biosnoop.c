/* SPDX-License-Identifier: BSD-2-Clause */
/* biosnoop: block requests: whose they are, where they go, how long they waited, how long the disk took, how they ended. */
#include <stdio.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/block.h"
#include "lib/print/error.h"
#include "lib/probe/attach.h"
#include "lib/run/blocks.h"
#include "lib/run/counting.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/stacked_disks.h"
#include "lib/stacks/row_stacks.h"
#include "biosnoop.h"
#include "biosnoop.skel.h"

static const struct argp_option options[] = {
	BLOCKS_OPTIONS,
	/* bcc's word for a column that is always there */
	{ "queue", 'Q', NULL, OPTION_HIDDEN, NULL, 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "DISK", -9, NULL, NULL },
	{ "T", -1, NULL, "op_name" },
	{ "OP", 0, &tool_not_shown, NULL },
	{ "SECTOR", 11, NULL, NULL },
	{ "BYTES", 8, NULL, NULL },
	{ "PATTERN", -10, &tool_not_shown, NULL },
	{ "QUE(ms)", 9, NULL, "queue_ms" },
	{ "LAT(ms)", 9, NULL, "lat_ms" },
	TOOL_ERROR_COLUMNS,
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "SECTOR", "QUE(ms)", NULL };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)state;
	if (key == 'Q')
		return 0;
	return blocks__parse(key, arg) ? 0 : ARGP_ERR_UNKNOWN;
}

/* A letter, in JSON the word; or the number, as text, where the kernel's releases differ. */
static void print_op(struct out *out, uint32_t op)
{
	const char *name = out->json ? block__op(op) : block__op_letter(op);
	char number[16];

	if (name)
		out__string(out, name, strlen(name));
	else if (out->json)
		out__none(out);
	else
		out__string(out, number, (size_t)snprintf(number, sizeof(number), "%u", op));
	out__int(out, op);
}

/* As error__columns(), but for a status whose meaning is not known. */
static void print_error(struct out *out, int32_t status)
{
	int error = block__error(status);
	char number[24];

	if (error >= 0) {
		error__columns(out, error);
		return;
	}
	out__none(out);
	out__string(out, number, (size_t)snprintf(number, sizeof(number), "status %d", status));
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct biosnoop_event *event = data;
	struct out *out = &tool->out;

	(void)size;
	/* when it was made */
	tool->stack_ns = event->task.ts_ns - event->served_ns - event->queued_ns;
	tool__row(tool, &event->task);
	if (*event->disk)
		out__string(out, event->disk, sizeof(event->disk));
	else
		out__none(out);
	print_op(out, event->op);
	/* a flush has none: (sector_t)-1 */
	if (event->sector == UINT64_MAX)
		out__none(out);
	else
		out__int(out, (int64_t)event->sector);
	out__int(out, event->bytes);
	if (event->order == BLOCK_NO_ORDER)
		out__none(out);
	else
		out__string(out, event->order == BLOCK_RANDOM ? "random" : "sequential", sizeof("sequential"));
	out__milliseconds(out, event->queued_ns / 1000);
	out__milliseconds(out, event->served_ns / 1000);
	print_error(out, event->status);
}

/*
 * What tells who asks for a request: block_io_start, or where the kernel does not have it, two others.  What sees it completed: with
 * --disk a program that reads more of it.
 */
static void choose_programs(const struct tool *tool, struct biosnoop_bpf *skel)
{
	bool has_io_start = tracefs__has_event_since("block/block_io_start", kernel_version(6, 5, 0));

	skel->rodata->has_io_start = has_io_start;
	skel->rodata->with_order = tool->out.json || counting__is_by(tool, "pattern");
	bpf_map__set_autocreate(skel->maps.ends, skel->rodata->with_order);
	bpf_program__set_autoload(skel->progs.io_start, has_io_start);
	bpf_program__set_autoload(skel->progs.insert, !has_io_start);
	bpf_program__set_autoload(skel->progs.getrq, !has_io_start);
	bpf_program__set_autoload(skel->progs.end_complete, !blocks__have_disk());
	bpf_program__set_autoload(skel->progs.end_complete_any, blocks__have_disk());
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct biosnoop_event *event = data;

	(void)size;
	return record__is_result(event->status);
}

static const struct tool_about about = {
	.name = "biosnoop",
	.summary = "Shows block requests: whose they are, where they go, how long they waited and the disk took, how they ended.",
	.examples = "  sudo biosnoop               every request on the system\n"
		    "  sudo biosnoop --disk sda -T those to one disk, with times\n"
		    "  sudo biosnoop -n postgres   those that postgres asked for\n"
		    "  sudo biosnoop -x            those that failed\n"
		    "  sudo biosnoop --stack       and how the kernel came to ask for each\n"
		    "  sudo biotop                 by process, as a top\n",
	.options = options,
	.parse = parse,
	.foreign_options = blocks_foreign_options,
	.columns = columns,
	.spare = spare,
	ROW_STACKS_BEFORE(ROW_STACK_KERNEL | ROW_STACK_USER),
	.has_result = true,
	.room_option = "--requests",
	RECORDS(biosnoop, sizeof(struct biosnoop_event), .is_intact = is_intact),
	.metrics = METRIC_OF_ROWS("block_requests_total", "Requests to block devices that were completed."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct biosnoop_bpf *skel;

	blocks__see_bios();
	tool__parse(&tool, argc, argv);
	skel = biosnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		blocks__prepare(&tool);
		choose_programs(&tool, skel);
		tool__load(&tool);
		blocks__attach(&tool);
	}
	tool__run(&tool, skel, print_event);
	biosnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

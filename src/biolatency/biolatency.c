/* SPDX-License-Identifier: BSD-2-Clause */
/* biolatency: how long block requests take, and wait before. */
#include <string.h>

#include "lib/print/block.h"
#include "lib/print/text.h"
#include "lib/probe/attach.h"
#include "lib/run/blocks.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/task_keys.h"
#include "biolatency.h"
#include "biolatency.skel.h"

static bool with_queue, queue_apart, by_disk, by_flags;
static uint64_t no_start;

static const struct argp_option options[] = {
	{ "queued", 'Q', NULL, 0, "with the time before the driver got the request", 0 },
	{ "apart", 'A', NULL, 0, "two histograms: before the driver got the request, and the disk's time", 0 },
	{ "disks", 'D', NULL, 0, "a histogram for each disk", 0 },
	{ "flags", 'F', NULL, 0, "a histogram for each operation and its flags", 0 },
	BLOCKS_OPTIONS,
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct by_word by[] = { { "disk", 'D' }, { "flags", 'F' }, { NULL, 0 } };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct tool *tool = state->input;

	switch (key) {
	case 'Q':
		with_queue = true;
		return 0;
	case 'A':
		queue_apart = true;
		return 0;
	case 'D':
		by_disk = true;
		return 0;
	case 'F':
		by_flags = true;
		return 0;
	case ARGP_KEY_END:
		if (with_queue && queue_apart)
			usage_error("-Q and -A exclude each other");
		if ((by_disk || by_flags) && queue_apart)
			usage_error("-A and -D or -F exclude each other");
		if ((by_disk || by_flags) && tool->shape->linear_count)
			usage_error("--linear and -D or -F exclude each other");
		return 0;
	default:
		return blocks__parse(key, arg) ? 0 : ARGP_ERR_UNKNOWN;
	}
}

/* "write, sync, fua"; in JSON "op":1,"op_name":"write","flags_names":"sync|fua" */
static void describe_flags(const struct biolatency_key *key, struct text_buffer *text, struct text_buffer *json)
{
	const char *op = block__op(key->op), *between = "";

	if (op) {
		text_buffer__add(text, "%s", op);
		text_buffer__add(json, "\"op\":%u,\"op_name\":\"%s\"", key->op, op);
	} else {
		text_buffer__add(text, "operation %u", key->op);
		text_buffer__add(json, "\"op\":%u,\"op_name\":null", key->op);
	}
	text_buffer__add(json, ",\"flags_names\":\"");
	for (uint32_t flag = 1; flag < 1 << BLOCK_FLAGS; flag <<= 1) {
		if (!(key->flags & flag))
			continue;
		text_buffer__add(text, ", %s", block__flag(flag));
		text_buffer__add(json, "%s%s", between, block__flag(flag));
		between = "|";
	}
	text_buffer__add(json, "\"");
}

static void describe_key(const struct tool *tool, const void *data, struct interval_key *to)
{
	const struct biolatency_key *key = data;
	struct text_buffer text = text_buffer__fixed(to->text, sizeof(to->text));
	struct text_buffer json = text_buffer__fixed(to->json, sizeof(to->json));
	char escaped[TEXT_ESCAPED_MAX(DISK_NAME_LEN) + 1], quoted[TEXT_QUOTED_MAX(DISK_NAME_LEN) + 1];
	size_t size = strnlen(key->disk, sizeof(key->disk)), characters;
	bool valid;

	*text__escape(escaped, key->disk, size, &characters) = 0;
	*text__quote(quoted, key->disk, size, &valid) = 0;
	text_buffer__add(&json, "{");
	if (by_disk) {
		text_buffer__add(&text, "disk = %s%s", size ? escaped : "-", by_flags ? ", " : "");
		text_buffer__add(&json, "\"disk\":%s%s", size ? quoted : "null", by_flags ? "," : "");
	}
	if (by_flags) {
		text_buffer__add(&text, "flags = ");
		describe_flags(key, &text, &json);
	}
	text_buffer__add(&json, "}");
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct biolatency_counts *counts = interval->cells;
	struct hist_view times = hist_view__of(tool->shape, &counts->times), queued = hist_view__of(tool->shape, &counts->queued);

	if (by_disk || by_flags)
		return interval__hists(tool, interval, &counts->others, describe_key);
	if (queue_apart) {
		interval__hist(tool, interval, &queued, "queued: before the driver got them", "{\"phase\":\"queued\"}");
		interval__hist(tool, interval, &times, "served: from then on", "{\"phase\":\"served\"}");
	} else {
		interval__hist(tool, interval, &times, NULL, NULL);
	}
	return hist_view__count(&times);
}

static void add_interval(const struct tool *tool, const struct interval *interval)
{
	(void)tool;
	no_start += ((const struct biolatency_counts *)interval->cells)->no_start;
}

static void report_no_start(const struct tool *tool)
{
	(void)tool;
	if (no_start)
		say("%llu requests do not have the time at which they were made: their time before the driver got them counts as 0 (it needs "
		    "queue/iostats of the disk, or a scheduler)", (unsigned long long)no_start);
}

/* Which of two programs: those for all options read more of a request (biolatency.bpf.c). */
static void choose_programs(struct biolatency_bpf *skel)
{
	bool any = blocks__have_disk() || with_queue || queue_apart || by_disk || by_flags;
	bool sees_issue = bpf_program__autoload(skel->progs.begin_issue);

	bpf_program__set_autoload(skel->progs.begin_issue, sees_issue && !any);
	bpf_program__set_autoload(skel->progs.begin_issue_any, sees_issue && any);
	bpf_program__set_autoload(skel->progs.end_complete, !any);
	bpf_program__set_autoload(skel->progs.end_complete_any, any);
}

static const struct metric metrics[] = {
	{ "block_io_seconds", "How long requests to block devices took.", METRIC_HIST, NULL, "disk,op_name=op,flags_names=flags,phase" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "biolatency",
	.summary = "Counts how long block requests take.",
	.examples = "  sudo biolatency            until Ctrl-C\n"
		    "  sudo biolatency -T 1 10    each second, ten times\n"
		    "  sudo biolatency -D 5       by disk, each five seconds\n"
		    "  sudo biolatency -A         waiting and the disk's own time apart\n"
		    "  sudo biolatency -F --disk sda    reads and writes of one disk, by flags\n",
	.options = options,
	.parse = parse,
	.foreign_options = blocks_foreign_options,
	.ready = "Counting block requests. Ctrl-C ends it.",
	.counts = true,
	.by = by,
	.no_task = "a request is completed in any task that the interrupt hits (biosnoop shows who asked)",
	.keys_max = BIOLATENCY_KEYS,
	.room_option = "--requests",
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(HIST_USECS);
	struct attach attach = { 0 };
	struct tool tool = {
		.about = &about,
		.attach = &attach,
		.attach_probes = blocks__attach,
		.shape = &shape,
		.add_interval = add_interval,
		.before_summary = report_no_start,
	};
	struct biolatency_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = biolatency_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		uint32_t requests_default = bpf_map__max_entries(skel->maps.calls);

		blocks__prepare(&tool);
		/* who asks for little room gets no more */
		skel->rodata->with_slots = bpf_map__max_entries(skel->maps.calls) >= requests_default;
		bpf_map__set_autocreate(skel->maps.slots, skel->rodata->with_slots);
		skel->rodata->with_queue = with_queue;
		skel->rodata->queue_apart = queue_apart;
		skel->rodata->by_disk = by_disk;
		skel->rodata->by_flags = by_flags;
		if (!by_disk && !by_flags)
			table__leave_out(skel->obj);
		choose_programs(skel);
	}
	tool__run_intervals(&tool, skel, print_interval);
	biolatency_bpf__destroy(skel);
	return tool__finish(&tool);
}

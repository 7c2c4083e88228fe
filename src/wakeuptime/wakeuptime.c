/* SPDX-License-Identifier: BSD-2-Clause */
/* wakeuptime: who wakes tasks, by stack, and how long they slept. */
#include <stdio.h>

#include "lib/kernel/kernel.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/stack_report.h"
#include "lib/run/stack_tasks.h"
#include "wakeuptime.h"
#include "wakeuptime.skel.h"

static struct wakeuptime_bpf *skel;

/* Who was woken; a name of 16 bytes without an end is cut by its last one. */
static const char *woken_text(const struct stack_key *key)
{
	static char text[TASK_COMM_LEN + 1];

	snprintf(text, sizeof(text), "%.*s", TASK_COMM_LEN, ((const struct wakeup_key *)key)->woken);
	return text;
}

static struct stack_report report = {
	.types = { { "wakeups", "count" }, { "asleep", "nanoseconds" } }, STACK_REPORT_FILES,
	.unit = "microseconds", .is_time = true, .of_tracepoint = true, .only_kernel = true, .until_interrupt = true,
	.tag_word = "wakes", .tag = woken_text, .tag_on_top = true,
};

enum { KEY_USTACK = 0x200 };

static const struct argp_option options[] = {
	{ "ustack", KEY_USTACK, NULL, 0, "also the stack of the process that wakes", 0 },
	STACK_REPORT_LIMITS("sleeps"),
	STACK_REPORT_OUTPUTS,
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-f", "folded stacks are --folded" },
	{ "-m", "--slower TIME" },
	{ "--min-block-time", "--slower TIME (--slower 10ms)" },
	{ "-M", "--faster TIME" },
	{ "--max-block-time", "--faster TIME (--faster 10ms)" },
	{ "--useronly", "-p and -n name who sleeps" },
	{ "--stack-storage-size", "--keys N" },
	{ "-P", "offcputime -P sums by the process that waits" },
	{ "--process", "offcputime -P sums by the process that waits" },
	{ "--count", "it sums by stack of the waker; anysnoop --count FIELD,... sched:sched_waking counts by any fields" },
	{ "--hist", "cpudist -O has histograms of the times off the CPUs" },
	{ NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct tool *tool = state->input;

	switch (key) {
	case KEY_USTACK:
		report.only_kernel = false;
		report.stacks_option = "--ustack";
		return 0;
	default:
		return stack_report__parse(&report, tool, key, arg);
	}
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct wakeuptime_counts *counts = interval->cells;

	(void)tool;
	return stack_report__print(&report, interval, &counts->others);
}

/* Which programs, and what they ask for. */
static void prepare(void)
{
	bool has_state = kernel__switch_has_state();

	bpf_program__set_autoload(skel->progs.sched_switch, has_state);
	bpf_program__set_autoload(skel->progs.sched_switch_by_field, !has_state);
	if (kernel__allocates_on_demand())
		bpf_map__set_map_flags(skel->maps.tasks, BPF_F_NO_PREALLOC);
	stack_report__prepare(&report, skel->obj);
}

static const struct by_word by[] = { STACK_TASKS_TAG("woken"), { NULL, 0 } };

static const struct metric metrics[] = {
	{ "wakeups_total", "Times that tasks that slept were woken, by who woke them.", METRIC_COUNT, "count", TASK_KEY_LABELS ",woken" },
	{ "woken_sleep_seconds_total", "How long tasks that were woken had slept, by who woke them.", METRIC_TIME, "total_ns", TASK_KEY_LABELS ",woken" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "wakeuptime",
	.summary = "Sums the time that tasks sleep, by who wakes them.",
	.examples = "  sudo wakeuptime -d 10               who ends the longest sleeps, and how\n"
		    "  sudo wakeuptime -n postgres         who wakes tasks of this name\n"
		    "  sudo wakeuptime --ustack -p 1234    with the functions of who wakes it\n"
		    "  sudo wakeuptime -d 30 --svg w.svg   a flame graph\n",
	.options = options,
	.parse = parse,
	.foreign_options = foreign_options,
	.renamed = stack_report_renamed,
	.ready = "Summing sleeps by waker. Ctrl-C ends it.",
	.counts = true,
	.sends_stacks = true,
	.by_task = true,
	.by = by,
	.metrics = metrics,
	.keys_max = WAKEUPTIME_KEYS,
	.keys_on_demand = true,
};

int main(int argc, char **argv)
{
	static const struct out_column columns[] = {
		{ "PID", -7, NULL, NULL },
		{ "COMM", -16, NULL, NULL },
		{ "WOKEN", -16, NULL, NULL },
		{ "COUNT", 10, NULL, NULL },
		{ "TOTAL", 12, NULL, "total_ns" },
		STACKS_COLUMNS,
		{ NULL, 0, NULL, NULL },
	};
	/* docs/json.md: wakeuptime --by */
	static const struct out_column task_columns[] = {
		STACK_TASK_COLUMNS("WOKEN"),
		{ NULL, 0, NULL, NULL },
	};
	struct tool tool = { .about = &about, .metric_columns = task_columns };

	tool__parse(&tool, argc, argv);
	stack_report__set(&report, &tool, columns);
	stack_report__set_task_columns(&report, &tool, NULL, task_columns);
	skel = wakeuptime_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel))
		prepare();
	tool__run_intervals(&tool, skel, print_interval);
	stack_report__close(&report);
	wakeuptime_bpf__destroy(skel);
	return tool__finish(&tool);
}

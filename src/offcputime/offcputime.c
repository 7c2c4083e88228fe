/* SPDX-License-Identifier: BSD-2-Clause */
/* offcputime: where tasks wait, by stack, and for how long. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/processes.h"
#include "lib/run/stack_report.h"
#include "lib/run/stack_tasks.h"
#include "offcputime.h"
#include "offcputime.skel.h"

static uint32_t states_wanted = ~0u;
static bool with_waker;
static struct offcputime_bpf *skel;

static const char *state_text(const struct stack_key *key)
{
	static const char *const texts[OFFCPU_STATES] = { "R", "S", "D", "I", "T", "t", "P", "W" };

	return texts[key->tag < OFFCPU_STATES ? key->tag : OFFCPU_WOKEN];
}

static struct stack_report report = {
	.types = { { "times", "count" }, { "offcpu", "nanoseconds" } }, STACK_REPORT_FILES,
	.unit = "microseconds", .is_time = true, .of_tracepoint = true, .tag_word = "state", .tag = state_text,
};

static const struct stack_key *waker_of(const struct stack_key *key)
{
	const struct offcpu_key *whole = (const struct offcpu_key *)key;

	return whole->waker.comm[0] ? &whole->waker : NULL;
}

enum { KEY_STATE = 0x200, KEY_WAKER };

static const struct argp_option options[] = {
	{ "state", KEY_STATE, "LETTERS", 0, "only tasks that left in one of these states: R S D I T t P", 0 },
	{ "waker", KEY_WAKER, NULL, 0, "above each stack, after \"--\", that of who woke the task, upside down", 0 },
	STACK_REPORT_PROCESS,
	STACK_REPORT_LIMITS("times"),
	STACK_REPORT_OPTIONS,
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-f", "folded stacks are --folded" },
	{ "-m", "--slower TIME" },
	{ "--min-block-time", "--slower TIME (--slower 10ms)" },
	{ "-M", "--faster TIME" },
	{ "--max-block-time", "--faster TIME (--faster 10ms)" },
	{ "-k", "threads of the kernel have no user stack; -n names one" },
	{ "--kernel-threads-only", "threads of the kernel have no user stack; -n names one" },
	{ "--user-threads-only", "-U leaves the kernel's stacks out" },
	{ "--stack-storage-size", "--keys N" },
	{ "--count", "it sums by stack, with -P by process; schedsnoop --count COLUMN,... counts switches" },
	{ "--hist", "cpudist -O has histograms of the times off the CPUs" },
	{ NULL, NULL },
};

static void parse_states(const char *text)
{
	states_wanted = 0;
	for (const char *at = text; *at; at++) {
		const char *letter = strchr(OFFCPU_LETTERS, *at);

		if (!letter)
			usage_error("--state \"%s\": of the letters R (preempted), S (sleeping), D (uninterruptible), I (idle thread of the "
				    "kernel), T (stopped), t (traced), P (parked)", text);
		states_wanted |= 1u << (letter - OFFCPU_LETTERS);
	}
	if (!states_wanted)
		usage_error("--state \"\": a letter is missing, as in --state D");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct tool *tool = state->input;

	switch (key) {
	case KEY_STATE:
		parse_states(arg);
		return 0;
	case KEY_WAKER:
		with_waker = true;
		report.waker = waker_of;
		return 0;
	default:
		return stack_report__parse(&report, tool, key, arg);
	}
}

/* Gives how many times were summed. */
static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct offcputime_counts *counts = interval->cells;

	(void)tool;
	return stack_report__print(&report, interval, &counts->others);
}

/* Which programs, and what they ask for. */
static void prepare(struct tool *tool)
{
	bool has_state = kernel__switch_has_state();
	const uint32_t key_size = with_waker ? sizeof(struct offcpu_key) : sizeof(struct stack_key);
	int err = table__set_key_size(skel->obj, key_size);

	/* a waker is behind all else */
	if (!err)
		err = bpf_map__set_value_size(skel->maps.tasks, (uint32_t)sizeof(uint64_t) + key_size);
	if (err)
		tool__fail_maps(tool, err);
	skel->rodata->states_wanted = states_wanted;
	skel->rodata->with_waker = with_waker;
	bpf_program__set_autoload(skel->progs.sched_waking, with_waker);
	bpf_program__set_autoload(skel->progs.sched_switch, has_state);
	bpf_program__set_autoload(skel->progs.sched_switch_by_field, !has_state);
	if (kernel__allocates_on_demand())
		bpf_map__set_map_flags(skel->maps.tasks, BPF_F_NO_PREALLOC);
	stack_report__prepare(&report, skel->obj);
}

static const struct by_word by[] = { STACK_TASKS_PROCESS, STACK_TASKS_TAG("state"), { NULL, 0 } };

static const struct metric metrics[] = {
	{ "off_cpu_waits_total", "Times that tasks were off the CPUs.", METRIC_COUNT, "count", TASK_KEY_LABELS ",state" },
	{ "off_cpu_seconds_total", "How long tasks were off the CPUs.", METRIC_TIME, "total_ns", TASK_KEY_LABELS ",state" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "offcputime",
	.summary = "Sums the time that tasks wait off the CPUs, by stack of calls or by process.",
	.examples = "  sudo offcputime -d 10               the stacks that waited longest\n"
		    "  sudo offcputime -P --state D --refresh 1  which processes wait for disks\n"
		    "  sudo offcputime -p 1234 --state D   its uninterruptible waits\n"
		    "  sudo offcputime --slower 10ms 5     times of 10 ms and more, each 5 s\n"
		    "  sudo offcputime -d 30 --svg o.svg   a flame graph\n"
		    "  sudo offcputime --waker --folded -d 10  who waits;--;who wakes it\n",
	.options = options,
	.parse = parse,
	.foreign_options = foreign_options,
	.renamed = stack_report_renamed,
	.ready = "Summing times off the CPUs. Ctrl-C ends it.",
	.counts = true,
	.sends_stacks = true,
	.by_task = true,
	.by = by,
	.metrics = metrics,
	.keys_max = OFFCPUTIME_KEYS,
	.keys_on_demand = true,
};

int main(int argc, char **argv)
{
	static const struct out_column columns[] = {
		{ "PID", -7, NULL, NULL },
		{ "COMM", -16, NULL, NULL },
		{ "STATE", 5, NULL, NULL },
		{ "COUNT", 10, NULL, NULL },
		{ "TOTAL", 12, NULL, "total_ns" },
		STACKS_COLUMNS,
		{ NULL, 0, NULL, NULL },
	};
	/* docs/json.md: offcputime --waker */
	static const struct out_column waker_columns[] = {
		{ "PID", -7, NULL, NULL },
		{ "COMM", -16, NULL, NULL },
		{ "STATE", 5, NULL, NULL },
		{ "COUNT", 10, NULL, NULL },
		{ "TOTAL", 12, NULL, "total_ns" },
		STACKS_COLUMNS,
		{ "WAKER_PID", 0, &tool_not_shown, NULL },
		{ "WAKER_COMM", 0, &tool_not_shown, NULL },
		{ "WAKER_KERNEL", 0, &tool_not_shown, "waker_kernel_stack" },
		{ "WAKER_USER", 0, &tool_not_shown, "waker_user_stack" },
		{ "WAKER_USER_AT", 0, &tool_not_shown, "waker_user_stack_at" },
		{ NULL, 0, NULL, NULL },
	};
	/* docs/json.md: offcputime --by */
	static const struct out_column task_columns[] = {
		STACK_TASK_COLUMNS("STATE"),
		{ NULL, 0, NULL, NULL },
	};
	struct tool tool = { .about = &about, .metric_columns = task_columns };

	tool__parse(&tool, argc, argv);
	stack_report__set(&report, &tool, with_waker ? waker_columns : columns);
	stack_report__set_task_columns(&report, &tool, processes_time_columns, task_columns);
	skel = offcputime_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel))
		prepare(&tool);
	tool__run_intervals(&tool, skel, print_interval);
	stack_report__close(&report);
	offcputime_bpf__destroy(skel);
	return tool__finish(&tool);
}

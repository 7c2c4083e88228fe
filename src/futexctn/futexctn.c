/* SPDX-License-Identifier: BSD-2-Clause */
/* futexctn: which locks threads wait for, in which functions, and for how long. */
#include <stdio.h>

#include "lib/kernel/kernel.h"
#include "lib/print/syscall_names.h"
#include "lib/run/argument.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/processes.h"
#include "lib/run/stack_report.h"
#include "lib/run/stack_tasks.h"
#include "futexctn.h"
#include "futexctn.skel.h"

static struct futexctn_bpf *skel;
static uint32_t ops_wanted = FUTEXCTN_OPS;

static const char *lock_text(const struct stack_key *key)
{
	static char text[20];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)((const struct futexctn_key *)key)->lock);
	return text;
}

static struct stack_report report = {
	.types = { { "waits", "count" }, { "waited", "nanoseconds" } }, STACK_REPORT_FILES,
	.unit = "microseconds", .is_time = true, .of_tracepoint = true,
	.tag_word = "lock", .tag = lock_text, .tag_on_top = true,
};

enum { KEY_OP = 0x200 };

static const struct argp_option options[] = {
	{ "op", KEY_OP, "WHAT,...", 0, "only waits by these operations of futex(2): wait, bitset, pi, requeue, waitv", 0 },
	STACK_REPORT_PROCESS,
	STACK_REPORT_LIMITS("waits"),
	STACK_REPORT_OUTPUTS,
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-f", "folded stacks are --folded" },
	{ "-l", "--folded and -j have a row for each lock; grep LOCK selects one" },
	{ "--lock", "--folded and -j have a row for each lock; grep LOCK selects one" },
	{ "-m", "all times are milliseconds; in JSON nanoseconds" },
	{ "--milliseconds", "all times are milliseconds; in JSON nanoseconds" },
	{ "-U", "a lock of a process has its stack alone" },
	{ "-K", "a lock of a process has its stack alone" },
	{ "--stack-storage-size", "--keys N" },
	{ "--perf-max-stack-depth", "the kernel's limit is the sysctl kernel.perf_event_max_stack" },
	{ "--count", "it sums by lock and stack, with -P by process; syscount -p PID counts system calls" },
	{ "--hist", "it sums by lock and stack; funclatency do_futex has a histogram of all" },
	{ NULL, NULL },
};

static void parse_ops(const char *list)
{
	static const char *const words[] = { "wait", "bitset", "pi", "requeue", "waitv", NULL };
	static const uint32_t bits[] = { FUTEXCTN_OP_WAIT, FUTEXCTN_OP_BITSET, FUTEXCTN_OP_PI, FUTEXCTN_OP_REQUEUE, FUTEXCTN_OP_WAITV };
	uint32_t wanted = argument__words("--op", list, words);

	ops_wanted = 0;
	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		ops_wanted |= wanted & (1u << i) ? bits[i] : 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct tool *tool = state->input;

	switch (key) {
	case KEY_OP:
		parse_ops(arg);
		return 0;
	default:
		return stack_report__parse(&report, tool, key, arg);
	}
}

/* Gives how many waits were summed. */
static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct futexctn_counts *counts = interval->cells;

	(void)tool;
	return stack_report__print(&report, interval, &counts->others);
}

static void set_calls(void)
{
	static const char *const names[FUTEXCTN_CALLS] = { "futex", "futex_time64", "futex_wait", "futex_waitv", "restart_syscall" };

	for (int compat = 0; compat < 2; compat++)
		for (int call = 0; call < FUTEXCTN_CALLS; call++) {
			int number = syscall_number(names[call], compat);

			skel->rodata->futex_calls[compat][call] = number < 0 ? FUTEXCTN_NO_CALL : (uint32_t)number;
		}
}

/* Which programs, and what they ask for. */
static void prepare(void)
{
	bool on_events = kernel__preempts_programs();

	set_calls();
	skel->rodata->ops_wanted = ops_wanted;
	skel->rodata->have_task_pt_regs = kernel__has_task_pt_regs();
	bpf_program__set_autoload(skel->progs.futex_exit, !on_events);
	bpf_program__set_autoload(skel->progs.futex_enter, !on_events);
	bpf_program__set_autoload(skel->progs.futex_exit_event, on_events);
	bpf_program__set_autoload(skel->progs.futex_enter_event, on_events);
	if (kernel__allocates_on_demand())
		bpf_map__set_map_flags(skel->maps.calls, BPF_F_NO_PREALLOC);
	stack_report__prepare(&report, skel->obj);
}

static const struct by_word by[] = { STACK_TASKS_PROCESS, STACK_TASKS_TAG("lock"), { NULL, 0 } };

static const struct metric metrics[] = {
	{ "futex_waits_total", "Waits for futexes: for locks, conditions and other threads.", METRIC_COUNT, "count", TASK_KEY_LABELS },
	{ "futex_wait_seconds_total", "Time of waits for futexes.", METRIC_TIME, "total_ns", TASK_KEY_LABELS },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "futexctn",
	.summary = "Sums the time that threads wait for locks of their process, by lock and stack of calls or by process.",
	.examples = "  sudo futexctn -d 10               the waits that took longest\n"
		    "  sudo futexctn -P --refresh 1      which processes wait for locks\n"
		    "  sudo futexctn -p 1234 --op wait,pi    its mutexes, without conditions\n"
		    "  sudo futexctn -d 30 --svg f.svg   a flame graph\n",
	.options = options,
	.parse = parse,
	.foreign_options = foreign_options,
	.renamed = stack_report_renamed,
	.ready = "Summing waits for locks. Ctrl-C ends it.",
	.counts = true,
	.sends_stacks = true,
	.by_task = true,
	.by = by,
	.keys_max = FUTEXCTN_KEYS,
	.keys_on_demand = true,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	static const struct out_column columns[] = {
		{ "PID", -7, NULL, NULL },
		{ "COMM", -16, NULL, NULL },
		{ "LOCK", -18, NULL, NULL },
		{ "COUNT", 10, NULL, NULL },
		{ "TOTAL", 12, NULL, "total_ns" },
		STACKS_COLUMNS,
		{ NULL, 0, NULL, NULL },
	};
	/* docs/json.md: futexctn --by */
	static const struct out_column task_columns[] = {
		STACK_TASK_COLUMNS("LOCK"),
		{ NULL, 0, NULL, NULL },
	};
	struct tool tool = { .about = &about, .metric_columns = task_columns };

	tool__parse(&tool, argc, argv);
	report.only_user = !report.by_process;
	stack_report__set(&report, &tool, columns);
	stack_report__set_task_columns(&report, &tool, processes_time_columns, task_columns);
	skel = futexctn_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel))
		prepare();
	tool__run_intervals(&tool, skel, print_interval);
	stack_report__close(&report);
	futexctn_bpf__destroy(skel);
	return tool__finish(&tool);
}

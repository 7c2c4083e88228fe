/* SPDX-License-Identifier: BSD-2-Clause */
/* profile: what runs on the CPUs, by stack. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/file.h"
#include "lib/run/argument.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/processes.h"
#include "lib/run/stack_report.h"
#include "lib/run/stack_tasks.h"
#include "lib/run/tally.h"
#include "profile.h"
#include "profile.skel.h"
#include "lib/run/timers.h"

#define HZ_DEFAULT 99		/* not 100: what happens each 10 ms would be met always, or never */
#define HZ_MAX 10000
#define NS_PER_S 1000000000ull

#define PROCESSES_ABOVE 5		/* of them stand above the stacks; -r asks for more */

#define CYCLES_MIN 100000	/* 30,000 samples a second of a CPU of 3 GHz */
#define CYCLES_MAX (1ull << 40)

enum { KEY_CYCLES = 0x200 };

static struct {
	uint32_t hz;
	uint64_t cycles;		/* a sample each so many; 0: by the time */
	bool idle;
} opt = { .hz = HZ_DEFAULT };

static struct stack_report report = {
	.unit = "samples", .types = { { "samples", "count" }, { "cpu", "nanoseconds" } }, STACK_REPORT_FILES
};
static struct timers timers;
static struct profile_bpf *skel_of_tool;
static uint64_t ticks, idle;		/* until the last cut */
static uint64_t due;			/* samples that there should have been by then */
static uint64_t missed;
static bool stopped;
static int (*read_report)(void *ctx, struct batch *batch);
static char ready[128];

static const struct argp_option options[] = {
	{ "frequency", 'F', "HZ", 0, "samples a second on each CPU (default 99)", 0 },
	{ "cycles", KEY_CYCLES, "N", 0, "a sample every N cycles of a CPU, instead of by time", 0 },
	{ "idle", 'I', NULL, 0, "show what idle CPUs do, too", 0 },
	STACK_REPORT_PROCESS,
	STACK_REPORT_OPTIONS,
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-f", "folded stacks are --folded" },
	{ "-a", "functions of the kernel are always marked" },
	{ "--annotations", "functions of the kernel are always marked" },
	{ "-L", "a thread is -t TID" },
	{ "--tid", "a thread is -t TID" },
	{ "--stack-storage-size", "--keys N" },
	{ "--count", "it counts by stack, with -P by process" },
	{ "--hist", "cpudist has histograms of the times on the CPUs" },
	{ NULL, NULL },
};

static void parse_frequency(const char *text)
{
	char limit[32];
	long most = file__read_small("/proc/sys/kernel/perf_event_max_sample_rate", limit, sizeof(limit)) > 0 ? atol(limit) : 0;

	opt.hz = (uint32_t)argument__number("-F", text, 1, HZ_MAX);
	if (most > 0 && opt.hz > (uint64_t)most)
		usage_error("-F \"%s\": at most %ld (the sysctl kernel.perf_event_max_sample_rate limits it)", text, most);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct tool *tool = state->input;

	switch (key) {
	case 'F':
		parse_frequency(arg);
		return 0;
	case KEY_CYCLES:
		opt.cycles = argument__number("--cycles", arg, CYCLES_MIN, CYCLES_MAX);
		return 0;
	case 'I':
		opt.idle = true;
		return 0;
	default:
		return stack_report__parse(&report, tool, key, arg);
	}
}

static int attach(struct tool *tool)
{
	if (timers__open(&timers, tool, skel_of_tool->progs.on_sample))
		return tool->err;
	tool__needs_no_link(tool, skel_of_tool->progs.on_sample);
	return stack_report__open(&report, skel_of_tool->obj);
}

/* ---- the counter (lib/run/intervals.h) */

static int start_counting(void *ctx)
{
	(void)ctx;
	return timers__start(&timers);
}

static int read_stacks(void *ctx, struct batch *batch)
{
	timers__follow_cpus(&timers);
	return read_report(ctx, batch);
}

static void cut(void *ctx)
{
	int err = stopped ? 0 : timers__count_due(&timers, &due);

	if (err)
		tool__fail(report.tool, err, "a timer cannot be read: %s", strerror(-err));
	stack_report__cut(ctx);
}

static int stop_counting(void *ctx)
{
	int err = timers__count_due(&timers, &due);

	(void)ctx;
	stopped = true;
	timers__close(&timers);
	return err;
}

/*
 * What the timers should have made, and the program did not see: the CPU was not there (a hypervisor's steal time), interrupts were off
 * for longer than a period, or another program was running.  A sample of each CPU may be due and under way when counting ends; so many
 * do not count.
 */
static void count_missed(void *ctx, struct tally *tally)
{
	uint64_t seen = ticks + timers.cpus;

	(void)ctx;
	/* between two cuts it may get smaller again: what was told stays told */
	count__rise(&missed, count__minus(due, seen));
	tally->missed = count__exact(missed);
}

/* Gives its samples; as rows: -P. */
static uint64_t print_processes(struct tool *tool, const struct interval *interval, bool as_rows)
{
	const struct profile_counts *counts = interval->cells;
	size_t most = tool->options.rows_asked ? tool->options.rows_asked : as_rows ? tool->options.rows_max : PROCESSES_ABOVE;
	struct processes processes;

	if (processes__make(&processes, interval->table, &counts->others, false)) {
		tool__fail(tool, -ENOMEM, "no memory for %zu processes", interval->table->count);
		return 0;
	}
	processes.idle = counts->idle;
	if (as_rows)
		processes__print(&processes, tool, interval, tool->out.json && !tool->options.rows_asked ? processes.count : most);
	else
		processes__print_above(&processes, tool, most);
	processes__free(&processes);
	return processes.all.count;
}

static void print_above(struct tool *tool, const struct interval *interval)
{
	print_processes(tool, interval, false);
}

static void add_interval(const struct tool *tool, const struct interval *interval)
{
	const struct profile_counts *counts = interval->cells;

	(void)tool;
	ticks += counts->ticks;
	idle += counts->idle;
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct profile_counts *counts = interval->cells;

	if (report.by_process)
		return print_processes(tool, interval, true);
	return stack_report__print(&report, interval, &counts->others);
}

static void tell_more(const struct tool *tool)
{
	/* after a failure that is what matters */
	if (tool->err || tool->out.error)
		return;
	stack_report__tell(&report);
	if (idle)
		say("%llu samples of %llu were of idle CPUs, and are among the filtered (-I shows them)", (unsigned long long)idle,
		    (unsigned long long)ticks);
}

static const struct by_word by[] = { STACK_TASKS_PROCESS, { NULL, 0 } };

static const struct metric metrics[] = {
	{ "cpu_samples_total", "Samples of CPUs that ran a task; -F of them, by default 99, are a second of one CPU.", METRIC_COUNT, "count", TASK_KEY_LABELS },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "profile",
	.summary = "Counts what runs on the CPUs, by stack of calls or by process.",
	.examples = "  sudo profile -d 10                 who ran for ten seconds, and where\n"
		    "  sudo profile -P --refresh 1        which processes take the CPUs\n"
		    "  sudo profile -p 1234 -U            functions of one process\n"
		    "  sudo profile -d 30 --svg p.svg     a flame graph\n"
		    "  sudo profile --folded -d 30 >out   for flame graph programs\n",
	.options = options,
	.parse = parse,
	.foreign_options = foreign_options,
	.ready = ready,
	.counts = true,
	.sends_stacks = true,
	.by_task = true,
	.by = by,
	.metrics = metrics,
	.keys_max = PROFILE_KEYS,
	.keys_on_demand = true,
};

int main(int argc, char **argv)
{
	static const struct out_column columns[] = {
		{ "PID", -7, NULL, NULL },
		{ "COMM", -16, NULL, NULL },
		{ "COUNT", 10, NULL, NULL },
		STACKS_COLUMNS,
		{ NULL, 0, NULL, NULL },
	};
	struct tool tool = { .about = &about, .attach_own = attach, .metric_columns = stack_tasks_sample_columns,
			     .add_interval = add_interval, .before_summary = tell_more };

	tool__parse(&tool, argc, argv);
	if (opt.cycles) {
		snprintf(ready, sizeof(ready), "Sampling each CPU every %llu cycles. Ctrl-C ends it.", (unsigned long long)opt.cycles);
		report.types[1] = (struct pprof_type){ "cycles", "count" };
	} else {
		snprintf(ready, sizeof(ready), "Sampling each CPU at %u Hz. Ctrl-C ends it.", opt.hz);
	}
	report.print_above = print_above;
	stack_report__set(&report, &tool, columns);
	stack_report__set_task_columns(&report, &tool, processes_columns, stack_tasks_sample_columns);
	timers.cycles = opt.cycles;
	timers.period = opt.cycles ? opt.cycles : NS_PER_S / opt.hz;
	report.period = timers.period;
	read_report = report.counter.read;
	report.counter.read = read_stacks;
	report.counter.start = start_counting;
	report.counter.cut = cut;
	report.counter.stop = stop_counting;
	report.counter.tally = count_missed;
	skel_of_tool = profile_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel_of_tool)) {
		skel_of_tool->rodata->with_idle = opt.idle;
		stack_report__prepare(&report, skel_of_tool->obj);
	}
	tool__run_intervals(&tool, skel_of_tool, print_interval);
	timers__close(&timers);
	stack_report__close(&report);
	profile_bpf__destroy(skel_of_tool);
	return tool__finish(&tool);
}

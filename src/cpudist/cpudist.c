/* SPDX-License-Identifier: BSD-2-Clause */
/* cpudist: how long tasks run on a CPU at a time. */
#include "lib/run/foreign_options.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/task_keys.h"
#include "cpudist.h"
#include "cpudist.skel.h"

static bool off_cpu;

static const struct argp_option options[] = {
	{ "offcpu", 'O', NULL, 0, "how long tasks are off a CPU, not on it", 0 },
	{ "processes", 'P', NULL, 0, "a histogram for each process", 0 },
	{ "threads", 'L', NULL, 0, "a histogram for each thread", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-e", "average, count and sum are always printed" },
	{ "--extension", "average, count and sum are always printed" },
	{ "--count", "-P is by process, -L by thread; schedsnoop --count COLUMN,... counts switches" },
	{ "--hist", "it prints histograms; -P is by process, -L by thread" },
	{ NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	(void)state;
	switch (key) {
	case 'O':
		off_cpu = true;
		return 0;
	case 'P':
		task_keys__set(TASK_KEY_PROCESS, "-P");
		return 0;
	case 'L':
		task_keys__set(TASK_KEY_THREAD, "-L");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct cpudist_counts *counts = interval->cells;
	struct hist_view times = hist_view__of(tool->shape, &counts->times);

	if (task_keys__kind())
		return interval__hists(tool, interval, &counts->others, task_keys__describe);
	interval__hist(tool, interval, &times, NULL, NULL);
	return hist_view__count(&times);
}

static const struct metric metrics[] = {
	{ "cpu_run_seconds", "How long tasks ran on a CPU at a time.", METRIC_HIST, NULL, TASK_KEY_LABELS },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
}, metrics_off[] = {
	{ "cpu_off_seconds", "How long tasks were off a CPU at a time.", METRIC_HIST, NULL, TASK_KEY_LABELS },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "cpudist",
	.summary = "Counts how long tasks run on a CPU at a time, until they sleep or are preempted.",
	.examples = "  sudo cpudist            until Ctrl-C\n"
		    "  sudo cpudist -T 1 10    each second, ten times\n"
		    "  sudo cpudist -P 5       by process, each five seconds\n"
		    "  sudo cpudist -n nginx   the runs of one program\n"
		    "  sudo cpudist -O -P 5    times off a CPU, by process\n",
	.options = options,
	.parse = parse,
	.foreign_options = foreign_options,
	.ready = "Counting times on a CPU. Ctrl-C ends it.",
	.counts = true,
	.by_task = true,
	.keys_max = CPUDIST_KEYS,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(HIST_USECS);
	struct tool tool = { .about = &about, .shape = &shape };
	struct cpudist_bpf *skel;

	tool__parse(&tool, argc, argv);
	if (off_cpu) {
		tool.metric_names = metrics_off;
		tool.ready = "Counting times off a CPU. Ctrl-C ends it.";
	}
	skel = cpudist_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->task_key_kind = task_keys__kind();
		bpf_program__set_autoload(skel->progs.sched_switch, !off_cpu);
		bpf_program__set_autoload(skel->progs.sched_switch_off, off_cpu);
		bpf_map__set_autocreate(skel->maps.away, off_cpu);
		if (!task_keys__kind())
			table__leave_out(skel->obj);
	}
	tool__run_intervals(&tool, skel, print_interval);
	cpudist_bpf__destroy(skel);
	return tool__finish(&tool);
}

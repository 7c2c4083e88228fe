/* SPDX-License-Identifier: BSD-2-Clause */
/* cpudist: how long tasks run on a CPU at a time. */
#include "lib/run/foreign_options.h"
#include "lib/run/intervals.h"
#include "cpudist.h"
#include "cpudist.skel.h"

static bool by_process, by_thread, off_cpu;

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
	const struct tool *tool = state->input;

	(void)arg;
	switch (key) {
	case 'O':
		off_cpu = true;
		return 0;
	case 'P':
		by_process = true;
		return 0;
	case 'L':
		by_thread = true;
		return 0;
	case ARGP_KEY_END:
		if (by_process && by_thread)
			usage_error("-P and -L exclude each other");
		if ((by_process || by_thread) && tool->shape->linear_count)
			usage_error("--linear and -P or -L exclude each other");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void describe_key(const struct tool *tool, const void *data, struct interval_key *to)
{
	const struct cpudist_key *key = data;

	interval_key__task(to, key->pid, key->tid, key->comm);
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct cpudist_counts *counts = interval->cells;
	struct hist_view times = hist_view__of(tool->shape, &counts->times);

	if (by_process || by_thread)
		return interval__hists(tool, interval, &counts->others, describe_key);
	interval__hist(tool, interval, &times, NULL, NULL);
	return hist_view__count(&times);
}

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
	.keys_max = CPUDIST_KEYS,
};

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(HIST_USECS);
	struct tool tool = { .about = &about, .shape = &shape };
	struct cpudist_bpf *skel;

	tool__parse(&tool, argc, argv);
	if (off_cpu)
		tool.ready = "Counting times off a CPU. Ctrl-C ends it.";
	skel = cpudist_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->by_process = by_process;
		skel->rodata->by_thread = by_thread;
		bpf_program__set_autoload(skel->progs.sched_switch, !off_cpu);
		bpf_program__set_autoload(skel->progs.sched_switch_off, off_cpu);
		bpf_map__set_autocreate(skel->maps.away, off_cpu);
		if (!by_process && !by_thread)
			table__leave_out(skel->obj);
	}
	tool__run_intervals(&tool, skel, print_interval);
	cpudist_bpf__destroy(skel);
	return tool__finish(&tool);
}

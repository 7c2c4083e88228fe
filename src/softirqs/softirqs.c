/* SPDX-License-Identifier: BSD-2-Clause */
/* softirqs: how often softirqs run and how long, by vector. */
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/task_keys.h"
#include "lib/run/renamed.h"
#include "lib/run/intervals.h"
#include "softirqs.h"
#include "softirqs.skel.h"

enum { KEY_PER_CPU = 0x200 };

static bool histograms, waits, with_times = true, per_cpu;
static uint64_t no_raise;

static const struct argp_option options[] = {
	{ "dist", 'H', NULL, 0, "a histogram for each softirq", 0 },
	{ NULL, 'D', NULL, OPTION_HIDDEN, NULL, 0 },
	{ "latency", 'L', NULL, 0, "the time from when they are raised until they run", 0 },
	{ "count", 'C', NULL, 0, "counts only, without times", 0 },
	{ "per-cpu", KEY_PER_CPU, NULL, 0, "a row for each CPU", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-d", "-H prints histograms, and -d SECONDS is when to stop" },
	{ "--distributed", "-H prints histograms" },
	{ "--hist", "-H prints histograms" },
	{ NULL, NULL },
};

static const struct renamed renamed[] = {
	{ 'D', 'H', "-D", "-H", NULL },
	{ 0, 0, NULL, NULL, NULL },
};

static const struct by_word by[] = { { "cpu", KEY_PER_CPU }, { NULL, 0 } };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg, (void)state;
	switch (key) {
	case 'H':
		histograms = true;
		return 0;
	case 'L':
		waits = true;
		return 0;
	case 'C':
		with_times = false;
		return 0;
	case KEY_PER_CPU:
		per_cpu = true;
		return 0;
	case ARGP_KEY_END:
		if (!with_times && (histograms || waits))
			usage_error("-C and -%c exclude each other", histograms ? 'H' : 'L');
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Text has those that the options ask for, JSON has all. */
static const struct out_column columns[] = {
	{ "CPU", 4, &per_cpu, NULL },
	{ "SOFTIRQ", -10, NULL, NULL },
	{ "COUNT", 10, NULL, NULL },
	{ interval_total_name, 12, &with_times, "total_ns" },
	{ "AVG", 10, &with_times, "avg_ns" },
	{ "P99<=", 10, &with_times, "p99_ns" },
	{ "MAX<=", 10, &with_times, "max_ns" },
	{ NULL, 0, NULL, NULL },
};

/* include/linux/interrupt.h, as /proc/softirqs has them, in lower case */
static const char *const names[SOFTIRQS] = {
	"hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched", "hrtimer", "rcu",
};

static void print_row(struct tool *tool, const struct interval *interval, size_t cpu, size_t vector, uint64_t count,
		      const struct hist_view *time)
{
	out__row(&tool->out, interval->end_ns);
	if (per_cpu)
		out__int(&tool->out, (int64_t)cpu);
	else
		out__none(&tool->out);
	out__string(&tool->out, names[vector], strlen(names[vector]));
	out__int(&tool->out, (int64_t)count);
	if (with_times) {
		interval__times(tool, time);
	} else {
		for (int i = 0; i < 4; i++)
			out__none(&tool->out);
	}
	out__end(&tool->out);
}

static void print_histogram(struct tool *tool, const struct interval *interval, size_t cpu, size_t vector, const struct hist_view *time)
{
	char title[64], key[64];

	if (per_cpu) {
		snprintf(title, sizeof(title), "cpu = %zu %s", cpu, names[vector]);
		snprintf(key, sizeof(key), "{\"cpu\":%zu,\"softirq\":\"%s\"}", cpu, names[vector]);
	} else {
		snprintf(title, sizeof(title), "%s", names[vector]);
		snprintf(key, sizeof(key), "{\"softirq\":\"%s\"}", names[vector]);
	}
	interval__hist(tool, interval, time, title, key);
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct softirq_counts *counts = interval->cells;
	uint64_t counted = 0;

	for (size_t i = 0; i < interval->sums * SOFTIRQS; i++) {
		struct hist_view time = hist_view__of(tool->shape, &counts[i].time);
		uint64_t count = with_times ? hist_view__count(&time) : counts[i].count;

		counted += count;
		if (!count)
			continue;
		if (histograms)
			print_histogram(tool, interval, i / SOFTIRQS, i % SOFTIRQS, &time);
		else
			print_row(tool, interval, i / SOFTIRQS, i % SOFTIRQS, count, &time);
	}
	return counted;
}

static void add_interval(const struct tool *tool, const struct interval *interval)
{
	const struct softirq_counts *counts = interval->cells;

	(void)tool;
	for (size_t i = 0; i < interval->sums * SOFTIRQS; i++)
		no_raise += counts[i].no_raise;
}

static void report_no_raise(const struct tool *tool)
{
	(void)tool;
	if (no_raise)
		say("%llu softirqs are not counted: when they were raised was not seen (before it began, or again just before they ran)",
		    (unsigned long long)no_raise);
}

static void choose_programs(struct softirqs_bpf *skel)
{
	bpf_program__set_autoload(skel->progs.softirq_entry, with_times && !waits);
	bpf_program__set_autoload(skel->progs.softirq_exit, with_times && !waits);
	bpf_program__set_autoload(skel->progs.softirq_raise, waits);
	bpf_program__set_autoload(skel->progs.softirq_raised, waits);
	bpf_program__set_autoload(skel->progs.softirq_counted, !with_times);
}

static const struct metric metrics[] = {
	{ "softirqs_total", "Softirqs that ran.", METRIC_COUNT, "count", "softirq,cpu" },
	{ "softirq_seconds_total", "Time that softirqs took.", METRIC_TIME, "total_ns", "softirq,cpu" },
	{ "softirq_seconds", "How long a run of a softirq took.", METRIC_HIST, NULL, "softirq,cpu" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "softirqs",
	.summary = "Counts softirqs and the time that they run, by vector.",
	.examples = "  sudo softirqs            until Ctrl-C\n"
		    "  sudo softirqs -T 1 10    each second, ten times\n"
		    "  sudo softirqs -H 5       histograms, each five seconds\n"
		    "  sudo softirqs -L --per-cpu    how long they wait, on each CPU\n",
	.options = options,
	.parse = parse,
	.foreign_options = foreign_options,
	.renamed = renamed,
	.columns = columns,
	.ready = "Counting softirqs. Ctrl-C ends it.",
	.counts = true,
	.by = by,
	.no_task = "softirqs interrupt whatever task runs, and are done for none",
	.begun_word = offsetof(struct softirq_counts, since_ns) / sizeof(uint64_t) + 1,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(HIST_USECS);
	struct tool tool = { .about = &about, .shape = &shape, .add_interval = add_interval, .before_summary = report_no_raise };
	struct softirqs_bpf *skel;

	tool__parse(&tool, argc, argv);
	tool.by_cpu = per_cpu;
	if (histograms)
		tool.columns = NULL;
	skel = softirqs_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel))
		choose_programs(skel);
	tool__run_intervals(&tool, skel, print_interval);
	softirqs_bpf__destroy(skel);
	return tool__finish(&tool);
}

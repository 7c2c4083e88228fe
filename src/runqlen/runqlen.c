/* SPDX-License-Identifier: BSD-2-Clause */
/* runqlen: how many tasks wait for the CPUs, by samples; and how many CPUs are idle meanwhile. */
#include <stdio.h>
#include <string.h>

#include "lib/run/argument.h"
#include "lib/run/foreign_options.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/tally.h"
#include "lib/run/task_keys.h"
#include "lib/run/timers.h"
#include "runqlen.h"
#include "runqlen.skel.h"

#define HZ_DEFAULT 99		/* not 100: what happens each 10 ms would be met always, or never */
#define HZ_MAX 1000
#define NS_PER_S 1000000000ull

enum { KEY_PER_CPU = 0x200 };

static struct runqlen_bpf *skel;
static struct timers timers;
static uint64_t ticks, due, missed;	/* until the last cut: samples that were taken, that were due, that no program saw */
static uint32_t hz = HZ_DEFAULT;
static bool per_cpu, stopped;
static char ready[96];

static const struct argp_option options[] = {
	{ "frequency", 'F', "HZ", 0, "samples a second on each CPU (99)", 0 },
	{ "per-cpu", KEY_PER_CPU, NULL, 0, "a histogram for each CPU", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct by_word by[] = { { "cpu", KEY_PER_CPU }, { NULL, 0 } };

static const struct foreign_option foreign_options[] = {
	{ "-C", "a histogram for each CPU is --per-cpu" },
	{ "--cpus", "a histogram for each CPU is --per-cpu" },
	{ "-O", "the line below a histogram has the occupancy" },
	{ "--runqocc", "the line below a histogram has the occupancy" },
	{ "--count", "schedsnoop --count COLUMN,... counts switches" },
	{ "--hist", "all it prints are histograms" },
	{ NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)state;
	switch (key) {
	case 'F':
		hz = (uint32_t)argument__number("-F", arg, 1, HZ_MAX);
		return 0;
	case KEY_PER_CPU:
		per_cpu = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the counter (lib/run/intervals.h) */

static int attach(struct tool *tool)
{
	tool__needs_no_link(tool, skel->progs.on_sample);
	return timers__open(&timers, tool, skel->progs.on_sample);
}

static int start(void *ctx)
{
	(void)ctx;
	return timers__start(&timers);
}

static int follow_cpus(void *ctx, struct batch *batch)
{
	(void)ctx;
	(void)batch;
	timers__follow_cpus(&timers);
	return 0;
}

static void cut(void *ctx)
{
	int err = stopped ? 0 : timers__count_due(&timers, &due);

	if (err)
		tool__fail(ctx, err, "a timer cannot be read: %s", strerror(-err));
}

static int stop(void *ctx)
{
	int err = timers__count_due(&timers, &due);

	(void)ctx;
	stopped = true;
	timers__close(&timers);
	return err;
}

/* As in profile: a sample of each CPU may be due and under way. */
static void count_missed(void *ctx, struct tally *tally)
{
	(void)ctx;
	count__rise(&missed, count__minus(due, ticks + timers.cpus));
	tally->missed = count__exact(missed);
}

/* ---- printing */

static double percent(uint64_t part, uint64_t all)
{
	return all ? (double)part * 100 / (double)all : 0;
}

static void print_cpu(struct tool *tool, const struct interval *interval, const struct runqlen_counts *counts, size_t cpu)
{
	struct hist_view lengths = hist_view__of(tool->shape, &counts->lengths);
	char title[64], key[32];

	if (!counts->samples)
		return;
	snprintf(title, sizeof(title), "cpu = %zu", cpu);
	snprintf(key, sizeof(key), "{\"cpu\":%zu}", cpu);
	interval__hist(tool, interval, &lengths, per_cpu ? title : NULL, per_cpu ? key : NULL);
}

static void print_sums(struct tool *tool, const struct runqlen_counts *sums)
{
	struct text_buffer text = text_buffer__growing(1024);

	if (tool->out.json)
		text_buffer__add(&text, "{\"type\":\"cpus\",\"tool\":\"runqlen\",\"cpus\":{\"samples\":%llu,\"waiting\":%llu,\"idle\":%llu,"
				 "\"idle_while_waiting\":%llu}}\n", (unsigned long long)sums->samples, (unsigned long long)sums->waiting,
				 (unsigned long long)sums->idle, (unsigned long long)sums->idle_while_waiting);
	else if (sums->samples)
		text_buffer__add(&text, "tasks waited in %.1f %% of %llu samples; CPUs were idle in %.1f %%, "
				 "in %.1f %% while tasks waited for others\n", percent(sums->waiting, sums->samples), (unsigned long long)sums->samples, percent(sums->idle, sums->samples),
				 percent(sums->idle_while_waiting, sums->samples));
	interval__text(tool, &text);
}

static void add_interval(const struct tool *tool, const struct interval *interval)
{
	const struct runqlen_counts *counts = interval->cells;

	(void)tool;
	for (size_t i = 0; i < interval->sums; i++)
		ticks += counts[i].samples;
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct runqlen_counts *counts = interval->cells;
	struct runqlen_counts sums = { .samples = 0 };

	for (size_t i = 0; i < interval->sums; i++) {
		print_cpu(tool, interval, &counts[i], i);
		sums.samples += counts[i].samples;
		sums.waiting += counts[i].waiting;
		sums.idle += counts[i].idle;
		sums.idle_while_waiting += counts[i].idle_while_waiting;
	}
	print_sums(tool, &sums);
	return sums.samples;
}

static const struct metric metrics[] = {
	{ "run_queue_tasks", "How many tasks waited for a CPU, by samples.", METRIC_HIST, NULL, "cpu" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "runqlen",
	.summary = "Counts how many tasks wait for each CPU, by samples.",
	.examples = "  sudo runqlen             until Ctrl-C\n"
		    "  sudo runqlen -T 1 10     each second, ten times\n"
		    "  sudo runqlen --per-cpu   which CPUs tasks wait for\n",
	.options = options,
	.parse = parse,
	.foreign_options = foreign_options,
	.ready = ready,
	.counts = true,
	.by = by,
	.no_task = "a queue has tasks of all processes",
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(HIST_PLAIN);
	struct counter counter = {
		.period_ms = 1000, .start = start, .read = follow_cpus, .cut = cut, .stop = stop, .tally = count_missed,
	};
	struct tool tool = { .about = &about, .shape = &shape, .attach_own = attach, .counter = &counter, .add_interval = add_interval };

	counter.ctx = &tool;
	tool__parse(&tool, argc, argv);
	/* each length has a row of its own */
	if (!shape.linear_count)
		hist_shape__parse_linear(&shape, "0,64,1");
	snprintf(ready, sizeof(ready), "Sampling each CPU at %u Hz. Ctrl-C ends it.", hz);
	timers.period = NS_PER_S / hz;
	tool.by_cpu = per_cpu;
	skel = runqlen_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel))
		skel->rodata->cpus = (uint32_t)libbpf_num_possible_cpus();
	tool__run_intervals(&tool, skel, print_interval);
	timers__close(&timers);
	runqlen_bpf__destroy(skel);
	return tool__finish(&tool);
}

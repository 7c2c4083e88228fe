/* SPDX-License-Identifier: BSD-2-Clause */
/* hardirqs: how often the handlers of hardware interrupts run and how long, by line and name. */
#include <errno.h>
#include <stdlib.h>

#include "hardirqs.h"
#include "hardirqs.skel.h"
#include "lib/print/others.h"
#include "lib/print/text.h"
#include "lib/run/foreign_options.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/task_keys.h"
#include "lib/run/renamed.h"
#include "lib/run/ranking.h"

#define NAME_MAX_SIZE (HARDIRQ_NAME_SIZE + sizeof(TEXT_MORE))

enum { KEY_PER_CPU = 0x200 };

static bool with_times = true, histograms, per_cpu;

static const struct argp_option options[] = {
	{ "count", 'C', NULL, 0, "counts only, without times", 0 },
	{ "dist", 'H', NULL, 0, "a histogram for each handler", 0 },
	{ NULL, 'D', NULL, OPTION_HIDDEN, NULL, 0 },
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
	const struct tool *tool = state->input;

	(void)arg;
	switch (key) {
	case 'C':
		with_times = false;
		return 0;
	case 'H':
		histograms = true;
		return 0;
	case KEY_PER_CPU:
		per_cpu = true;
		return 0;
	case ARGP_KEY_END:
		if (!with_times && histograms)
			usage_error("-C and -H exclude each other");
		if (tool->shape->linear_count)
			usage_error("--linear: the buckets of these histograms are powers of two");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Text has the times where there are any, JSON has them always. */
static const struct out_column columns[] = {
	{ "CPU", 4, &per_cpu, NULL },
	{ "IRQ", 6, NULL, NULL },
	{ "HARDIRQ", -24, NULL, "irq_name" },
	{ "COUNT", 10, NULL, NULL },
	{ interval_total_name, 12, &with_times, "total_ns" },
	{ "AVG", 10, &with_times, "avg_ns" },
	{ "P99<=", 10, &with_times, "p99_ns" },
	{ "MAX<=", 10, &with_times, "max_ns" },
	{ NULL, 0, NULL, NULL },
};

static void describe_key(const struct tool *tool, const void *data, struct interval_key *to)
{
	const struct hardirq_key *key = data;
	char name[NAME_MAX_SIZE], text[TEXT_ESCAPED_MAX(NAME_MAX_SIZE) + 1], json[TEXT_QUOTED_MAX(NAME_MAX_SIZE) + 1];
	size_t size = text__name(name, key->name, sizeof(key->name)), characters;
	bool valid;

	*text__escape(text, name, size, &characters) = 0;
	*text__quote(json, name, size, &valid) = 0;
	if (per_cpu) {
		snprintf(to->text, sizeof(to->text), "cpu = %u, irq = %u %s", key->cpu, key->irq, text);
		snprintf(to->json, sizeof(to->json), "{\"cpu\":%u,\"irq\":%u,\"irq_name\":%s}", key->cpu, key->irq, json);
		return;
	}
	snprintf(to->text, sizeof(to->text), "irq = %u %s", key->irq, text);
	snprintf(to->json, sizeof(to->json), "{\"irq\":%u,\"irq_name\":%s}", key->irq, json);
}

static uint64_t count_of(const void *value)
{
	const struct hist_rough *hist = value;
	uint64_t count = 0;

	for (size_t i = 0; i < HIST_ROUGH_SLOTS; i++)
		count += hist->slots[i];
	return count;
}

static uint64_t time_of(const void *value)
{
	return ((const struct hist_rough *)value)->sum;
}

/* key: NULL for the others. */
static uint64_t print_row(struct tool *tool, const struct interval *interval, const struct hardirq_key *key,
			  const struct hist_rough *hist)
{
	struct hist_view times = hist_view__of_rough(tool->shape, hist);
	uint64_t count = count_of(hist);
	char name[NAME_MAX_SIZE];

	if (!count)
		return 0;
	out__row(&tool->out, interval->end_ns);
	if (key && per_cpu)
		out__int(&tool->out, key->cpu);
	else
		out__none(&tool->out);
	if (key) {
		out__int(&tool->out, key->irq);
		out__string(&tool->out, name, text__name(name, key->name, sizeof(key->name)));
	} else {
		out__none(&tool->out);
		out__string(&tool->out, OTHERS, sizeof(OTHERS));
	}
	out__int(&tool->out, (int64_t)count);
	if (with_times) {
		interval__times(tool, &times);
	} else {
		for (int i = 0; i < 4; i++)
			out__none(&tool->out);
	}
	out__end(&tool->out);
	return count;
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct hardirq_counts *counts = interval->cells;
	const struct table *table = interval->table;
	struct hist_rough others = counts->others;
	struct ranked *ranking;
	uint64_t counted = 0;

	if (histograms)
		return interval__hists(tool, interval, &counts->others, describe_key);
	ranking = ranking__make(table, with_times ? time_of : count_of);
	if (!ranking) {
		tool__fail(tool, -ENOMEM, "no memory for %zu rows", table->count);
		return 0;
	}
	for (size_t i = 0; i < table->count; i++) {
		const struct hist_rough *hist = table__value(table, ranking[i].row);

		if (i < tool->options.rows_max)
			counted += print_row(tool, interval, table__key(table, ranking[i].row), hist);
		else
			interval__add_hist(&others, hist);
	}
	free(ranking);
	return counted + print_row(tool, interval, NULL, &others);
}

static const struct metric metrics[] = {
	{ "hardirqs_total", "Interrupts that were handled.", METRIC_COUNT, "count", "irq,irq_name=name,cpu" },
	{ "hardirq_seconds_total", "Time that the handlers of interrupts took.", METRIC_TIME, "total_ns", "irq,irq_name=name,cpu" },
	{ "hardirq_seconds", "How long a handler of an interrupt took.", METRIC_HIST, NULL, "irq,irq_name=name,cpu" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "hardirqs",
	.summary = "Counts hardware interrupts and the time that their handlers run, by line and name.",
	.examples = "  sudo hardirqs            until Ctrl-C\n"
		    "  sudo hardirqs -T 1 10    each second, ten times\n"
		    "  sudo hardirqs -C 1       counts only\n"
		    "  sudo hardirqs --per-cpu  are they spread over the CPUs?\n"
		    "  sudo hardirqs -H 5       histograms, each five seconds\n",
	.options = options,
	.parse = parse,
	.foreign_options = foreign_options,
	.renamed = renamed,
	.columns = columns,
	.ready = "Counting hardware interrupts. Ctrl-C ends it.",
	.counts = true,
	.by = by,
	.no_task = "interrupts hit whatever task runs, and are handled for none",
	.begun_word = offsetof(struct hardirq_counts, begun_ns) / sizeof(uint64_t) + 1,
	.keys_max = HARDIRQ_KEYS,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(HIST_USECS);
	struct tool tool = { .about = &about, .shape = &shape };
	struct hardirqs_bpf *skel;

	tool__parse(&tool, argc, argv);
	if (histograms)
		tool.columns = NULL;
	skel = hardirqs_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->with_times = with_times;
		skel->rodata->per_cpu = per_cpu;
		bpf_program__set_autoload(skel->progs.irq_handler_entry, with_times);
	}
	tool__run_intervals(&tool, skel, print_interval);
	hardirqs_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* softirqs: how often softirqs run and how long, by vector. */
#include "lib/run/intervals.h"
#include "softirqs.h"
#include "softirqs.skel.h"

static bool histograms;

static const struct argp_option options[] = {
	{ "dist", 'D', NULL, 0, "a histogram for each softirq", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg, (void)state;
	if (key != 'D')
		return ARGP_ERR_UNKNOWN;
	histograms = true;
	return 0;
}

static const struct out_column columns[] = {
	{ "SOFTIRQ", -10, NULL, NULL },
	{ "COUNT", 10, NULL, NULL },
	INTERVAL_TIME_COLUMNS,
	{ NULL, 0, NULL, NULL },
};

/* include/linux/interrupt.h, as /proc/softirqs has them, in lower case */
static const char *const names[SOFTIRQS] = {
	"hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched", "hrtimer", "rcu",
};

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct softirq_counts *counts = interval->cells;
	uint64_t counted = 0;
	char key[64];

	for (size_t i = 0; i < SOFTIRQS; i++) {
		struct hist_view time = hist_view__of(tool->shape, &counts[i].time);
		uint64_t count = hist_view__count(&time);

		counted += count;
		if (!count)
			continue;
		if (histograms) {
			snprintf(key, sizeof(key), "{\"softirq\":\"%s\"}", names[i]);
			interval__hist(tool, interval, &time, names[i], key);
			continue;
		}
		out__row(&tool->out, interval->end_ns);
		out__string(&tool->out, names[i], strlen(names[i]));
		out__int(&tool->out, (int64_t)count);
		interval__times(tool, &time);
		out__end(&tool->out);
	}
	return counted;
}

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(HIST_USECS);
	struct tool tool = {
		.name = "softirqs",
		.summary = "Counts softirqs and the time that they run, by vector.",
		.examples = "  sudo softirqs            until Ctrl-C\n"
			    "  sudo softirqs -T 1 10    each second, ten times\n"
			    "  sudo softirqs -D 5       histograms, each five seconds\n",
		.options = options,
		.parse = parse,
		.columns = columns,
		.ready = "Counting softirqs. Ctrl-C ends it.",
		.counts = true,
		.no_task = "softirqs interrupt whatever task runs, and are done for none",
		.shape = &shape,
	};
	struct softirqs_bpf *skel;

	tool__parse(&tool, argc, argv);
	if (histograms)
		tool.columns = NULL;
	skel = softirqs_bpf__open_opts(tool__open_opts(&tool));
	tool__run_intervals(&tool, skel, print_interval);
	softirqs_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* foocount: how many tasks are made. */
#include "foocount.h"
#include "foocount.skel.h"
#include "lib/run/intervals.h"

static const struct out_column columns[] = {
	{ "KIND", -10, NULL, NULL },
	{ "COUNT", 10, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static const char *const names[FOOCOUNT_CLASSES] = { "processes", "threads" };

/* Prints a row for each class, and gives the number of events. */
static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct foocount_counts *counts = interval->cells;
	uint64_t counted = 0;

	for (int i = 0; i < FOOCOUNT_CLASSES; i++) {
		counted += counts[i].made;
		out__row(&tool->out, interval->end_ns);
		out__string(&tool->out, names[i], strlen(names[i]));
		out__int(&tool->out, (int64_t)counts[i].made);
		out__end(&tool->out);
	}
	return counted;
}

static const struct tool_about about = {
	.name = "foocount",
	.summary = "Counts tasks being made.",
	.examples = "  sudo foocount            until Ctrl-C\n"
		    "  sudo foocount -T 1 10    each second, ten times\n"
		    "  sudo foocount -n bash    those that bash makes\n",
	.columns = columns,
	.counts = true,
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about };
	struct foocount_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = foocount_bpf__open_opts(tool__open_opts(&tool));
	tool__run_intervals(&tool, skel, print_interval);
	foocount_bpf__destroy(skel);
	return tool__finish(&tool);
}

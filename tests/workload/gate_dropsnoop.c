/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gate_dropsnoop: a tool that drops events on purpose, so that the test of the accounting law can be seen to fail.  How it
 * does is told by GATE_BREAK in the environment, a number of enum gate_break; without it the tool is sound.
 */
#include <stdlib.h>

#include "gate_dropsnoop.h"
#include "lib/run/tool.h"
#include "workload/gate_dropsnoop.skel.h"

static enum gate_break break_what;

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ NULL, 0, NULL, NULL },
};

static void print_event(struct tool *tool, const void *data, size_t size)
{
	static unsigned int seen;

	if (break_what == GATE_SWALLOW && ++seen % 100 == 0)
		return;
	tool__row(tool, data);
}

static const struct tool_about about = {
	.name = "gate_dropsnoop",
	.summary = "Shows opens, and drops some.",
	.columns = columns,
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about };
	struct gate_dropsnoop_bpf *skel;

	break_what = getenv("GATE_BREAK") ? (enum gate_break)atoi(getenv("GATE_BREAK")) : GATE_NOTHING;
	tool__parse(&tool, argc, argv);
	skel = gate_dropsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->break_what = break_what;
		tool__load(&tool);
	}
	tool__run(&tool, skel, print_event);
	gate_dropsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* foosnoop: tasks being made, by whom. */
#include "foosnoop.h"
#include "foosnoop.skel.h"
#include "lib/run/tool.h"

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "CHILD", -7, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct foosnoop_event *event = data;

	/* a value for each of the columns, in their order */
	tool__row(tool, &event->task);
	out__int(&tool->out, event->child);
}

static const struct tool_about about = {
	.name = "foosnoop",
	.summary = "Shows tasks being made: by whom, and their number.",
	.examples = "  sudo foosnoop          every new task on the system\n"
		    "  sudo foosnoop -n bash  those that bash makes\n",
	.columns = columns,
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about };
	struct foosnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = foosnoop_bpf__open_opts(tool__open_opts(&tool));
	tool__run(&tool, skel, print_event);
	foosnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* foosnoop: calls of kill(2). */
#include "foosnoop.h"
#include "foosnoop.skel.h"
#include "lib/run/tool.h"

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "TPID", -7, NULL, NULL },
	{ "SIG", 3, NULL, "signal" },
	{ NULL, 0, NULL, NULL },
};

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct foosnoop_event *event = data;

	/* a value for each of the columns, in their order */
	tool__row(tool, &event->task);
	out__int(&tool->out, event->tpid);
	out__int(&tool->out, event->signal);
}

static const struct tool_about about = {
	.name = "foosnoop",
	.summary = "Shows calls of kill(2): by whom, to which process, and the signal.",
	.examples = "  sudo foosnoop          every call on the system\n"
		    "  sudo foosnoop -n bash  those of bash\n",
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

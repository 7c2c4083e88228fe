/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gate_faultysnoop: a tool with a mistake of its author, so that it can be seen how the library refuses it.  Which one is
 * told by GATE_FAULT in the environment, a number of enum gate_fault; without it the tool is sound.
 */
#include <stdlib.h>

#include "gate_faultysnoop.h"
#include "lib/run/tool.h"
#include "workload/gate_faultysnoop.skel.h"

static enum gate_fault fault;

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "NUMBER", -7, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct faulty_event *event = data;
	int values = fault == FAULT_NO_VALUE ? 0 : fault == FAULT_NO_COLUMN ? 2 : fault == FAULT_MANY_VALUES ? 100 : 1;

	tool__row(tool, &event->task);
	while (values--)
		out__int(&tool->out, event->number);
}

static struct bpf_program *program_of(struct gate_faultysnoop_bpf *skel)
{
	switch (fault) {
	case FAULT_OTHER_STRUCT: return skel->progs.other_struct;
	case FAULT_OTHER_EVENT:
	case FAULT_SAME_CLASS: return skel->progs.bare;
	case FAULT_NOT_ATTACHED: return skel->progs.not_attached;
	case FAULT_NO_FUNCTION: return skel->progs.no_function;
	case FAULT_FUNCTION: return skel->progs.function;
	default: return skel->progs.sound;
	}
}

static const struct tool_about about = {
	.name = "gate_faultysnoop",
	.summary = "Shows tasks being made, or does not.",
	.columns = columns,
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about };
	struct gate_faultysnoop_bpf *skel;

	fault = getenv("GATE_FAULT") ? (enum gate_fault)atoi(getenv("GATE_FAULT")) : FAULT_NONE;
	tool__parse(&tool, argc, argv);
	skel = gate_faultysnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		bpf_program__set_autoload(program_of(skel), true);
		tool__load(&tool);
		if (fault == FAULT_OTHER_EVENT)
			tool__attach_tracepoint(&tool, skel->progs.bare, &skel->links.bare, "sched/sched_switch", 0);
		if (fault == FAULT_SAME_CLASS)
			tool__attach_tracepoint(&tool, skel->progs.bare, &skel->links.bare, "sched/sched_wakeup", 0);
	}
	tool__run(&tool, skel, print_event);
	gate_faultysnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

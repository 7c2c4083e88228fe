/* SPDX-License-Identifier: BSD-2-Clause */
/* solisten: internet sockets that begin to listen, by whom, with which backlog, with what result. */
#include "lib/kernel/kernel.h"
#include "lib/print/error.h"
#include "lib/probe/syscall_exits.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/sockets.h"
#include "lib/stacks/row_stacks.h"
#include "solisten.h"
#include "solisten.skel.h"

static const struct argp_option options[] = {
	SOCKETS_LOCAL_OPTIONS,
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "--show-netns", "-N has that column" },
	{ NULL, NULL },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	SOCKETS_CALL_COLUMNS,
	{ "BACKLOG", 10, NULL, NULL },
	{ "EFFECTIVE", 9, NULL, "effective_backlog" },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "IP", "PROTO", NULL };

static const enum syscall_id calls[] = { TRACED_CALLS(SYSCALLS_ID) SYSCALL_NONE };

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct solisten_event *event = data;
	struct out *out = &tool->out;

	tool__row(tool, &event->task);
	sockets__call_columns(out, &event->call);
	if (event->has_backlog)
		out__int(out, event->backlog);
	else
		out__none(out);
	if (event->has_effective)
		out__int(out, event->effective);
	else
		out__none(out);
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct solisten_event *event = data;

	(void)size;
	return record__is_result(event->call.result);
}

static const struct tool_about about = {
	.name = "solisten",
	.summary = "Shows internet sockets that begin to listen: by whom, with which backlog, with what result.",
	.examples = "  sudo solisten             every listen(2) of an internet socket\n"
		    "  sudo solisten -x          those that fail\n"
		    "  sudo solisten -P 443      who listens at port 443, or tries to\n"
		    "  sudo solisten -N -T       with times and network namespaces\n",
	.options = options,
	.parse = sockets__parse,
	.foreign_options = foreign_options,
	.columns = columns,
	.spare = spare,
	ROW_STACKS(ROW_STACK_USER),
	.has_result = true,
	RECORDS(solisten, sizeof(struct solisten_event), .is_intact = is_intact, .shown = RECORD_KEYS('N')),
	.metrics = METRIC_OF_ROWS("socket_listens_total", "System calls that have a socket listen."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	enum syscall_exits_way way;
	struct solisten_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = solisten_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->have_task_pt_regs = kernel__has_task_pt_regs();
		way = syscall_exits__choose(skel->skeleton, &attach, calls, true);
		skel->rodata->refused_by = syscall_exits__see_refused(&attach, way, calls);
		sockets__set_filter(&tool);
		tool__load(&tool);
		syscall_exits__attach(skel->skeleton, &attach, calls);
	}
	tool__run(&tool, skel, print_event);
	solisten_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* bindsnoop: internet sockets being bound to an address, by whom, with which options, with what result. */
#include "lib/kernel/kernel.h"
#include "lib/print/error.h"
#include "lib/print/flags.h"
#include "lib/print/protocol.h"
#include "lib/probe/syscall_exits.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/sockets.h"
#include "lib/stacks/row_stacks.h"
#include "bindsnoop.h"
#include "bindsnoop.skel.h"

static const struct argp_option options[] = {
	SOCKETS_LOCAL_OPTIONS,
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-E", "-x shows calls that fail, and without it all are shown" },
	{ "--errors", "-x shows calls that fail, and without it all are shown" },
	{ "-w", "addresses are never cut" },
	{ "--wide", "addresses are never cut" },
	{ NULL, NULL },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	SOCKETS_CALL_COLUMNS,
	{ "ASKED", 5, &tool_not_shown, "asked_port" },
	{ "IF", 3, NULL, "ifindex" },
	{ "OPTIONS", 0, NULL, "options" },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "IF", "IP", "PROTO", NULL };

static const enum syscall_id calls[] = { TRACED_CALLS(SYSCALLS_ID) SYSCALL_NONE };

static void print_options(struct out *out, uint32_t set)
{
	static const struct flag_name names[] = {
		{ BIND_REUSEADDR, "reuseaddr" }, { BIND_REUSEPORT, "reuseport" }, { BIND_FREEBIND, "freebind" },
		{ BIND_TRANSPARENT, "transparent" }, { BIND_ADDRESS_NO_PORT, "bind_address_no_port" }, { BIND_V6ONLY, "v6only" },
		{ 0, NULL },
	};
	char text[96];

	if (set)
		out__string(out, flags__text(names, set, text, sizeof(text)), sizeof(text));
	else
		out__none(out);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct bindsnoop_event *event = data;
	struct out *out = &tool->out;

	tool__row(tool, &event->task);
	sockets__call_columns(out, &event->call);
	if (event->has_asked)
		out__int(out, event->asked_port);
	else
		out__none(out);
	if (event->ifindex)
		out__int(out, event->ifindex);
	else
		out__none(out);
	print_options(out, event->options);
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct bindsnoop_event *event = data;

	(void)size;
	return record__is_result(event->call.result);
}

static const struct tool_about about = {
	.name = "bindsnoop",
	.summary = "Shows internet sockets being bound to an address: by whom, with which options, with what result.",
	.examples = "  sudo bindsnoop            every bind(2) of an internet socket\n"
		    "  sudo bindsnoop -x         those that fail, such as \"address already in use\"\n"
		    "  sudo bindsnoop -P 443     who takes port 443, or tries to\n"
		    "  sudo bindsnoop --ustack   with the place in the program\n",
	.options = options,
	.parse = sockets__parse,
	.foreign_options = foreign_options,
	.columns = columns,
	.spare = spare,
	ROW_STACKS(ROW_STACK_USER),
	.has_result = true,
	RECORDS(bindsnoop, sizeof(struct bindsnoop_event), .is_intact = is_intact, .shown = RECORD_KEYS('N')),
	.metrics = METRIC_OF_ROWS("socket_binds_total", "System calls that bind a socket to an address."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	enum syscall_exits_way way;
	struct bindsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = bindsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->have_task_pt_regs = kernel__has_task_pt_regs();
		way = syscall_exits__choose(skel->skeleton, &attach, calls, true);
		skel->rodata->refused_by = syscall_exits__see_refused(&attach, way, calls);
		sockets__set_filter(&tool);
		tool__load(&tool);
		syscall_exits__attach(skel->skeleton, &attach, calls);
	}
	tool__run(&tool, skel, print_event);
	bindsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

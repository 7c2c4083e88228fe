/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpstates: changes of the state of TCP sockets, with the time in the old state. */
#include <stdio.h>

#include "lib/printfmt/value_names.h"
#include "lib/probe/attach.h"
#include "lib/run/metrics.h"
#include "lib/run/sockets.h"
#include "tcpstates.h"
#include "tcpstates.skel.h"

#define BYTES(member) OUT_BYTES(struct tcpstates_event, member)
static const struct out_column columns[] = {
	{ "SKADDR", -18, NULL, NULL, { BYTES(skaddr) } },
	TOOL_TASK_COLUMNS,
	ADDRESS_COLUMNS(struct tcpstates_event, ends),
	{ "OLDSTATE", -11, NULL, NULL, { BYTES(oldstate) } },
	{ "NEWSTATE", -11, NULL, NULL, { BYTES(newstate) } },
	{ "MS", 10, NULL, "duration_ms" },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "SKADDR", "LADDR", "IP", "LPORT", "COMM", NULL };

static struct value_names *states;

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct tcpstates_event *event = data;
	struct out *out = &tool->out;
	char address[32];

	out__row(out, event->task.ts_ns);
	/* a string in JSON too, whose numbers most readers take for doubles */
	out__string(out, address, (size_t)snprintf(address, sizeof(address), "0x%llx", (unsigned long long)event->skaddr));
	sockets__task(tool, &event->task);
	address__columns(out, &event->ends);
	sockets__state(out, states, event->oldstate);
	sockets__state(out, states, event->newstate);
	if (event->old_ns)
		out__milliseconds(out, event->old_ns / 1000);
	else
		out__none(out);
}

static const struct tool_about about = {
	.name = "tcpstates",
	.summary = "Shows TCP sockets going from one state to another: whose they are, and the time in the old state.",
	.examples = "  sudo tcpstates            every change on the system\n"
		    "  sudo tcpstates -n nginx   whose sockets are nginx's\n"
		    "  sudo tcpstates -T -N      with times and network namespaces\n",
	.options = sockets_options,
	.parse = sockets__parse,
	.foreign_options = sockets_foreign_options,
	.columns = columns,
	.spare = spare,
	.metrics = METRIC_OF_ROWS("tcp_state_changes_total", "Changes of the state of TCP sockets."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach, .before_summary = sockets__report_no_room };
	struct tcpstates_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = tcpstates_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		/* without them the states are numbers */
		value_names__load(&states, "sock/inet_sock_set_state", "newstate");
		sockets__choose_programs(&tool);
		tool__load(&tool);
		sockets__attach_accept(&tool);
	}
	tool__run(&tool, skel, print_event);
	tcpstates_bpf__destroy(skel);
	value_names__free(states);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpaccept: TCP connections being accepted: by whom, where from, after what time in the queue. */
#include "lib/probe/attach.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/sockets.h"
#include "tcpaccept.h"
#include "tcpaccept.skel.h"

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	ADDRESS_COLUMNS(struct tcpaccept_event, ends),
	{ "QUEUE(ms)", 10, NULL, "queue_ms" },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "IP", "LPORT", "LADDR", NULL };

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct tcpaccept_event *event = data;

	tool__row(tool, &event->task);
	address__columns(&tool->out, &event->ends);
	if (event->queue_known)
		out__milliseconds(&tool->out, event->queue_ns / 1000);
	else
		out__none(&tool->out);
}

static const struct tool_about about = {
	.name = "tcpaccept",
	.summary = "Shows TCP connections being accepted: by whom, where from, after what time in the queue.",
	.examples = "  sudo tcpaccept            every connection that this machine accepts\n"
		    "  sudo tcpaccept -n nginx   those that nginx accepts\n"
		    "  sudo tcpaccept -T -N      with times and network namespaces\n",
	.options = sockets_options,
	.parse = sockets__parse,
	.foreign_options = sockets_foreign_options,
	.columns = columns,
	.spare = spare,
	RECORDS(tcpaccept, sizeof(struct tcpaccept_event), .shown = RECORD_KEYS('N')),
	.metrics = METRIC_OF_ROWS("tcp_accepts_total", "TCP connections that were accepted."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach, .before_summary = sockets__report_no_room };
	struct tcpaccept_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = tcpaccept_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		sockets__choose_programs(&tool);
		tool__load(&tool);
		sockets__attach_accept(&tool);
	}
	tool__run(&tool, skel, print_event);
	tcpaccept_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* tcplife: TCP connections when they end: whose they were, how long they lived, what they carried. */
#include "lib/probe/attach.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/sockets.h"
#include "tcplife.h"
#include "tcplife.skel.h"

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	ADDRESS_COLUMNS(struct tcplife_event, ends),
	{ "TX_BYTES", 10, NULL, NULL },
	{ "RX_BYTES", 10, NULL, NULL },
	{ "RETRANS_BYTES", 0, &tool_not_shown, NULL },
	{ "MS", 10, NULL, "duration_ms" },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "LADDR", "IP", "LPORT", "COMM", NULL };

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct tcplife_event *event = data;
	struct out *out = &tool->out;

	out__row(out, event->task.ts_ns);
	sockets__task(tool, &event->task);
	address__columns(out, &event->ends);
	out__int(out, (int64_t)event->sent);
	out__int(out, (int64_t)event->received);
	out__int(out, (int64_t)event->retransmitted);
	if (event->life_ns)
		out__milliseconds(out, event->life_ns / 1000);
	else
		out__none(out);
}

static const struct tool_about about = {
	.name = "tcplife",
	.summary = "Shows TCP connections when they end: whose they were, how long they lived, what they carried.",
	.examples = "  sudo tcplife             every connection on the system\n"
		    "  sudo tcplife -n nginx    those that nginx made or accepted\n"
		    "  sudo tcplife -T -N       with times and network namespaces\n"
		    "  sudo tcplife -j -d 60    a minute of them, as JSON\n",
	.options = sockets_options,
	.parse = sockets__parse,
	.foreign_options = sockets_foreign_options,
	.columns = columns,
	.spare = spare,
	RECORDS(tcplife, sizeof(struct tcplife_event), .shown = RECORD_KEYS('N')),
	.metrics = METRIC_OF_ROWS("tcp_connections_ended_total", "TCP connections that ended."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach, .before_summary = sockets__report_no_room };
	struct tcplife_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = tcplife_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		sockets__choose_programs(&tool);
		tool__load(&tool);
		sockets__attach_accept(&tool);
	}
	tool__run(&tool, skel, print_event);
	tcplife_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpretrans: TCP segments being sent again: of which connection, in which state. */
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/print/error.h"
#include "lib/printfmt/value_names.h"
#include "lib/probe/attach.h"
#include "lib/run/metrics.h"
#include "lib/run/sockets.h"
#include "tcpretrans.h"
#include "tcpretrans.skel.h"

static struct {
	bool tlp;
} opt;

static const struct argp_option options[] = {
	SOCKETS_OPTIONS,
	{ "tlp", 'l', NULL, 0, "tail loss probes too", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	ADDRESS_COLUMNS(struct tcpretrans_event, ends),
	{ "TYPE", -7, NULL, "kind" },
	{ "STATE", -12, NULL, NULL },
	{ "SEQ", 10, NULL, NULL },
	TOOL_ERROR_COLUMNS,
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "IP", "SEQ", "LADDR", "LPORT", NULL };

static struct value_names *states;

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != 'l')
		return sockets__parse(key, arg, state);
	opt.tlp = true;
	return 0;
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	static const char *const types[] = {
		[RETRANS_SEGMENT] = "segment", [RETRANS_SYNACK] = "synack", [RETRANS_PROBE] = "tlp",
	};
	const struct tcpretrans_event *event = data;
	struct out *out = &tool->out;

	out__row(out, event->task.ts_ns);
	address__columns(out, &event->ends);
	out__string(out, types[event->type], strlen(types[event->type]));
	sockets__state(out, states, event->state);
	if (event->type == RETRANS_SEGMENT)
		out__int(out, event->seq);
	else
		out__none(out);
	error__columns(out, event->err);
}

static void choose_programs(const struct tcpretrans_bpf *skel)
{
	/* the raw tracepoint's arguments do not safely tell whether there is an err */
	bool records = kernel__preempts_programs() || value_names__has_field("tcp/tcp_retransmit_skb", "err");

	bpf_program__set_autoload(skel->progs.segment_raw, !records);
	bpf_program__set_autoload(skel->progs.synack_raw, !records);
	bpf_program__set_autoload(skel->progs.segment_record, records);
	bpf_program__set_autoload(skel->progs.synack_record, records);
	bpf_program__set_autoload(skel->progs.loss_probe, opt.tlp);
}

static const struct tool_about about = {
	.name = "tcpretrans",
	.summary = "Shows TCP segments being sent again: of which connection, in which state.",
	.examples = "  sudo tcpretrans           every retransmission\n"
		    "  sudo tcpretrans -l -T     tail loss probes too, with times\n"
		    "  sudo tcpretrans -N        with the network namespace\n",
	.options = options,
	.parse = parse,
	.foreign_options = sockets_foreign_options,
	.columns = columns,
	.spare = spare,
	.no_task = "a retransmission is made by a timer or an interrupt, in any task that it hits",
	.metrics = METRIC_OF_ROWS("tcp_retransmits_total", "TCP segments that were sent again."),
};

int main(int argc, char **argv)
{
	static const char *const probe_functions[] = { "tcp_send_loss_probe", NULL };
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct tcpretrans_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = tcpretrans_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		/* tcp_retransmit_skb has a list of its own, whose numbers are names that the kernel did not resolve (7.3) */
		value_names__load(&states, "sock/inet_sock_set_state", "newstate");
		choose_programs(skel);
		sockets__set_filter(&tool);
		tool__load(&tool);
		if (!tool.err)
			attach__kprobe(&attach, skel->progs.loss_probe, &skel->links.loss_probe, probe_functions);
	}
	tool__run(&tool, skel, print_event);
	tcpretrans_bpf__destroy(skel);
	value_names__free(states);
	return tool__finish(&tool);
}

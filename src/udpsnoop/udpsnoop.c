/* SPDX-License-Identifier: BSD-2-Clause */
/* udpsnoop: UDP sockets that send and receive: who, from where, to where, how much, with what result. */
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/print/error.h"
#include "lib/printfmt/value_names.h"
#include "lib/probe/attach.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/sockets.h"
#include "udpsnoop.h"
#include "udpsnoop.skel.h"

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "TYPE", -4, NULL, "kind", { OUT_BYTES(struct udpsnoop_event, op) } },
	TOOL_COUNTED_ERROR_COLUMNS(OUT_BYTES(struct udpsnoop_event, err)),
	ADDRESS_COLUMNS(struct udpsnoop_event, ends),
	{ "BYTES", 5, NULL, NULL, { OUT_BYTES(struct udpsnoop_event, bytes), OUT_BYTES(struct udpsnoop_event, err) } },
	{ "DATAGRAM_BYTES", 5, &tool_not_shown, NULL, { OUT_BYTES(struct udpsnoop_event, op), OUT_BYTES(struct udpsnoop_event, datagram_bytes) } },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "IP", "LADDR", "LPORT", NULL };

static void print_event(struct tool *tool, const void *data, size_t size)
{
	static const char *const ops[UDP_OPS_COUNT] = { [UDP_SEND] = "send", [UDP_RECV] = "recv", [UDP_DROP] = "drop" };
	const struct udpsnoop_event *event = data;
	struct out *out = &tool->out;

	out__row(out, event->task.ts_ns);
	sockets__task(tool, &event->task);
	out__string(out, ops[event->op], strlen(ops[event->op]));
	error__columns(out, event->err);
	address__columns(out, &event->ends);
	if (event->err)
		out__none(out);
	else
		out__int(out, event->bytes);
	if (event->op == UDP_RECV)
		out__int(out, event->datagram_bytes);
	else
		out__none(out);
}

static void choose_programs(const struct udpsnoop_bpf *skel)
{
	bool records = value_names__has_field("udp/udp_fail_queue_rcv_skb", "saddr");
	bool pages = kernel__version() < kernel_version(6, 5, 0);

	bpf_program__set_autoload(skel->progs.dropped_raw, !records);
	bpf_program__set_autoload(skel->progs.dropped_record, records);
	bpf_program__set_autoload(skel->progs.v6_enter, kernel__has_ipv6());
	bpf_program__set_autoload(skel->progs.v6_exit, kernel__has_ipv6());
	bpf_program__set_autoload(skel->progs.page_enter, pages);
	bpf_program__set_autoload(skel->progs.page_exit, pages);
}

/* The return first: a call that was seen to begin is then seen to end. */
static void attach_probes(struct tool *tool, struct udpsnoop_bpf *skel)
{
	static const char *const v4[] = { "udp_sendmsg", NULL }, *const v6[] = { "udpv6_sendmsg", NULL };
	static const char *const page[] = { "udp_sendpage", NULL }, *const consume[] = { "skb_consume_udp", NULL };
	struct attach *attach = tool->attach;
	struct fault fault;

	attach__kprobe(attach, skel->progs.v4_exit, &skel->links.v4_exit, v4);
	attach__kprobe(attach, skel->progs.v4_enter, &skel->links.v4_enter, v4);
	attach__kprobe(attach, skel->progs.v6_exit, &skel->links.v6_exit, v6);
	attach__kprobe(attach, skel->progs.v6_enter, &skel->links.v6_enter, v6);
	attach__kprobe(attach, skel->progs.received, &skel->links.received, consume);
	if (attach->err || bpf_program__fd(skel->progs.page_exit) < 0)
		return;
	/* a distribution may have taken it out of an older kernel */
	if (attach__optional(attach, skel->progs.page_exit, &skel->links.page_exit, page, &fault) ||
	    attach__optional(attach, skel->progs.page_enter, &skel->links.page_enter, page, &fault)) {
		tool__debug(tool, "udp_sendpage: %s", fault.text);
		tool__needs_no_link(tool, skel->progs.page_exit);
		tool__needs_no_link(tool, skel->progs.page_enter);
	}
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct udpsnoop_event *event = data;

	(void)size;
	return event->op < UDP_OPS_COUNT;
}

static const struct tool_about about = {
	.name = "udpsnoop",
	.summary = "Shows UDP sockets that send and receive: who, from where, to where, how much, with what result.",
	.examples = "  sudo udpsnoop                every send and receipt, and what sockets drop\n"
		    "  sudo udpsnoop -D 53          what is sent to port 53\n"
		    "  sudo udpsnoop -x             sends that fail, datagrams that found no room\n"
		    "  sudo udpsnoop --count comm,kind,raddr,rport 5   who talks to whom\n"
		    "  sudo udpsnoop --hist bytes --count kind         sizes\n",
	.options = sockets_options,
	.parse = sockets__parse,
	.foreign_options = sockets_foreign_options,
	.columns = columns,
	.spare = spare,
	.has_result = true,
	RECORDS(udpsnoop, sizeof(struct udpsnoop_event), .is_intact = is_intact, .shown = RECORD_KEYS('N')),
	.metrics = METRIC_OF_ROWS("udp_calls_total", "Sends and receipts of UDP sockets, and datagrams that they dropped."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct udpsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = udpsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		choose_programs(skel);
		sockets__set_filter(&tool);
		tool__load(&tool);
		if (!tool.err)
			attach_probes(&tool, skel);
	}
	tool__run(&tool, skel, print_event);
	udpsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

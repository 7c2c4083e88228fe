/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpsynbl: connections that come to TCP sockets that listen, the length of their queues, and what these drop. */
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/probe/entries.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/sockets.h"
#include "tcpsynbl.h"
#include "tcpsynbl.skel.h"

static const struct out_column columns[] = {
	ADDRESS_COLUMNS(struct tcpsynbl_event, ends),
	{ "PACKET", -6, NULL, NULL, { OUT_BYTES(struct tcpsynbl_event, packet) } },
	{ "QUEUED", 6, NULL, NULL, { OUT_BYTES(struct tcpsynbl_event, queued) } },
	{ "LIMIT", 5, NULL, "queue_limit", { OUT_BYTES(struct tcpsynbl_event, limit) } },
	{ "SYNS", 5, NULL, "syn_queued", { OUT_BYTES(struct tcpsynbl_event, syn_queued) } },
	{ "DROPPED", 0, NULL, "full_queue", { OUT_BYTES(struct tcpsynbl_event, full) } },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "IP", "RPORT", NULL };

static void print_event(struct tool *tool, const void *data, size_t size)
{
	static const char *const packets[LISTEN_PACKETS] = { [LISTEN_SYN] = "syn", [LISTEN_ACK] = "ack" };
	static const char *const full[FULL_QUEUES] = { [FULL_SYN] = "syn-queue", [FULL_ACCEPT] = "accept-queue" };
	const struct tcpsynbl_event *event = data;
	struct out *out = &tool->out;

	(void)size;
	out__row(out, event->task.ts_ns);
	address__columns(out, &event->ends);
	out__string(out, packets[event->packet], strlen(packets[event->packet]));
	out__int(out, event->queued);
	out__int(out, event->limit);
	out__int(out, event->syn_queued);
	if (event->full)
		out__string(out, full[event->full], strlen(full[event->full]));
	else
		out__none(out);
}

/* In the order of enum tcpsynbl_entry. */
static const char *functions[] = { "tcp_conn_request", "tcp_v4_syn_recv_sock", "tcp_v6_syn_recv_sock", NULL };

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct tcpsynbl_event *event = data;

	(void)size;
	return event->packet < LISTEN_PACKETS && event->full < FULL_QUEUES;
}

static const struct tool_about about = {
	.name = "tcpsynbl",
	.summary = "Shows connections that come to TCP sockets that listen, the length of their queues, and what these drop.",
	.examples = "  sudo tcpsynbl                 each connection that is asked for\n"
		    "  sudo tcpsynbl -x              what is dropped, as a queue is full\n"
		    "  sudo tcpsynbl -x --count lport,packet 5   whose queues are full\n"
		    "  sudo tcpsynbl --hist queued --count lport   how long they are\n",
	.options = sockets_options,
	.parse = sockets__parse,
	.foreign_options = sockets_foreign_options,
	.columns = columns,
	.spare = spare,
	.has_result = true,
	.no_task = "a packet arrives in any task that its interrupt hits",
	RECORDS(tcpsynbl, sizeof(struct tcpsynbl_event), .is_intact = is_intact, .shown = RECORD_KEYS('N')),
	.metrics = METRIC_OF_ROWS("tcp_listen_packets_total", "SYNs that came to listeners, and packets that these dropped."),
};

/* At first: 3479c7549fb1 of 6.14, and of the stable releases of January 2025.  Distributions backport it, which the programs find out. */
static bool has_one_more(void)
{
	static const uint32_t first[] = {
		kernel_version(5, 15, 177), kernel_version(6, 1, 127), kernel_version(6, 6, 74), kernel_version(6, 12, 11),
	};
	uint32_t version = kernel__version();

	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		if (version >> 8 == first[i] >> 8)
			return version >= first[i];
	return version >= kernel_version(6, 14, 0);
}

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	uint64_t addresses[TCPSYNBL_ENTRIES] = { 0 };
	struct tcpsynbl_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = tcpsynbl_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		sockets__set_filter(&tool);
		skel->data_rule->one_more = has_one_more() ? 0 : -1;
		if (!kernel__has_ipv6())
			entries__leave_out(skel->obj, functions, ENTRY_ACK_V6);
		if (entries__choose(&attach, skel->obj, "any_entry", functions, addresses))
			for (int i = 0; i < TCPSYNBL_ENTRIES; i++)
				skel->rodata->entry_at[i] = addresses[i];
		if (!tool__load(&tool))
			entries__attach(&attach, skel->progs.any_entry, &skel->links.any_entry, functions);
	}
	tool__run(&tool, skel, print_event);
	tcpsynbl_bpf__destroy(skel);
	return tool__finish(&tool);
}

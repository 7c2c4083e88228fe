/* SPDX-License-Identifier: BSD-2-Clause */
/* skbdrop: packets that the kernel drops: which, where, and why, by the kernel's names. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/kernel/ksyms.h"
#include "lib/kernel/places.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/address.h"
#include "lib/print/protocol.h"
#include "lib/printfmt/value_names.h"
#include "lib/run/metrics.h"
#include "lib/run/sockets.h"
#include "lib/run/tool.h"
#include "lib/stacks/row_stacks.h"
#include "skbdrop.h"
#include "skbdrop.skel.h"

/* As sockets__parse() takes them; a packet's local end is its source. */
static const struct argp_option options[] = {
	{ "ipv4", '4', NULL, 0, "IPv4 packets only", 0 },
	{ "ipv6", '6', NULL, 0, "IPv6 packets only", 0 },
	{ "port", 'P', "PORT", 0, "packets from or to this port only (repeatable, or 80,443)", 0 },
	{ "sport", 'L', "PORT", 0, "packets from this port only (repeatable)", 0 },
	{ "dport", 'D', "PORT", 0, "packets to this port only (repeatable)", 0 },
	{ "netns", 'N', NULL, 0, "a column with the network namespace", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	{ "NETNS", 10, &address_shown_netns, NULL },
	{ "PROTO", -6, NULL, NULL },
	{ "SADDR", -15, NULL, NULL },
	{ "SPORT", -5, NULL, NULL },
	{ "DADDR", -15, NULL, NULL },
	{ "DPORT", -5, NULL, NULL },
	{ "LEN", 5, NULL, NULL },
	{ "REASON", -16, NULL, NULL },
	{ "QDISC", -10, NULL, NULL },
	{ "LOCATION", 0, NULL, NULL },
	{ "ADDRESS", 0, &tool_not_shown, NULL },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "QDISC", "LEN", "PROTO", "SPORT", NULL };

static struct value_names *reasons, *qdisc_reasons;
static struct places *places;

/* "tcp", "47", and of what is not IP the number of its protocol on the wire: "0x0806". */
static void print_protocol(struct out *out, const struct skbdrop_event *event)
{
	char text[16];

	if (event->has_addresses) {
		protocol__column(out, event->ip_protocol);
	} else if (event->ethertype) {
		snprintf(text, sizeof(text), "0x%04x", event->ethertype);
		out__string(out, text, sizeof(text));
	} else {
		out__none(out);
	}
}

static void print_end(struct out *out, const struct skbdrop_event *event, const uint8_t address[16], uint16_t port)
{
	char text[ADDRESS_TEXT_MAX];

	if (event->has_addresses)
		out__string(out, text, address__text(address, text));
	else
		out__none(out);
	if (port)
		out__int(out, port);
	else
		out__none(out);
}

/* As the kernel's own trace text has it: a number without a name is hexadecimal. */
static void print_reason(struct out *out, const struct value_names *names, uint32_t reason)
{
	const char *name = value_names__find(names, reason);
	char text[16];

	if (reason == DROP_NO_VALUE)
		out__none(out);
	else if (name)
		out__string(out, name, strlen(name));
	else
		out__string(out, text, (size_t)snprintf(text, sizeof(text), "0x%x", reason));
}

static void print_location(struct out *out, const struct skbdrop_event *event)
{
	const struct skbdrop_named_event *named = (const struct skbdrop_named_event *)event;
	char buffer[PLACE_NAME_SIZE], address[32];
	const char *text;

	if (event->has_name)
		places__tell(places, event->location, named->place, sizeof(named->place));
	text = places__text(places, event->location, buffer);
	out__string(out, text, strlen(text));
	out__string(out, address, (size_t)snprintf(address, sizeof(address), "0x%llx", (unsigned long long)event->location));
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct skbdrop_event *event = data;
	struct out *out = &tool->out;

	out__row(out, event->task.ts_ns);
	if (event->ends.netns)
		out__int(out, event->ends.netns);
	else
		out__none(out);
	print_protocol(out, event);
	print_end(out, event, event->ends.local, event->ends.local_port);
	print_end(out, event, event->ends.remote, event->ends.remote_port);
	out__int(out, event->length);
	print_reason(out, reasons, event->reason);
	print_reason(out, qdisc_reasons, event->qdisc_reason);
	print_location(out, event);
}

/* Where the kernel cannot tell the names of its functions, all of them are read when the first packet is dropped. */
static int prepare_places(struct tool *tool, const struct skbdrop_bpf *skel)
{
	places = places__new(0);
	if (!places)
		return tool__fail(tool, -ENOMEM, "no memory");
	skel->rodata->tells_places = kernel__has_snprintf();
	if (!skel->rodata->tells_places) {
		ksyms__keep_open();
		ksyms__keep_functions();
	}
	bpf_map__set_autocreate(skel->maps.places_sent, skel->rodata->tells_places);
	return 0;
}

static void choose_programs(const struct skbdrop_bpf *skel)
{
	bool records = kernel__preempts_programs(), qdisc = tracefs__has_event("qdisc/qdisc_drop");

	skel->rodata->has_reason = reasons || value_names__has_field("skb/kfree_skb", "reason");
	/* programs on records cannot be attached then, and say why */
	if (!records && !tracefs__mount_point() && kernel__version() >= kernel_version(5, 17, 0)) {
		say__warning("reasons are numbers: %s", tracefs__why(errno));
		skel->rodata->has_reason = true;
	}
	skel->rodata->has_rx_sk = value_names__has_field("skb/kfree_skb", "rx_sk");
	bpf_program__set_autoload(skel->progs.free_raw, !records);
	bpf_program__set_autoload(skel->progs.free_record, records);
	bpf_program__set_autoload(skel->progs.qdisc_drop, qdisc);
	bpf_map__set_autocreate(skel->maps.qdisc_drops, qdisc);
	skel->rodata->has_qdisc_drop = qdisc;
}

static const struct tool_about about = {
	.name = "skbdrop",
	.summary = "Shows packets that the kernel drops: which, where, and why, by the kernel's names.",
	.examples = "  sudo skbdrop         every packet that is dropped\n"
		    "  sudo skbdrop -T -N   with times and network namespaces\n"
		    "  sudo skbdrop -j | jq -r .reason\n",
	.options = options,
	.parse = sockets__parse,
	.foreign_options = sockets_foreign_options,
	.columns = columns,
	.spare = spare,
	ROW_STACKS(ROW_STACK_KERNEL),
	.no_task = "a packet is dropped in any task that its interrupt hits",
	.metrics = METRIC_OF_ROWS("packet_drops_total", "Packets that the kernel dropped."),
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about };
	struct skbdrop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = skbdrop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		/* without them, and on kernels before 5.17, there are no names */
		value_names__load(&reasons, "skb/kfree_skb", "reason");
		value_names__load(&qdisc_reasons, "qdisc/qdisc_drop", "reason");
		choose_programs(skel);
		prepare_places(&tool, skel);
		sockets__set_filter(&tool);
	}
	tool__run(&tool, skel, print_event);
	skbdrop_bpf__destroy(skel);
	value_names__free(reasons);
	value_names__free(qdisc_reasons);
	places__free(places);
	return tool__finish(&tool);
}

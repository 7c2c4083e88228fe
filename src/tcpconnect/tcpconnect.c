/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpconnect: connections being made: by whom, where to, with what result, in what time. */
#include "lib/kernel/kernel.h"
#include "lib/print/error.h"
#include "lib/probe/attach.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/sockets.h"
#include "lib/stacks/row_stacks.h"
#include "tcpconnect.h"
#include "tcpconnect.skel.h"

static struct {
	bool udp;
} opt;

enum { KEY_UDP = 0x200 };

static const struct argp_option options[] = {
	SOCKETS_OPTIONS,
	{ "udp", KEY_UDP, NULL, 0, "UDP sockets that are connected, too; a column with the protocol", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

#define BYTES(member) OUT_BYTES(struct tcpconnect_event, member)
static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "PROTO", -5, &opt.udp, NULL, { BYTES(udp) } },
	ADDRESS_COLUMNS(struct tcpconnect_event, ends),
	{ "LAT(ms)", 10, NULL, "lat_ms" },
	TOOL_COUNTED_ERROR_COLUMNS(BYTES(err)),
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "IP", "LPORT", "LADDR", NULL };

static const char *const tcp4_functions[] = { "tcp_v4_connect", NULL };
static const char *const tcp6_functions[] = { "tcp_v6_connect", NULL };
static const char *const udp4_functions[] = { "__ip4_datagram_connect", NULL };
static const char *const udp6_functions[] = { "__ip6_datagram_connect", NULL };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != KEY_UDP)
		return sockets__parse(key, arg, state);
	opt.udp = true;
	return 0;
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct tcpconnect_event *event = data;
	struct out *out = &tool->out;

	tool->stack_ns = event->task.ts_ns - event->latency_ns;
	tool__row(tool, &event->task);
	out__string(out, event->udp ? "udp" : "tcp", 3);
	address__columns(out, &event->ends);
	out__milliseconds(out, event->latency_ns / 1000);
	if (event->err == CONNECT_GIVEN_UP) {
		out__none(out);
		out__none(out);
	} else {
		error__columns(out, event->err);
	}
}

static void choose_programs(const struct tool *tool, const struct tcpconnect_bpf *skel)
{
	bool has_ipv6 = kernel__has_ipv6();

	sockets__choose_programs(tool);
	bpf_program__set_autoload(skel->progs.sock_graft, false);
	bpf_program__set_autoload(skel->progs.udp4_enter, opt.udp);
	bpf_program__set_autoload(skel->progs.udp4_exit, opt.udp);
	bpf_program__set_autoload(skel->progs.udp6_enter, opt.udp && has_ipv6);
	bpf_program__set_autoload(skel->progs.udp6_exit, opt.udp && has_ipv6);
	bpf_program__set_autoload(skel->progs.tcp6_enter, has_ipv6);
	bpf_program__set_autoload(skel->progs.tcp6_exit, has_ipv6);
}

/* The return first: a call that was seen to begin is then seen to end. */
static void attach_probes(struct attach *attach, struct tcpconnect_bpf *skel)
{
	attach__kprobe(attach, skel->progs.tcp4_exit, &skel->links.tcp4_exit, tcp4_functions);
	attach__kprobe(attach, skel->progs.tcp4_enter, &skel->links.tcp4_enter, tcp4_functions);
	attach__kprobe(attach, skel->progs.tcp6_exit, &skel->links.tcp6_exit, tcp6_functions);
	attach__kprobe(attach, skel->progs.tcp6_enter, &skel->links.tcp6_enter, tcp6_functions);
	attach__kprobe(attach, skel->progs.udp4_exit, &skel->links.udp4_exit, udp4_functions);
	attach__kprobe(attach, skel->progs.udp4_enter, &skel->links.udp4_enter, udp4_functions);
	attach__kprobe(attach, skel->progs.udp6_exit, &skel->links.udp6_exit, udp6_functions);
	attach__kprobe(attach, skel->progs.udp6_enter, &skel->links.udp6_enter, udp6_functions);
}

static const struct tool_about about = {
	.name = "tcpconnect",
	.summary = "Shows connections being made: by whom, where to, with what result, in what time.",
	.examples = "  sudo tcpconnect          every TCP connection that this machine makes\n"
		    "  sudo tcpconnect -x       those that fail\n"
		    "  sudo tcpconnect -n curl  those of curl\n"
		    "  sudo tcpconnect --count raddr,rport 5   how many to where, every 5 seconds\n"
		    "  sudo tcpconnect --udp    connected UDP sockets too, as of DNS requests\n"
		    "  sudo tcpconnect --ustack and which functions of the program connect\n",
	.options = options,
	.parse = parse,
	.foreign_options = sockets_foreign_options,
	.columns = columns,
	.spare = spare,
	ROW_STACKS_BEFORE(ROW_STACK_USER),
	.has_result = true,
	RECORDS(tcpconnect, sizeof(struct tcpconnect_event), .kept = RECORD_KEYS(KEY_UDP), .shown = RECORD_KEYS('N')),
	.metrics = METRIC_OF_ROWS("tcp_connects_total", "TCP connections that were begun, or failed to be."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct tcpconnect_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = tcpconnect_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		choose_programs(&tool, skel);
		tool__load(&tool);
		attach_probes(&attach, skel);
	}
	tool__run(&tool, skel, print_event);
	tcpconnect_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* tcptop: who sends and receives how many bytes over TCP, by process and connection. */
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/print/others.h"
#include "lib/print/syscall_names.h"
#include "lib/probe/attach.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/ranking.h"
#include "lib/run/sockets.h"
#include "lib/run/task_keys.h"
#include "tcptop.h"
#include "tcptop.skel.h"

enum { KEY_SORT = 0x200, KEY_CONNECTION, KEY_LADDR, KEY_LPORT, KEY_RADDR, KEY_RPORT, KEY_NETNS };
enum sort { SORT_BYTES, SORT_SENT, SORT_RECEIVED, SORTS };

static struct tcptop_bpf *skel;
static uint32_t by;		/* bits of enum socket_part */
static bool by_laddr, by_lport, by_raddr, by_rport, by_netns, by_address;	/* the same, for the columns */
static enum sort sort;

static const struct argp_option options[] = {
	SOCKETS_FILTER_OPTIONS,
	{ "netns", 'N', NULL, 0, "by network namespace, too", 0 },
	{ "sort", KEY_SORT, "BY", 0, "the rows with most bytes (the default), tx or rx first", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct by_word by_words[] = {
	{ "connection", KEY_CONNECTION }, { "laddr", KEY_LADDR }, { "lport", KEY_LPORT }, { "raddr", KEY_RADDR }, { "rport", KEY_RPORT },
	{ "netns", KEY_NETNS }, { NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-C", "--refresh clears the screen, and nothing else does" },
	{ "--noclear", "--refresh clears the screen, and nothing else does" },
	{ "-S", "no line with the load is printed" },
	{ "--nosummary", "no line with the load is printed" },
	{ "-s", "--sort BY: bytes, tx, rx" },
	{ "--count", "--by has a row for each process, address or port; tcplife --count has the connections that end" },
	{ "--hist", "tcplife --hist tx_bytes has the bytes of connections that end" },
	{ NULL, NULL },
};

static enum sort parse_sort(const char *text)
{
	static const char *const names[SORTS] = { "bytes", "tx", "rx" };

	for (int i = 0; i < SORTS; i++)
		if (!strcmp(text, names[i]))
			return (enum sort)i;
	usage_error("--sort \"%s\": not bytes, tx or rx", text);
}

static void set_columns(void)
{
	by_laddr = by & SOCKET_LADDR;
	by_lport = by & SOCKET_LPORT;
	by_raddr = by & SOCKET_RADDR;
	by_rport = by & SOCKET_RPORT;
	by_netns = by & SOCKET_NETNS;
	by_address = by_laddr || by_raddr;
}

#define CONNECTION (SOCKET_PARTS & ~(uint32_t)SOCKET_NETNS)

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const uint32_t parts[] = {
		CONNECTION, SOCKET_LADDR, SOCKET_LPORT, SOCKET_RADDR, SOCKET_RPORT, SOCKET_NETNS,	/* from KEY_CONNECTION on */
	};
	static bool with_netns;

	if (key >= KEY_CONNECTION && key <= KEY_NETNS) {
		by |= parts[key - KEY_CONNECTION];
		return 0;
	}
	switch (key) {
	case KEY_SORT:
		sort = parse_sort(arg);
		return 0;
	case 'N':
		with_netns = true;
		return 0;
	case ARGP_KEY_END:
		if (!by && !task_keys__kind()) {
			by = CONNECTION;
			task_keys__set(TASK_KEY_PROCESS, "process");
		}
		if (with_netns)
			by |= SOCKET_NETNS;
		set_columns();
		return 0;
	default:
		return sockets__parse(key, arg, state);
	}
}

static const struct out_column columns[] = {
	TASK_KEY_COLUMNS,
	{ "COUNT", 8, &tool_not_shown, NULL },
	{ "NETNS", 10, &by_netns, NULL },
	{ "IP", -2, &by_address, NULL },
	{ "LADDR", -15, &by_laddr, NULL },
	{ "LPORT", -5, &by_lport, NULL },
	{ "RADDR", -15, &by_raddr, NULL },
	{ "RPORT", -5, &by_rport, NULL },
	{ "SENDS", 8, &tool_not_shown, NULL },
	{ "RECEIVES", 8, &tool_not_shown, NULL },
	{ "RX_KB", 9, NULL, "rx_bytes" },
	{ "TX_KB", 9, NULL, "tx_bytes" },
	TASK_KEY_CGROUP_COLUMNS,
	{ NULL, 0, NULL, NULL },
};

static void put_number(struct out *out, uint32_t number)
{
	if (number)
		out__int(out, number);
	else
		out__none(out);
}

/* others: the word that stands for the address; NULL: none does. */
static void put_address(struct out *out, const uint8_t *address, const char *others)
{
	char text[ADDRESS_TEXT_MAX];

	if (address)
		out__string(out, text, address__text(address, text));
	else if (others)
		out__string(out, others, strlen(others));
	else
		out__none(out);
}

/* ends: NULL for the others, which are named where no task is. */
static void put_ends(struct out *out, const struct socket_ends *ends)
{
	bool names_others = !task_keys__kind();

	put_number(out, ends && by_netns ? ends->netns : 0);
	if (ends && by_address)
		out__int(out, address__is_v4(by_laddr ? ends->local : ends->remote) ? 4 : 6);
	else
		out__none(out);
	put_address(out, ends && by_laddr ? ends->local : NULL, names_others && by_laddr && !ends ? OTHERS : NULL);
	put_number(out, ends ? ends->local_port : 0);
	put_address(out, ends && by_raddr ? ends->remote : NULL, names_others && by_raddr && !by_laddr && !ends ? OTHERS : NULL);
	put_number(out, ends ? ends->remote_port : 0);
}

/* key: NULL for the others. */
static void print_row(struct tool *tool, const struct interval *interval, const void *of, const void *value)
{
	const struct tcptop_counts *counts = value;
	const struct tcptop_key *key = of;
	struct out *out = &tool->out;

	if (!counts->sends && !counts->receives)
		return;
	out__row(out, interval->end_ns);
	task_keys__columns(out, key ? &key->task : NULL);
	out__int(out, (int64_t)(counts->sends + counts->receives));
	put_ends(out, key ? &key->ends : NULL);
	out__int(out, (int64_t)counts->sends);
	out__int(out, (int64_t)counts->receives);
	out__kilobytes(out, counts->received);
	out__kilobytes(out, counts->sent);
	task_keys__cgroup_columns(out, key ? &key->task : NULL);
	out__end(out);
}

static uint64_t weigh(const void *value)
{
	const struct tcptop_counts *counts = value;

	return (sort == SORT_RECEIVED ? 0 : counts->sent) + (sort == SORT_SENT ? 0 : counts->received);
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct ranked_rows rows = { sizeof(struct tcptop_counts) / sizeof(uint64_t), weigh, print_row };
	struct tcptop_counts others = *(const struct tcptop_counts *)interval->cells, all = { 0 };

	ranking__print(tool, interval, interval->table, &rows, &others, &all);
	return all.sends + all.receives;
}

/* The return first: a send that was seen to begin is then seen to end. */
static void attach_probes(struct tool *tool)
{
	static const char *const send[] = { "tcp_sendmsg_locked", NULL }, *const pages[] = { "do_tcp_sendpages", NULL };
	static const char *const receive[] = { "tcp_cleanup_rbuf", NULL };
	struct attach *attach = tool->attach;
	struct fault fault;

	attach__kprobe(attach, skel->progs.send_exit, &skel->links.send_exit, send);
	attach__kprobe(attach, skel->progs.send_enter, &skel->links.send_enter, send);
	attach__kprobe(attach, skel->progs.received, &skel->links.received, receive);
	if (attach->err || bpf_program__fd(skel->progs.pages_exit) < 0)
		return;
	/* a distribution may have taken it out of an older kernel */
	if (attach__optional(attach, skel->progs.pages_exit, &skel->links.pages_exit, pages, &fault) ||
	    attach__optional(attach, skel->progs.pages_enter, &skel->links.pages_enter, pages, &fault)) {
		tool__debug(tool, "do_tcp_sendpages: %s", fault.text);
		tool__needs_no_link(tool, skel->progs.pages_exit);
		tool__needs_no_link(tool, skel->progs.pages_enter);
	}
}

static void set_syscalls(void)
{
	static const char *const names[TCPTOP_SYSCALLS] = {
		"recv", "recvfrom", "recvmsg", "recvmmsg", "recvmmsg_time64", "socketcall", "setsockopt",
	};

	for (int compat = 0; compat < 2; compat++)
		for (int call = 0; call < TCPTOP_SYSCALLS; call++) {
			int number = syscall_number(names[call], compat);

			skel->rodata->syscalls[compat][call] = number < 0 ? TCPTOP_NO_CALL : (uint32_t)number;
		}
}

static void report_no_room(const struct tool *tool)
{
	const uint64_t no_room = skel->bss_no_room->sockets_no_room;

	(void)tool;
	if (no_room)
		say("%llu sockets had no room in a table: what a call got before it waited for more is counted twice", (unsigned long long)no_room);
}

static const struct metric metrics[] = {
	{ "tcp_sends_total", "Sends of TCP sockets.", METRIC_COUNT, "sends", TASK_KEY_LABELS ",netns" },
	{ "tcp_receives_total", "Receipts of TCP sockets.", METRIC_COUNT, "receives", TASK_KEY_LABELS ",netns" },
	{ "tcp_sent_bytes_total", "Bytes that were sent over TCP.", METRIC_COUNT, "tx_bytes", TASK_KEY_LABELS ",netns" },
	{ "tcp_received_bytes_total", "Bytes that were received over TCP.", METRIC_COUNT, "rx_bytes", TASK_KEY_LABELS ",netns" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "tcptop",
	.summary = "Counts the bytes that are sent and received over TCP, by process and connection.",
	.examples = "  sudo tcptop                   until Ctrl-C\n"
		    "  sudo tcptop --refresh 1       as a top, each second\n"
		    "  sudo tcptop --by unit         by systemd unit, all its connections added up\n"
		    "  sudo tcptop --by raddr --sort rx 5    the peers that most came from\n"
		    "  sudo tcptop -n nginx -L 443   one program, one port\n",
	.options = options,
	.foreign_options = foreign_options,
	.parse = parse,
	.columns = columns,
	.counts = true,
	.by_task = true,
	.by = by_words,
	.keys_max = TCPTOP_KEYS,
	.keys_on_demand = true,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach, .attach_probes = attach_probes,
			     .before_summary = report_no_room };

	tool__parse(&tool, argc, argv);
	skel = tcptop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		bool pages = kernel__version() < kernel_version(6, 5, 0);

		skel->rodata->have_task_pt_regs = kernel__has_task_pt_regs();
		set_syscalls();
		skel->rodata->task_key_kind = task_keys__kind();
		skel->rodata->by = by;
		sockets__choose_programs(&tool);
		if (kernel__allocates_on_demand()) {
			bpf_map__set_map_flags(skel->maps.sockets, BPF_F_NO_PREALLOC);
			bpf_map__set_map_flags(skel->maps.calls, BPF_F_NO_PREALLOC);
		}
		bpf_program__set_autoload(skel->progs.pages_enter, pages);
		bpf_program__set_autoload(skel->progs.pages_exit, pages);
	}
	tool__run_intervals(&tool, skel, print_interval);
	tcptop_bpf__destroy(skel);
	return tool__finish(&tool);
}

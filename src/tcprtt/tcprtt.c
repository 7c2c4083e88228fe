/* SPDX-License-Identifier: BSD-2-Clause */
/* tcprtt: the round trip times of TCP connections, as histograms. */
#include <stdio.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/run/argument.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/sockets.h"
#include "tcprtt.h"
#include "tcprtt.skel.h"

static uint32_t by, value_kind;
static uint64_t unknown;

enum { KEY_VALUE = 0x200, KEY_BY };

static const struct argp_option options[] = {
	SOCKETS_FILTER_OPTIONS,
	{ "by", KEY_BY, "WHAT,...", 0, "a histogram for each: laddr, lport, raddr, rport, netns", 0 },
	{ "value", KEY_VALUE, "WHAT", 0, "srtt (smoothed, the default), mdev (its mean deviation) or min (the least of five minutes)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "--count", "--by has a histogram for each address or port" },
	{ "--hist", "all it prints are histograms; --by has one for each address or port" },
	{ "-a", "--by laddr has a histogram for each local address" },
	{ "--laddr", "--by laddr has a histogram for each local address" },
	{ "-A", "--by raddr has a histogram for each remote address" },
	{ "--raddr", "--by raddr has a histogram for each remote address" },
	{ "-b", "--by laddr has a histogram for each local address" },
	{ "--byladdr", "--by laddr has a histogram for each local address" },
	{ "--byraddr", "--by raddr has a histogram for each remote address" },
	{ "-e", "the line below a histogram has the average" },
	{ "--extension", "the line below a histogram has the average" },
	{ "-i", "the interval is an argument: tcprtt 1 10" },
	{ NULL, NULL },
};

/* In the order of the bits. */
static const char *const by_words[] = { "laddr", "lport", "raddr", "rport", "netns", NULL };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct tool *tool = state->input;

	switch (key) {
	case KEY_BY:
		by |= argument__words("--by", arg, by_words);
		return 0;
	case KEY_VALUE:
		if (!strcmp(arg, "srtt"))
			value_kind = TCPRTT_SMOOTHED;
		else if (!strcmp(arg, "mdev"))
			value_kind = TCPRTT_DEVIATION;
		else if (!strcmp(arg, "min"))
			value_kind = TCPRTT_LEAST;
		else
			usage_error("--value \"%s\": not srtt, mdev or min", arg);
		return 0;
	case ARGP_KEY_END:
		if (by && tool->shape->linear_count)
			usage_error("--linear and --by exclude each other");
		return 0;
	default:
		return sockets__parse(key, arg, state);
	}
}

static void describe_key(const struct tool *tool, const void *data, struct interval_key *to)
{
	struct text_buffer text = text_buffer__fixed(to->text, sizeof(to->text));
	struct text_buffer json = text_buffer__fixed(to->json, sizeof(to->json));
	const struct socket_ends *ends = data;
	char address[ADDRESS_TEXT_MAX];
	const char *between = "", *between_json = "{";

	(void)tool;
	for (uint32_t bit = SOCKET_LADDR; bit <= SOCKET_NETNS; bit <<= 1) {
		bool is_address = bit == SOCKET_LADDR || bit == SOCKET_RADDR;
		const char *name = bit == SOCKET_LADDR ? "laddr" : bit == SOCKET_LPORT ? "lport" : bit == SOCKET_RADDR ? "raddr" :
			bit == SOCKET_RPORT ? "rport" : "netns";
		uint32_t number = bit == SOCKET_LPORT ? ends->local_port : bit == SOCKET_RPORT ? ends->remote_port : ends->netns;

		if (!(by & bit))
			continue;
		if (is_address) {
			address__text(bit == SOCKET_LADDR ? ends->local : ends->remote, address);
			text_buffer__add(&text, "%s%s = %s", between, name, address);
			text_buffer__add(&json, "%s\"%s\":\"%s\"", between_json, name, address);
		} else {
			text_buffer__add(&text, "%s%s = %u", between, name, number);
			text_buffer__add(&json, "%s\"%s\":%u", between_json, name, number);
		}
		between = ", ";
		between_json = ",";
	}
	text_buffer__add(&json, "}");
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct tcprtt_counts *counts = interval->cells;
	struct hist_view times = hist_view__of(tool->shape, &counts->times);

	if (by)
		return interval__hists(tool, interval, &counts->others, describe_key);
	interval__hist(tool, interval, &times, NULL, NULL);
	return hist_view__count(&times);
}

static void add_interval(const struct tool *tool, const struct interval *interval)
{
	(void)tool;
	unknown += ((const struct tcprtt_counts *)interval->cells)->unknown;
}

static void report_unknown(const struct tool *tool)
{
	(void)tool;
	if (unknown)
		say("%llu segments are not counted: their sockets had not measured a round trip yet (SYN cookies without time stamps)",
		    (unsigned long long)unknown);
}

static const struct metric metrics[] = {
	{ "tcp_round_trip_seconds", "Round trip times of TCP connections, smoothed, at each segment that arrived.", METRIC_HIST, NULL, "netns" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
}, metrics_deviation[] = {
	{ "tcp_round_trip_deviation_seconds", "Mean deviation of the round trip times of TCP connections.", METRIC_HIST, NULL, "netns" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
}, metrics_least[] = {
	{ "tcp_least_round_trip_seconds", "The least round trip times of TCP connections in five minutes.", METRIC_HIST, NULL, "netns" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "tcprtt",
	.summary = "Counts the round trip times of TCP connections, at each segment that arrives.",
	.examples = "  sudo tcprtt               until Ctrl-C\n"
		    "  sudo tcprtt -m -T 1 10    milliseconds, each second, ten times\n"
		    "  sudo tcprtt --by raddr    a histogram for each remote address\n"
		    "  sudo tcprtt -L 443 --by raddr 5    of the server at port 443\n",
	.options = options,
	.parse = parse,
	.foreign_options = foreign_options,
	.ready = "Counting round trip times. Ctrl-C ends it.",
	.counts = true,
	.no_task = "a segment arrives in any task that the interrupt hits (-L and -D select connections)",
	.keys_max = TCPRTT_KEYS,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(HIST_USECS);
	struct tool tool = { .about = &about, .shape = &shape, .add_interval = add_interval, .before_summary = report_unknown };
	bool preempted = kernel__preempts_programs();
	struct tcprtt_bpf *skel;

	tool__parse(&tool, argc, argv);
	if (value_kind != TCPRTT_SMOOTHED)
		tool.metric_names = value_kind == TCPRTT_DEVIATION ? metrics_deviation : metrics_least;
	skel = tcprtt_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->by = by;
		skel->rodata->value_kind = value_kind;
		sockets__set_filter(&tool);
		/* those that preempt programs have the socket in the record, 6.1 does not */
		bpf_program__set_autoload(skel->progs.probe_raw, !preempted);
		bpf_program__set_autoload(skel->progs.probe_record, preempted);
		if (!by)
			table__leave_out(skel->obj);
	}
	tool__run_intervals(&tool, skel, print_interval);
	tcprtt_bpf__destroy(skel);
	return tool__finish(&tool);
}

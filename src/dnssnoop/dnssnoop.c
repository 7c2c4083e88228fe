/* SPDX-License-Identifier: BSD-2-Clause */
/* dnssnoop: queries to name servers: who asks which server for what, and what it answers after which time. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>

#include "lib/kernel/clock.h"
#include "lib/kernel/kernel.h"
#include "lib/print/dns_message.h"
#include "lib/print/protocol.h"
#include "lib/probe/entries.h"
#include "lib/run/argument.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/sockets.h"
#include "dnssnoop.h"
#include "dnssnoop.skel.h"

#define TIMEOUT_NS 5000000000ull	/* after which the C library asks again */

static uint64_t timeout_ns = TIMEOUT_NS;
static struct dnssnoop_bpf *skel;

static bool udp_only;

enum { KEY_TIMEOUT = 0x200, KEY_UDP };

static const struct argp_option options[] = {
	{ "ipv4", '4', NULL, 0, "IPv4 only", 0 },
	{ "ipv6", '6', NULL, 0, "IPv6 only", 0 },
	{ "port", 'P', "PORT", 0, "name servers have this port, not 53 (repeatable, or 53,5353)", 0 },
	{ "netns", 'N', NULL, 0, "a column with the network namespace", 0 },
	{ "udp", KEY_UDP, NULL, 0, "UDP only: what tasks send and read over TCP costs nothing then", 0 },
	{ "timeout", KEY_TIMEOUT, "TIME", 0, "a query without an answer is shown after TIME: 500ms, 10s (default 5s)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case KEY_TIMEOUT:
		timeout_ns = argument__time("--timeout", arg);
		return 0;
	case KEY_UDP:
		udp_only = true;
		return 0;
	default:
		return sockets__parse(key, arg, state);
	}
}

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "PROTO", -5, NULL, NULL },
	{ "NETNS", 10, &address_shown_netns, NULL },
	{ "IP", -2, NULL, NULL },
	{ "LADDR", -15, NULL, NULL },
	{ "LPORT", -5, NULL, NULL },
	{ "RADDR", -15, NULL, NULL },
	{ "RPORT", -5, NULL, NULL },
	{ "LAT(ms)", 10, NULL, "lat_ms" },
	{ "QTYPE", -6, NULL, "query_type" },
	{ "RCODE", -8, NULL, NULL },
	{ "ADDRS", 5, NULL, "addresses" },
	{ "ADDRESS", -15, NULL, "first_address" },
	{ "TRUNCATED", 0, &tool_not_shown, NULL },
	{ "ID", 0, &tool_not_shown, "query_id" },
	{ "QNAME", 0, NULL, "query_name" },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "LADDR", "LPORT", "RPORT", "IP", NULL };

/* What became of it. */
static void put_outcome(struct out *out, const struct dnssnoop_event *event, const struct dns_answer *answer)
{
	static const char *const outcomes[DNS_OUTCOMES] = { [DNS_TIMEOUT] = "timeout", [DNS_RESENT] = "resent", [DNS_PENDING] = "pending",
							     [DNS_UNPARSED] = "unparsed" };
	char room[DNS_WORD_MAX], address[ADDRESS_TEXT_MAX];
	const char *word = answer ? dns_message__rcode(answer->rcode, room) : outcomes[event->outcome];

	out__string(out, word, strlen(word));
	if (!answer) {
		out__none(out);
		out__none(out);
		out__none(out);
		return;
	}
	out__int(out, answer->addresses);
	if (answer->addresses)
		out__string(out, address, address__text(answer->first, address));
	else
		out__none(out);
	out__bool(out, answer->is_truncated || !answer->is_whole);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct dnssnoop_event *event = data;
	bool is_answered = event->outcome == DNS_ANSWERED;
	struct dns_question question;
	struct dns_answer answer;
	struct out *out = &tool->out;
	char room[DNS_WORD_MAX];
	const char *type;
	bool is_valid;

	(void)size;
	/* of a query that was sent in parts the first one alone is there; the answer repeats the question */
	is_valid = dns_message__question(event->question, event->question_size, &question) ||
		   (is_answered && dns_message__question(event->answer, event->answer_size, &question));
	if (is_answered && !dns_message__answer(event->answer, event->answer_size, &answer))
		answer = (struct dns_answer){ 0 };
	tool__row(tool, &event->task);
	protocol__column(out, event->key.protocol);
	address__columns(out, &event->key.ends);
	if (event->outcome == DNS_UNPARSED)
		out__none(out);
	else
		out__milliseconds(out, event->latency_ns / 1000);
	type = is_valid ? dns_message__type(question.type, room) : NULL;
	if (type)
		out__string(out, type, strlen(type));
	else
		out__none(out);
	put_outcome(out, event, is_answered ? &answer : NULL);
	if (event->outcome == DNS_UNPARSED)
		out__none(out);
	else
		out__int(out, ntohs(event->key.id));
	if (is_valid)
		out__string(out, question.name, question.name_size);
	else
		out__none(out);
}

/* Has the programs tell of a query. */
static void tell(const struct dns_key *key, enum dns_outcome outcome)
{
	struct {
		uint64_t key[(sizeof(*key) + 7) / 8];
		uint64_t outcome;
	} args = { .outcome = outcome };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &args, .ctx_size_in = sizeof(args));

	memcpy(args.key, key, sizeof(*key));
	bpf_prog_test_run_opts(bpf_program__fd(skel->progs.tell), &opts);
}

/* Queries that nobody has answered for so long; at the end all. */
static void tell_waiting(struct tool *tool, bool is_end)
{
	int fd = bpf_map__fd(skel->maps.queries);
	union {
		uint64_t since_ns;
		char bytes[DNS_QUERY_MAX];
	} query;
	struct dns_key key, next;
	uint64_t now = now_ns();
	bool has_next;

	(void)tool;
	/* where entries come and go the walk may begin once more: it ends all the same */
	has_next = !bpf_map_get_next_key(fd, NULL, &next);
	for (int i = 0; has_next && i < 2 * DNS_QUERIES; i++) {
		key = next;
		has_next = !bpf_map_get_next_key(fd, &key, &next);
		if (bpf_map_lookup_elem(fd, &key, &query))
			continue;
		if (is_end || (query.since_ns && (int64_t)(now - query.since_ns) >= (int64_t)timeout_ns))
			tell(&key, is_end ? DNS_PENDING : DNS_TIMEOUT);
	}
}

/* In the order of enum dns_entry. */
static const char *functions[] = {
	"ip_send_skb", "ip6_send_skb", "__udp_enqueue_schedule_skb", "tcp_sendmsg_locked", "tcp_connect", "tcp_recvmsg", NULL,
};

/* Where one link takes all functions it takes those of UDP alone; else they have programs of their own. */
static void leave_out_tcp(void)
{
	struct bpf_program *const programs[] = {
		skel->progs.stream_sent, skel->progs.stream_connects, skel->progs.stream_receives, skel->progs.read_raw,
		skel->progs.read_record, skel->progs.state_raw, skel->progs.state_record,
	};

	functions[DNS_STREAM_SENT] = NULL;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		bpf_program__set_autoload(programs[i], false);
}

static void prepare(const struct tool *tool)
{
	bool preempted = kernel__preempts_programs();
	uint64_t addresses[DNS_ENTRIES] = { 0 };

	sockets__choose_programs(tool);
	bpf_program__set_autoload(skel->progs.read_raw, !preempted);
	bpf_program__set_autoload(skel->progs.read_record, preempted);
	if (udp_only)
		leave_out_tcp();
	if (!kernel__has_ipv6())
		entries__leave_out(skel->obj, functions, DNS_V6_SENT);
	if (entries__choose(tool->attach, skel->obj, "any_entry", functions, addresses))
		for (int i = 0; i < DNS_ENTRIES; i++)
			skel->rodata->entry_at[i] = addresses[i];
	if (kernel__allocates_on_demand()) {
		bpf_map__set_map_flags(skel->maps.queries, BPF_F_NO_PREALLOC);
		bpf_map__set_map_flags(skel->maps.streams, BPF_F_NO_PREALLOC);
	} else {
		bpf_map__set_max_entries(skel->maps.streams, udp_only ? 1 : DNS_STREAMS_BEFORE);
	}
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct dnssnoop_event *event = data;

	return event->outcome < DNS_OUTCOMES && event->question_size <= DNS_QUESTION_SIZE && event->answer_size <= DNS_ANSWER_SIZE &&
	       record__has(size, offsetof(struct dnssnoop_event, answer), event->answer_size);
}

static const struct tool_about about = {
	.name = "dnssnoop",
	.summary = "Shows queries to name servers: who asks which server for what, and what it answers after which time.",
	.examples = "  sudo dnssnoop                    every query\n"
		    "  sudo dnssnoop -x                 those that fail or have no answer\n"
		    "  sudo dnssnoop --count comm,raddr,rcode 5   which programs ask which servers\n"
		    "  sudo dnssnoop --hist lat_ms --count raddr  how long each server takes\n",
	.options = options,
	.parse = parse,
	.columns = columns,
	.spare = spare,
	.has_result = true,
	RECORDS(dnssnoop, offsetof(struct dnssnoop_event, answer), .is_intact = is_intact, .shown = RECORD_KEYS('N')),
	.metrics = METRIC_OF_ROWS("dns_queries_total", "Queries to name servers."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach, .tell_waiting = tell_waiting };

	tool__parse(&tool, argc, argv);
	skel = dnssnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		prepare(&tool);
		if (!tool__load(&tool)) {
			tool__needs_no_link(&tool, skel->progs.tell);
			entries__attach(&attach, skel->progs.any_entry, &skel->links.any_entry, functions);
		}
	}
	tool__run(&tool, skel, print_event);
	dnssnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* sslsniff: what programs send and receive by TLS, before it is encrypted: by whom, how much, how long it took, to whom. */
#include "sslsniff.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/address.h"
#include "lib/run/argument.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/privileges.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "sslsniff.skel.h"
#include "tls_functions.h"
#include "tls_reason.h"

#define DATA_DEFAULT 256	/* bytes */
#define RATE_MAX 100000		/* as anysnoop's for functions of programs: each call costs some microseconds */

static const char *file;	/* --shared */
static uint64_t min_ns;
static uint32_t data_max;
static bool shows_data;
static struct tls_functions functions;
static struct sslsniff_bpf *skel;

enum { KEY_SHARED = 0x200, KEY_SLOWER, KEY_DATA, KEY_FOLLOW };

static const struct argp_option options[] = {
	USER_HOOKS_FOLLOW_OPTION(KEY_FOLLOW),
	{ "shared", KEY_SHARED, "FILE", 0, "this program or library alone, not all that have the functions", 0 },
	{ "slower", KEY_SLOWER, "TIME", 0, "only calls of TIME or more: 500us, 10ms, 2s", 0 },
	{ "data", KEY_DATA, "BYTES", OPTION_ARG_OPTIONAL, "also what was sent and received: 256 bytes of each call, or BYTES", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-l", "LAT(us) is always shown" },
	{ "--latency", "LAT(us) is always shown" },
	{ "--handshake", "handshakes are always shown" },
	{ "--max-buffer-size", "--data BYTES" },
	{ "--hexdump", "--data shows bytes that are no text as \\xNN" },
	{ "--extra-lib", "--shared FILE names a library or program" },
	{ NULL, NULL },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "LIB", -7, NULL, "library" },
	{ "DIR", -9, NULL, "direction" },
	{ "BYTES", 6, NULL, NULL },
	{ "LAT(us)", 10, NULL, "lat_ns" },
	{ "RET", -10, NULL, "failure" },
	{ "RADDR", -15, NULL, NULL },
	{ "RPORT", -5, NULL, NULL },
	{ "DATA", 0, &shows_data, NULL },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "LIB", NULL };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)state;
	switch (key) {
	case KEY_FOLLOW:
		functions.hooks.follows = true;
		return 0;
	case KEY_SHARED:
		file = arg;
		return 0;
	case KEY_SLOWER:
		min_ns = argument__time("--slower", arg);
		return 0;
	case KEY_DATA:
		data_max = arg ? (uint32_t)argument__number("--data", arg, 1, TLS_DATA_MAX) : DATA_DEFAULT;
		shows_data = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void put_result(struct out *out, const struct sslsniff_event *event)
{
	char room[TLS_REASON_MAX];
	const char *reason;

	if (event->bytes == TLS_FAILED || event->direction == TLS_HANDSHAKE)
		out__none(out);
	else
		out__int(out, event->bytes);
	out__latency(out, event->latency_ns);
	if (event->bytes != TLS_FAILED) {
		out__zero(out);
		return;
	}
	reason = tls_reason(event->library, event->reason, room);
	out__string(out, reason, strlen(reason));
}

static void put_peer(struct out *out, const struct sslsniff_event *event)
{
	char address[ADDRESS_TEXT_MAX];

	if (!event->peer_port) {
		out__none(out);
		out__none(out);
		return;
	}
	out__string(out, address, address__text(event->peer, address));
	out__int(out, event->peer_port);
}

static void put_data(struct out *out, const struct sslsniff_event *event)
{
	if (event->data_size == TLS_DATA_NONE)
		out__no_path(out);
	else if (event->data_size == TLS_DATA_UNREAD)
		out__bytes(out, NULL, 0, 0);
	else
		out__bytes(out, event->data, event->data_size, (uint32_t)event->bytes - event->data_size);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	static const char *const libraries[TLS_LIBRARIES] = { [TLS_OPENSSL] = "OpenSSL", [TLS_GNUTLS] = "GnuTLS", [TLS_NSS] = "NSS" };
	static const char *const directions[TLS_DIRECTIONS] = {
		[TLS_RECEIVE] = "recv", [TLS_SEND] = "send", [TLS_HANDSHAKE] = "handshake",
	};
	const struct sslsniff_event *event = data;
	struct out *out = &tool->out;

	(void)size;
	tool__row(tool, &event->task);
	out__string(out, libraries[event->library], strlen(libraries[event->library]));
	out__string(out, directions[event->direction], strlen(directions[event->direction]));
	put_result(out, event);
	put_peer(out, event);
	put_data(out, event);
}

/* The data of a record: how many bytes, none where there are none. */
static size_t data_bytes(const struct sslsniff_event *event)
{
	return event->data_size <= TLS_DATA_MAX ? event->data_size : 0;
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct sslsniff_event *event = data;

	if (event->library >= TLS_LIBRARIES || event->direction >= TLS_DIRECTIONS || event->bytes < TLS_FAILED)
		return false;
	if (event->data_size == TLS_DATA_NONE || event->data_size == TLS_DATA_UNREAD)
		return true;
	return event->bytes != TLS_FAILED && event->data_size <= (uint32_t)event->bytes &&
	       event->data_size <= TLS_DATA_MAX && record__has(size, offsetof(struct sslsniff_event, data), event->data_size);
}

static size_t used(const void *data)
{
	return offsetof(struct sslsniff_event, data) + data_bytes(data);
}

/* What tells which socket a call uses. */
static void choose_hooks(void)
{
	bool has_lengths = tracefs__has_event_since("sock/sock_send_length", kernel_version(6, 3, 0));

	bpf_program__set_autoload(skel->progs.socket_sent, has_lengths);
	bpf_program__set_autoload(skel->progs.socket_received, has_lengths);
	bpf_program__set_autoload(skel->progs.packet_sent, !has_lengths);
	bpf_program__set_autoload(skel->progs.data_received, !has_lengths);
}

static struct tls_programs programs(void)
{
	return (struct tls_programs){ skel->progs.call_begins, skel->progs.call_ends,
				      user_attach__has_multi() ? -1 : bpf_map__fd(skel->maps.user_sites) };
}

/* Of all files that were found. */
static size_t places_count(void)
{
	return functions.places.begins.count + functions.places.ends.count;
}

static int attach(struct tool *tool)
{
	const struct tls_programs its = programs();
	struct fault fault;
	int err;

	tool__needs_no_link(tool, its.begins);
	tool__needs_no_link(tool, its.ends);
	err = tls_functions__attach(&functions, &its, &fault);
	if (err)
		return tool__fail(tool, err, "%s", fault.text);
	user_hooks__tell_unused(&functions.hooks, tool->options.filter.pids, tool->options.filter.pids_count, tool->command.pid);
	tool__debug(tool, "%zu files, attached at %zu places", functions.files, places_count());
	return tool->err;
}

static int attach_new(const struct user_target *target, struct fault *fault)
{
	const struct tls_programs its = programs();

	return tls_functions__attach_to(&functions, target, &its, fault);
}

static void detach(struct tool *tool)
{
	(void)tool;
	user_hooks__detach(&functions.hooks);
}

/* What the programs need to know before they are loaded. */
static void prepare(struct tool *tool)
{
	bool by_cookie = user_attach__has_multi();
	struct fault fault;

	if (tls_functions__find(&functions, file, &fault)) {
		tool__fail(tool, fault.err, "%s", fault.text);
		return;
	}
	skel->rodata->min_ns = min_ns;
	skel->rodata->data_max = data_max;
	skel->rodata->user_by_cookie = by_cookie;
	user_hooks__prepare(skel->progs.call_begins);
	user_hooks__prepare(skel->progs.call_ends);
	bpf_map__set_autocreate(skel->maps.user_sites, !by_cookie);
	bpf_map__set_max_entries(skel->maps.user_sites,
				 (uint32_t)(places_count() * (functions.hooks.follows ? USER_HOOKS_FOLLOWED_FILES : 1)));
	choose_hooks();
	tool__load(tool);
}

static const struct tool_about about = {
	.name = "sslsniff",
	.summary = "Shows what programs send and receive by TLS: OpenSSL, GnuTLS, NSS.",
	.examples = "  sudo sslsniff                     each call: how much, how long, to whom\n"
		    "  sudo sslsniff -p 1234 --data      with the data, before it is encrypted\n"
		    "  sudo sslsniff -x                  failures, also of handshakes\n"
		    "  sudo sslsniff --slower 100ms      slow calls\n"
		    "  sudo sslsniff --count comm,raddr,direction 5   who talks to whom, every 5 s\n",
	.options = options,
	.foreign_options = foreign_options,
	.parse = parse,
	.columns = columns,
	.spare = spare,
	.has_result = true,
	.rate_max = RATE_MAX,
	RECORDS(sslsniff, offsetof(struct sslsniff_event, data), .is_intact = is_intact, .used = used, .kept = RECORD_KEYS(KEY_DATA)),
	.metrics = METRIC_OF_ROWS("tls_calls_total", "Calls of TLS libraries that send, receive or shake hands."),
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about, .attach_own = attach, .detach_own = detach,
			     .look_around = user_hooks__look_around };
	struct fault fault;

	tool__parse(&tool, argc, argv);
	if (user_hooks__follow(&functions.hooks, attach_new))
		tool.keeps = PRIVILEGES_ATTACH;
	skel = sslsniff_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel))
		prepare(&tool);
	tool__run(&tool, skel, print_event);
	if (user_hooks__check(&fault))
		tool__fail(&tool, fault.err, "%s", fault.text);
	tls_functions__free(&functions);
	sslsniff_bpf__destroy(skel);
	return tool__finish(&tool);
}

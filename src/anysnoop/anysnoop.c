/* SPDX-License-Identifier: BSD-2-Clause */
/* anysnoop: any tracepoint, kernel function or system call, with its fields or arguments, and a filter in the kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anysnoop.h"
#include "between.h"
#include "between_rows.h"
#include "between.skel.h"
#include "call_events.h"
#include "counted.h"
#include "event_list.h"
#include "event_programs.h"
#include "event_rows.h"
#include "event_search.h"
#include "run_events.h"
#include "flight.h"
#include "from.h"
#include "lib/gen/request.h"
#include "lib/probe/attach.h"
#include "lib/run/argument.h"
#include "lib/run/metrics.h"
#include "lib/run/privileges.h"
#include "lib/run/state_columns.h"
#include "lib/stacks/row_stacks.h"
#include "mixed.h"
#include "row_programs.h"
#include "symbols.h"
#include "user_events.h"
#include "via.h"

#define USER_RATE_MAX 100000	/* calls of programs' functions in a second, without --rate */

static struct {
	struct requests requests;
	const char *list;
} opt;

static bool has_rate;		/* --rate was given */
static struct attach attach;	/* of calls */
static struct counted counted;
static struct between between;
static struct flight flight;
static struct via via = { .states = run_events.states, .print = event_rows__print };
static struct from from = { .requests = &opt.requests, .print = event_rows__print, .make_room = event_rows__make_room };

enum {
	KEY_COUNT = 0x200, KEY_HIST, KEY_VIA, KEY_CONTEXT, KEY_BETWEEN, KEY_JOIN, KEY_SLOWER, KEY_PAIRS, KEY_BEFORE, KEY_UNTIL,
	KEY_FROM, KEY_CONSUME, KEY_RETURNS, KEY_FORCE, KEY_RATE, KEY_FOLLOW
};

static const struct argp_option options[] = {
	{ "count", KEY_COUNT, "FIELD,...", 0, "no lines: how many events have which values (\"event\": how many of each event)", 0 },
	{ "by", KEY_COUNT, NULL, OPTION_ALIAS, NULL, 0 },
	{ "hist", KEY_HIST, "FIELD", 0, "no lines: a histogram of this field's values", 0 },
	{ "via", KEY_VIA, "CONSUMER", 0, "how events are received: bpf, ftrace or perf; by default each one as it can be", 0 },
	STATE_CONTEXT_OPTION(KEY_CONTEXT),
	{ "between", KEY_BETWEEN, NULL, 0, "the time from the first of two events to the second one; --hist lat: a histogram", 0 },
	{ "key", KEY_JOIN, "FIELD[=FIELD],...", 0, "of --between and two events of --until: what is the same in both events (pid=next_pid,cpu)", 0 },
	{ "slower", KEY_SLOWER, "TIME", 0, "of --between and two events of --until: only times of TIME or more: 10ms, 500us, 2s", 0 },
	{ "pairs", KEY_PAIRS, "N", 0, "of --between and two events of --until: room for N first events that wait for the second one (default 16384)", 0 },
	{ "before", KEY_BEFORE, "SECONDS", 0, "flight recorder: keep events unread; at the end print the last SECONDS", 0 },
	{ "until", KEY_UNTIL, "EVENT", 0, "with --before: this event ends it ('EVENT if FILTER'; twice: the time between two, with --key and --slower); so do SIGUSR1, Ctrl-C, -d", 0 },
	{ "from", KEY_FROM, "INSTANCE|FILE", 0, "the events of a recording: a file of trace-cmd, an instance of tracefs, or / for its top", 0 },
	{ "consume", KEY_CONSUME, NULL, 0, "with --from INSTANCE: take the events out of its buffer", 0 },
	{ "returns", KEY_RETURNS, "WAY", 0, "how ur: sees returns: ret (at the ret instructions), kernel (a return probe), auto (default: ret where it can be)", 0 },
	{ "force", KEY_FORCE, NULL, 0, "with u: and ur:, probe also where that may break the program", 0 },
	{ "follow", KEY_FOLLOW, NULL, 0, "with u: and ur:, also files that come under the target's name while it runs: upgrades, containers", 0 },
	{ "rate", KEY_RATE, "N", 0, "stop at more than N events a second (default with u: and ur: 100,000; 0: never)", 0 },
	{ "list", 'l', "PATTERN", 0, "list the events that match, with their fields, and exit", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static bool has_source(const struct requests *requests, enum request_source source)
{
	for (size_t i = 0; i < requests->count; i++)
		if (requests->list[i].source == source)
			return true;
	return false;
}

static bool wants(enum request_source source)
{
	return has_source(&opt.requests, source);
}

/* Whether programs are on functions of programs: their events, or the one that ends a recording. */
static bool has_user_programs(void)
{
	return wants(REQUEST_USER) || wants(REQUEST_USER_RETURN) || wants(REQUEST_USDT) || has_source(&flight.requests, REQUEST_USER) ||
	       has_source(&flight.requests, REQUEST_USER_RETURN);
}

static void check_options(struct tool *tool)
{
	struct fault fault;

	if (requests__end(&opt.requests, &fault))
		usage_error("%s", fault.text);
	if (flight.requests.count == 2)
		between__check_until(&between, &flight.requests);
	between__check(&between, tool, &opt.requests, counted.hist, &counted.wants);
	if (!between.is_wanted) {
		counted__check(&counted, tool, &opt.requests);
		tool->counts = counted__is_in_kernel(&counted);
	}
	for (size_t i = 0; tool->metrics && i < counted.wants.names_count; i++)
		metrics__check_label(counted.wants.names[i], counted.wants.names[i]);
	if (between.is_wanted)
		tool->metric_names = between_by_metrics;
	if (via.state && via.is_chosen && via.consumer != VIA_FTRACE)
		usage_error(STATE_NO_PROGRAMS " (leave --via out)");
	if (between.is_wanted && (via.consumer != VIA_BPF || via.state))
		usage_error("--between and --%s: only programs join events", via.state ? "context" : "via");
	flight__check(&flight, tool);
	if (between.is_wanted && (flight.before_ns || from.name))
		usage_error("--between and --%s: only programs join events", from.name ? "from" : "before");
	from__check(&from, tool, via.consumer != VIA_BPF || flight.before_ns || via.state);
	if (from.name) {
		tool->attach = NULL;
		return;
	}
	if (flight.before_ns) {
		if (via.consumer == VIA_PERF)
			usage_error("--before: records by ftrace, and not by perf");
		via.flight = &flight;
	}
	if (via.state || flight.before_ns)
		via.consumer = VIA_FTRACE;
	via__check(&via, tool);
	if (!opt.requests.count) {
		requests__take(&opt.requests, "sched:sched_process_exec", &fault);
		requests__take(&opt.requests, "sched:sched_process_exit", &fault);
	}
	if (wants(REQUEST_USER) || wants(REQUEST_USER_RETURN) || wants(REQUEST_USDT)) {
		if (between.is_wanted)
			usage_error("--between: not for functions of programs (u:, ur:)");
		if (via.consumer != VIA_BPF && user_options.follow)
			usage_error("--follow: only programs can be attached to files that come later (--via bpf)");
		/* each takes a trap or two, of the program that is traced */
		if (!has_rate)
			tool->options.rate_max = USER_RATE_MAX;
	}
	if (user_options.follow && !wants(REQUEST_USER) && !wants(REQUEST_USER_RETURN))
		usage_error("--follow: for functions of programs (u:, ur:)");
	if (has_user_programs())
		tool->look_around = user_events__look_around;
	if (user_options.follow)
		tool->keeps = PRIVILEGES_ATTACH;
	if (has_user_programs() && tool->options.filter.pids_count == 1)
		user_options.pid = tool->options.filter.pids[0];
	/* a return there tells no place on the stack (lib/bpf/frames.bpf.h) */
	if (wants(REQUEST_CALL_RETURN) && attach.wanted == ATTACH_MULTI)
		usage_error("--attach multi: not for returns of functions (link, perf and legacy are)");
	for (size_t i = 0; i < opt.requests.count; i++)
		if (opt.requests.list[i].slots && attach.wanted != ATTACH_AUTO && attach.wanted != ATTACH_LEGACY)
			usage_error("--attach %s: takes no number of calls, as in kr%u: (legacy does)", attach_mode__name(attach.wanted),
				    opt.requests.list[i].slots);
	if (attach.wanted == ATTACH_MULTI && call_events__ask_for_registers(&opt.requests))
		usage_error("--attach multi: does not have all registers of a function's call (link, perf and legacy have)");
	if (wants(REQUEST_CALL) || wants(REQUEST_CALL_RETURN) || has_source(&flight.requests, REQUEST_CALL_RETURN) ||
	    (between.ends && has_source(&flight.requests, REQUEST_CALL)))
		return;
	if (attach.wanted != ATTACH_AUTO)
		usage_error("--attach: for calls of functions (k:NAME, kr:NAME)");
	/* without probes there is nothing to prepare and to clean up */
	tool->attach = NULL;
}

/* The words of --until: EVENT, and "if FILTER" where that follows, which is the same event's.  They stay for the whole run. */
static const char *until_of(const char *event, struct argp_state *state)
{
	static char *joined[2];
	static size_t count;

	if (count == sizeof(joined) / sizeof(*joined) || state->next + 1 >= state->argc || strcmp(state->argv[state->next], "if"))
		return event;
	if (asprintf(&joined[count], "%s if %s", event, state->argv[state->next + 1]) < 0)
		usage_error("--until: no memory");
	state->next += 2;
	return joined[count++];
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct fault fault;

	switch (key) {
	case 'l':
		opt.list = arg;
		return 0;
	case KEY_COUNT:
		counted__add_names(&counted, arg);
		return 0;
	case KEY_HIST:
		counted__set_hist(&counted, arg);
		return 0;
	case KEY_CONTEXT:
		via.state = &event_rows_state;
		return 0;
	case KEY_BETWEEN:
		between.is_wanted = true;
		return 0;
	case KEY_JOIN:
		between__set_key(&between, arg);
		return 0;
	case KEY_SLOWER:
		between.slower_ns = argument__time("--slower", arg);
		return 0;
	case KEY_PAIRS:
		between__set_pairs(&between, arg);
		return 0;
	case KEY_VIA:
		via.consumer = via__parse(arg);
		via.is_chosen = true;
		return 0;
	case KEY_FROM:
		from.name = arg;
		return 0;
	case KEY_CONSUME:
		from.consumes = true;
		return 0;
	case KEY_BEFORE:
		flight__set_before(&flight, arg);
		return 0;
	case KEY_UNTIL:
		flight__set_until(&flight, until_of(arg, state));
		return 0;
	case KEY_RETURNS:
		if (user_returns__parse(arg, &user_options.returns))
			usage_error("--returns \"%s\": auto, ret or kernel", arg);
		return 0;
	case KEY_RATE:
		((struct tool *)state->input)->options.rate_max = argument__number("--rate", arg, 0, UINT32_MAX);
		has_rate = true;
		return 0;
	case KEY_FOLLOW:
		user_options.follow = true;
		return 0;
	case KEY_FORCE:
		user_options.force = true;
		return 0;
	case ARGP_KEY_ARG:
		if (requests__take(&opt.requests, arg, &fault))
			usage_error("%s", fault.text);
		return 0;
	case ARGP_KEY_END:
		check_options(state->input);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the programs */

static const struct event_programs programs = { .attach = &attach, .between = &between, .counted = &counted };

static int attach_events(struct tool *tool)
{
	return event_programs__attach(&programs, tool);
}

static void free_events(void)
{
	run_events__free();
	requests__free(&opt.requests);
	event_rows__free();
	event_programs__free();
}

/* --from: the exit status. */
static int run_from(struct tool *tool)
{
	const struct plan *only = from__open(&from, tool) && !from__plan(&from, tool) ? from__only_plan(&from) : NULL;

	event_rows__make_columns(tool, only, via.state);
	from__run(&from, tool);
	symbols__close();
	free_events();
	return tool__finish(tool);
}

static const struct metric metrics[] = {
	{ "kernel_events_total", "Events of the kernel, by the chosen fields.", METRIC_EVENTS, "count", NULL },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "anysnoop",
	.summary = "Shows any tracepoint, function or system call of the kernel with its arguments; filters in the kernel.",
	.examples = "  sudo anysnoop sched:sched_switch              every field of one event\n"
		    "  sudo anysnoop 'block:*' -d 10                 all events of a system\n"
		    "  sudo anysnoop 'sched:sched_process_exec(filename)' if 'uid == 0'\n"
		    "  sudo anysnoop sched:sched_switch if 'next_comm ~ \"ssh*\" && cpu == 1'\n"
		    "  sudo anysnoop sched:sched_switch --count next_comm 1    counts, each second\n"
		    "  sudo anysnoop 'rawtp:sched_switch(prev->pid, next->comm)'\n"
		    "  sudo anysnoop 'k:do_unlinkat(name->name)'     a kernel function's calls\n"
		    "  sudo anysnoop kr:do_unlinkat if 'ret < 0'     what it returns, and its time\n"
		    "  sudo anysnoop u:libc.so.6:getenv              a function of a library\n"
		    "  sudo anysnoop 'sysr:unlinkat(pathname,ret)'   a system call that returns\n"
		    "  sudo anysnoop 'sched:*' --before 5 --until oom:mark_victim\n"
		    "  anysnoop --from recording.dat                 what trace-cmd has recorded\n"
		    "  sudo anysnoop --between irq:softirq_raise irq:softirq_entry --key vec,cpu\n"
		    "  sudo anysnoop -l 'irq:*'                      what there is, with fields\n",
	.options = options,
	.parse = parse,
	.argument = "[EVENT[(FIELD,...)] [if FILTER]]...",
	.columns = event_columns,
	ROW_STACKS(ROW_STACK_KERNEL | ROW_STACK_USER),
	.ready = "Counting events. Ctrl-C ends it.",
	.counts = true,
	.rows_too = true,
	.keys_max = COUNTED_KEYS,
	.metrics = metrics,
};

static struct tool_about about_between;

/* --between has programs of its own, on events of the kernel. */
static int refuse_others(struct tool *tool)
{
	for (size_t i = 0; i < run_events.count; i++) {
		const char *name = run_events.plans[i].name;

		if (run_events.states[i].is_recorded)
			return tool__fail(tool, -EOPNOTSUPP, "%s: only ftrace has it, and --between needs a program there", name);
		if (request__is_user(run_events.plans[i].source))
			return tool__fail(tool, -EOPNOTSUPP, "%s: --between is for events of the kernel", name);
	}
	return 0;
}

/* Its programs send no stacks. */
static struct between_bpf *open_between(struct tool *tool)
{
	struct between_bpf *skel = between_bpf__open_opts(&tool->open_opts);

	about_between = about;
	about_between.stacks = 0;
	about_between.room_option = "--pairs";
	tool->about = &about_between;
	if (tool__opened(tool, skel)) {
		event_programs__prepare(tool);
		between__prepare(&between, tool, skel);
	}
	return skel;
}

static int find_events(struct tool *tool)
{
	const struct event_search search = { .requests = &opt.requests, .counted = &counted, .between = &between, .flight = &flight,
					     .via = &via };

	return event_search__run(&search, tool) || event_rows__make(tool) ? tool->err : 0;
}

/* --between: programs of their own. */
static void run_between(struct tool *tool)
{
	struct between_bpf *skel = NULL;

	if (tool__open_opts(tool) && !find_events(tool) && !refuse_others(tool) &&
	    !between__plan(&between, tool, run_events.plans, run_events.count) && !event_programs__register(&programs, tool))
		skel = open_between(tool);
	if (!tool->err) {
		symbols__open(run_events.plans, run_events.count);
		symbols__open_key(&between.keys[0]);
		for (int side = 0; side < 2; side++)
			symbols__open_key(&between.by.keys[side]);
	}
	between__run(&between, tool, skel);
	between_bpf__destroy(skel);
}

/* Before the options are read, as some are in the unit of the histogram: a field's values, or times. */
static enum hist_unit find_unit(char **argv)
{
	for (; *argv && strcmp(*argv, "--"); argv++)
		if (!strcmp(*argv, "--between"))
			return HIST_USECS;
	return HIST_PLAIN;
}

/* The one consumer that has all events, where there is one.  Whether some have programs. */
static bool has_programs(void)
{
	size_t recorded = run_events__recorded();

	via.plans_count = run_events.count;
	/* a consumer that was asked for has all of them, also those that are no tracepoints (sys:, k:) */
	if (via.consumer != VIA_BPF)
		return false;
	via.is_shared = recorded;
	if (recorded && recorded == run_events.count)
		via.consumer = VIA_FTRACE;
	return via.consumer == VIA_BPF;
}

static int make_columns(struct tool *tool)
{
	struct fault fault;
	int err;

	if (!counted.wants.is_wanted)
		return event_rows__make_columns(tool, run_events.count == 1 ? &run_events.plans[0] : NULL, via.state);
	counted.plans = run_events.plans;
	counted.plans_count = run_events.count;
	counted.programs_count = run_events.leaders;
	counted.row = event_rows__room();
	err = counted__make_columns(&counted, tool, &fault);
	return err ? tool__fail(tool, err, "%s", fault.text) : 0;
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	return counted__print(&counted, tool, interval);
}

static void print_counted(struct tool *tool, const void *data, size_t size)
{
	(void)size;
	counted__print_event(&counted, tool, data);
}

static void run_programs(struct tool *tool, struct anysnoop_bpf *skel)
{
	if (via.is_shared)
		mixed__run(&via, tool, event_rows__print_event);
	else if (counted__is_in_kernel(&counted))
		tool__run_intervals(tool, skel, print_interval);
	else if (counted.by_stack)
		tool__run(tool, skel, print_counted);
	else
		tool__run(tool, skel, event_rows__print_event);
}

static void show_events(struct tool *tool)
{
	struct anysnoop_bpf *skel = NULL;
	struct between_bpf *ends = NULL;

	if (tool__open_opts(tool) && !find_events(tool) && !make_columns(tool) && has_programs() &&
	    !event_programs__register(&programs, tool)) {
		if (between.ends)
			ends = open_between(tool);
		else
			skel = row_programs__open(tool, &counted, has_user_programs());
	}
	if (!tool->err)
		symbols__open(run_events.plans, run_events.count);
	if (ends)
		between__tell(&between, tool, ends);
	if (via.consumer != VIA_BPF)
		via__run(&via, tool);
	else if (!tool->err && ends)
		mixed__run(&via, tool, between_rows__print_end);
	else if (!tool->err)
		run_programs(tool, skel);
	row_programs__free(skel);
	between_bpf__destroy(ends);
}

/*
 * What argp would not take: a filter that begins with "-", as "-8(%si) == 0" does, gets a space in front; --hist of --between needs no FIELD, as
 * the time is the number that is meant.
 */
static void spell_out(char **argv)
{
	char *hist = NULL, **hist_at = NULL;
	bool is_between = false;

	for (; *argv && strcmp(*argv, "--"); argv++) {
		is_between |= !strcmp(*argv, "--between");
		if (!strcmp(*argv, "--hist") && (!argv[1] || *argv[1] == '-'))
			hist_at = argv;
		if (!strcmp(*argv, "if") && argv[1] && *argv[1] == '-' && asprintf(&argv[1], " %s", argv[1]) < 0)
			exit(1);
	}
	if (is_between && hist_at && (hist = strdup("--hist=lat")))
		*hist_at = hist;
}

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(find_unit(argv));
	struct tool tool = { .about = &about, .attach = &attach, .attach_own = attach_events, .detach_own = user_events__detach,
			     .shape = &shape };

	spell_out(argv);
	tool__parse(&tool, argc, argv);
	if (opt.list && tool.options.filter.pids_count == 1)
		user_options.pid = tool.options.filter.pids[0];
	if (opt.list)
		return event_list__print(&tool, opt.list);
	if (from.name)
		return run_from(&tool);
	if (between.is_wanted)
		run_between(&tool);
	else
		show_events(&tool);
	user_events__check(&tool);
	user_events__free();
	between__free(&between);
	counted__free(&counted);
	symbols__close();
	free_events();
	return tool__finish(&tool);
}

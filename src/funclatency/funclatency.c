/* SPDX-License-Identifier: BSD-2-Clause */
/* funclatency: how long calls of functions take. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "funclatency.h"
#include "funclatency.skel.h"
#include "latencies.h"
#include "lib/btf/prototype.h"
#include "lib/ftrace/top_level.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/names.h"
#include "lib/print/text.h"
#include "lib/probe/attach.h"
#include "lib/probe/own_task.h"
#include "lib/probe/tracing.h"
#include "lib/probe/trampoline.h"
#include "lib/run/argument.h"
#include "lib/run/foreign_options.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/traced/engine.h"
#include "lib/traced/traced.h"
#include "lib/traced/traced_columns.h"
#include "lib/traced/traced_conflict.h"
#include "lib/traced/traced_top.h"
#include "lib/traced/traced_trampolines.h"
#include "lib/traced/traced_user.h"
#include "traced_session.h"

#define RATE_MAX 5000000		/* calls a second, without --rate */
_Static_assert(CALL_ARGS == PROTOTYPE_PARAMS, "an argument for each parameter");

/* How the programs are attached. */
enum way {
	WAY_TRAMPOLINES,	/* fentry and fexit, for each function */
	WAY_PROBES,		/* a kprobe and a kretprobe, for each function */
	WAY_MULTI,		/* one kprobe.multi and one kretprobe.multi, for all of them */
	WAY_SESSION,		/* one program for both ends of all of them */
};

static struct attach attach = { .only_counts = true, .check_names = true };
static struct traced traced = { .takes_programs = true };
static struct traced_user user;		/* functions of programs instead of the kernel's */
static bool of_programs;
static struct engine engine;
static struct latencies latencies;	/* of the ftrace engine */
static struct names ftrace_names;	/* likewise */
static struct prototypes *prototypes;	/* of the functions, for --slower; NULL: they are not known */
static struct session session;
static uint32_t ids[TRACED_FEW];	/* of the functions, in the kernel's BTF */
static enum way way;
static bool by_function, with_rows, with_rate;
static uint64_t slower_ns;

enum { KEY_SLOWER = 0x200, KEY_RATE, KEY_ENGINE };

static const struct argp_option options[] = {
	{ "functions", 'F', NULL, 0, "a histogram for each function", 0 },
	{ "slower", KEY_SLOWER, "TIME", 0, "a line with arguments for each call that takes TIME or more (10ms, 500us, 2s), no histogram", 0 },
	ENGINE_OPTION(KEY_ENGINE),
	TRACED_OPTIONS(TRACED_KEY_MODULE),
	{ "rate", KEY_RATE, "N", 0, "stop at more than N calls a second (default 5,000,000; 0: never)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-i", "INTERVAL is an argument: funclatency vfs_read 1" },
	{ "--interval", "INTERVAL is an argument: funclatency vfs_read 1" },
	{ "-u", "microseconds are the default (-N: nanoseconds, -m: milliseconds)" },
	{ NULL, NULL },
};

static const struct out_column columns[] = {
	{ "US", 12, NULL, "lat_ns" },
	{ "CPU", 3, NULL, NULL },
	TOOL_TASK_COLUMNS,
	{ "FUNCTION", -24, NULL, NULL },
	{ "MODULE", 0, &tool_not_shown, NULL },
	{ "ARGS", -1, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static void check_options(struct tool *tool)
{
	if (by_function && tool->shape->linear_count)
		usage_error("--linear and -F exclude each other");
	if (with_rows && by_function)
		usage_error("--slower and -F exclude each other");
	if (with_rows && tool->options.interval_ns && !tool->counting)
		usage_error("--slower prints calls: it takes no INTERVAL (--count does)");
	if (with_rows && with_rate)
		usage_error("--rate: not for the lines of --slower");
	if (!with_rows && tool->options.events_max)
		usage_error("--max-events: for the lines of --slower");
	if (!with_rows && tool->options.ring_size)
		usage_error("--buffer: for the lines of --slower");
	if (!with_rows && tool->options.shows_cgroup)
		usage_error("--cgroup-name: for the lines of --slower");
	of_programs = traced_user__is(&traced, tool);
	if (of_programs && engine.kind == ENGINE_FTRACE)
		usage_error("--engine ftrace: for the kernel's functions");
	if (of_programs && with_rows)
		usage_error("--slower: for the kernel's functions (anysnoop 'ur:TARGET:FUNCTION(duration)' if 'duration > 1000000' has lines)");
	if (of_programs && !with_rate)
		tool->options.rate_max = TRACED_USER_RATE_MAX;
	tool->counts = !with_rows;
	if (!with_rows)
		tool->columns = NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tool *tool = state->input;

	switch (key) {
	case 'F':
		by_function = true;
		return 0;
	case KEY_SLOWER:
		slower_ns = argument__time("--slower", arg);
		with_rows = true;
		return 0;
	case KEY_RATE:
		tool->options.rate_max = argument__number("--rate", arg, 0, UINT32_MAX);
		with_rate = true;
		return 0;
	case KEY_ENGINE:
		engine__parse(&engine, arg);
		return 0;
	case ARGP_KEY_END:
		check_options(tool);
		/* fall through */
	default:
		return traced__parse(&traced, key, arg, TRACED_KEY_MODULE, "vfs_read");
	}
}

/* ---- which functions, and how */

/* but: which calls may be missed, or "". */
static void tell_engine(struct tool *tool, const char *how, const char *why, const char *but)
{
	char promise[192];

	snprintf(promise, sizeof(promise), "%s + lost + missed + filtered is every call that ends%s%s", with_rows ? "delivered" : "counted",
		 slower_ns ? ", but for faster ones" : "", but);
	engine__tell(&engine, tool, how, why, promise);
}

static void choose(struct tool *tool, enum way chosen, const char *why)
{
	const char *const ways[] = {
		[WAY_TRAMPOLINES] = "fentry and fexit for each function",
		[WAY_PROBES] = "a kprobe and a kretprobe for each function",
		[WAY_MULTI] = "kprobe.multi and kretprobe.multi",
		[WAY_SESSION] = session__name(&session),
	};
	bool on_trampolines = chosen == WAY_TRAMPOLINES || (chosen == WAY_SESSION && session.kind == SESSION_FUNCTIONS);
	/* kretprobes have some slots, and before 6.14 kretprobe.multi and kprobe.session have two for each CPU and function */
	bool sees_all = on_trampolines || (chosen != WAY_PROBES && kernel__version() >= kernel_version(6, 14, 0));

	way = chosen;
	tell_engine(tool, ways[chosen], why, sees_all ? "" : "; returns of calls that sleep at the same time can be missed");
}

/* Programs of a session tell which function was called by its address, which the kernel does not show to all who may attach. */
static bool addresses_are_shown(void)
{
	struct names names = { 0 };
	bool shown = true;

	names__open(&names, false);
	for (size_t i = 0; i < traced.functions.count && shown; i++)
		shown = names__address(&names, traced.functions.list[i].module, traced.functions.list[i].name);
	names__close(&names);
	return shown;
}

static int find_addresses(struct tool *tool)
{
	struct names names = { 0 };

	names__open(&names, false);
	traced__find_addresses(&traced, tool, &names);
	names__close(&names);
	return tool->err;
}

static int plan_session(struct tool *tool, const char *why)
{
	traced.by_multi = true;
	if (find_addresses(tool))
		return tool->err;
	choose(tool, WAY_SESSION, why);
	return 0;
}

static int plan_few(struct tool *tool)
{
	struct fault fault = { .text = "--attach asks for it" };
	bool may = attach.wanted == ATTACH_AUTO || attach.wanted == ATTACH_FENTRY;

	if (may && !traced_trampolines__find(&traced, ids, &fault)) {
		if (attach.wanted == ATTACH_AUTO && session__take_ids(&session, &traced, ids)) {
			if (addresses_are_shown())
				return plan_session(tool, "one program for both ends of a call");
			session.kind = SESSION_NONE;
		}
		attach.wanted = ATTACH_FENTRY;
		choose(tool, WAY_TRAMPOLINES, "so few functions that each can have programs");
		return 0;
	}
	if (attach.wanted == ATTACH_FENTRY)
		return tool__fail(tool, -EOPNOTSUPP, "--attach fentry is not possible: %s (leave --attach out)", fault.text);
	choose(tool, WAY_PROBES, fault.text);
	return 0;
}

static int plan_multi(struct tool *tool)
{
	if (attach.wanted == ATTACH_AUTO)
		session__ask(&session, &traced);
	if (session.kind == SESSION_FUNCTIONS)
		return plan_session(tool, "one program for both ends of a call");
	if (session.kind == SESSION_PROBES)
		return plan_session(tool, session.why);
	if (traced_conflict__refuse(&traced, tool) || find_addresses(tool))
		return tool->err;
	choose(tool, WAY_MULTI, traced.functions.count > TRACED_FEW ? "more functions than can have programs of their own" :
								      "--attach asks for it");
	return 0;
}

/* What the function_graph tracer cannot do here; NULL: nothing.  It is not asked where it is not wanted. */
static const char *find_only_bpf(const struct tool *tool)
{
	if (tool->options.filter.by_uid || tool->options.filter.by_cgroup)
		return "its records do not have the user and the cgroup of a task (-u and -c)";
	if (engine.kind == ENGINE_BPF || (engine.kind == ENGINE_AUTO && traced__are_few_names(&traced)))
		return NULL;
	return durations__lacks();
}

/* Decides how to measure, and what.  tool->err. */
static int plan(struct tool *tool)
{
	struct engine_wants wants = {
		.done = "measured", .only_bpf = find_only_bpf(tool),
		/* return probes on many functions have two slots for each CPU and function there, and miss calls that sleep */
		.prefers_ftrace = kernel__version() < kernel_version(6, 14, 0) && !tool->options.filter.active,
	};

	if (engine__choose(&engine, tool, &traced, &wants))
		return tool->err;
	if (engine.kind == ENGINE_BPF)
		return traced.by_multi ? plan_multi(tool) : plan_few(tool);
	if (traced_top__move(&traced, tool))
		return tool->err;
	tell_engine(tool, top_level__is(&traced.instance) ? "function_graph at the top of tracefs" : "function_graph in an instance of tracefs",
		    engine.asked ? "asked for" :
		    traced.functions.count <= TRACED_FEW ? "a name of several functions, and a probe cannot distinguish them" :
		    "many functions, and return probes would miss calls that sleep", "");
	return 0;
}

/* ---- the programs */

static struct funclatency_bpf *skel_of_tool;
static const char *begins = "begin_probe", *ends = "end_probe";	/* the programs of a few functions */

/* The function that a program has told of; NULL: none. */
static const struct function *find_function(uint64_t key)
{
	size_t number = traced__find(&traced, key);

	return number < traced.functions.count ? &traced.functions.list[number] : NULL;
}

static void attach_multi(struct tool *tool)
{
	struct funclatency_bpf *skel = skel_of_tool;

	/* the returns first: a call that is seen to begin is then seen to end */
	if (with_rows && !traced__attach_multi(&traced, tool, skel->progs.end_multi_row, &skel->links.end_multi_row))
		traced__attach_multi(&traced, tool, skel->progs.begin_multi_row, &skel->links.begin_multi_row);
	else if (!with_rows && !traced__attach_multi(&traced, tool, skel->progs.end_multi, &skel->links.end_multi))
		traced__attach_multi(&traced, tool, skel->progs.begin_multi, &skel->links.begin_multi);
}

static void attach_session(struct tool *tool)
{
	enum session_kind planned = session.kind;

	session__attach(&session, &traced, tool);
	if (session.kind != planned)
		choose(tool, WAY_SESSION, session.why);
}

static void attach_all(struct tool *tool)
{
	switch (way) {
	case WAY_TRAMPOLINES:
		if (!traced_trampolines__attach(&traced, tool, ends))
			traced_trampolines__attach(&traced, tool, begins);
		break;
	case WAY_PROBES:
		if (!traced__attach(&traced, tool, ends))
			traced__attach(&traced, tool, begins);
		break;
	case WAY_MULTI:
		attach_multi(tool);
		break;
	case WAY_SESSION:
		attach_session(tool);
		break;
	}
}

/* For rows they are attached where those that count have attach_probes. */
static int attach_own(struct tool *tool)
{
	attach_all(tool);
	return attach.err ? tool__fail(tool, attach.err, "%s", attach.error) : tool->err;
}

static int attach_programs(struct tool *tool)
{
	return traced_user__attach(&user, tool);
}

static void detach_programs(struct tool *tool)
{
	(void)tool;
	traced_user__detach(&user);
}

/* What is counted, and which maps are made. */
static void prepare_counts(struct tool *tool, struct funclatency_bpf *skel, bool with_frames)
{
	skel->rodata->by_function = by_function;
	tool->rate_word = (by_function ? offsetof(struct funclatency_counts, calls) : offsetof(struct funclatency_counts, times.slots)) /
			  sizeof(uint64_t);
	tool->rate_words = by_function ? 1 : HIST_SLOTS;
	if (!by_function)
		table__leave_out(skel->obj);
	bpf_map__set_autocreate(skel->maps.events, with_rows);
	bpf_map__set_autocreate(skel->maps.calls, with_frames);
	bpf_map__set_autocreate(skel->maps.frames_places, with_frames);
	bpf_map__set_autocreate(skel->maps.frames_words, with_frames && with_rows && way != WAY_TRAMPOLINES);
	bpf_program__set_autoload(skel->progs.thread_free, with_frames);
}

/* The programs of a few functions. */
static void prepare_few(struct tool *tool)
{
	if (way == WAY_TRAMPOLINES) {
		if (!traced_trampolines__prepare(&traced, tool, begins, ids))
			traced_trampolines__prepare(&traced, tool, ends, ids);
		return;
	}
	for (size_t i = 0; i < traced.functions.count; i++) {
		bpf_program__set_autoload(traced__program(tool, begins, i), true);
		bpf_program__set_autoload(traced__program(tool, ends, i), true);
	}
}

/* Which programs are loaded. */
static void prepare(struct tool *tool, struct funclatency_bpf *skel)
{
	skel_of_tool = skel;
	if (trampoline__needs_alone(skel->maps.alone_map, way == WAY_TRAMPOLINES)) {
		begins = "begin_alone";
		ends = with_rows ? "end_alone_row" : "end_alone";
	} else if (way == WAY_TRAMPOLINES) {
		begins = "begin_call";
		ends = with_rows ? "end_call_row" : "end_call";
	} else if (with_rows) {
		begins = "begin_probe_row";
		ends = "end_probe_row";
	}
	skel->rodata->frames_at_multi_return = kernel__version() < kernel_version(6, 14, 0);
	if (!tool->options.filter.active)
		skel->rodata->filter.own_task = own_task__address();
	skel->rodata->slower_ns = slower_ns;
	if (with_rows) {
		tool->attach_own = attach_own;
		traced__load_prototypes(&traced, tool, &prototypes);
	}
	/* rows of kprobe.session have arguments, for which the kernel keeps no room */
	prepare_counts(tool, skel, way != WAY_SESSION || (with_rows && session.has_probes));
	if (way == WAY_SESSION) {
		if (session__prepare(&session, with_rows ? skel->progs.session_probe_row : skel->progs.session_probe,
				     with_rows ? skel->progs.session_function_row : skel->progs.session_function))
			tool__fail(tool, -ENOSPC, "too many programs");
	} else if (way == WAY_MULTI) {
		bpf_program__set_autoload(with_rows ? skel->progs.begin_multi_row : skel->progs.begin_multi, true);
		bpf_program__set_autoload(with_rows ? skel->progs.end_multi_row : skel->progs.end_multi, true);
	} else {
		prepare_few(tool);
	}
}

/* Functions of programs: which they are, and the programs on them. */
static void prepare_user(struct tool *tool, struct funclatency_bpf *skel)
{
	if (traced_user__find(&user, &traced, tool, true) || traced_user__prepare(&user, tool))
		return;
	trampoline__needs_alone(skel->maps.alone_map, false);
	engine.kind = ENGINE_BPF;
	tell_engine(tool, traced_user__how(), "functions of programs", user.late_ends.count ?
		    "; the kernel's return probe sees 64 calls of a thread at the same time" : "");
	tool->attach_probes = NULL;
	tool->attach_own = attach_programs;
	tool->detach_own = detach_programs;
	prepare_counts(tool, skel, false);
}

/* ---- what is printed */

/* The columns before FUNCTION. */
static void put_call(struct tool *tool, const struct event_task *task, uint64_t ns, uint32_t cpu)
{
	struct out *out = &tool->out;

	out__row(out, task->ts_ns);
	out__latency(out, ns);
	out__int(out, cpu);
	tool__task(tool, task);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct funclatency_event *event = data;
	uint64_t args[CALL_ARGS];

	(void)size;
	memcpy(args, event->args, sizeof(args));
	put_call(tool, &event->task, event->ns, event->cpu);
	traced__put(&tool->out, find_function(event->function));
	traced__put_args(&tool->out, traced__prototype(&traced, prototypes, traced__find(&traced, event->function)), args, CALL_ARGS);
}

/* Of the ftrace engine. */
static void print_duration(struct tool *tool, const struct stream_event *event, const struct duration *duration)
{
	const struct prototype *prototype = NULL;
	char name[NAMES_NAME_MAX];

	names__of(&ftrace_names, duration->function, name);
	/* prepare_ftrace() has sorted them */
	if (duration->args_count)
		prototype = traced__prototype(&traced, prototypes, functions__find(&traced.functions, name));
	put_call(tool, &event->task, duration->ns, event->cpu);
	traced__put_named(&tool->out, name);
	traced__put_args(&tool->out, prototype, duration->args, duration->args_count);
}

static void describe_key(const struct tool *tool, const void *data, struct interval_key *to)
{
	const struct funclatency_key *key = data;

	(void)tool;
	traced__describe(to, find_function(key->function));
}

/* The same, of the ftrace engine. */
static void describe_address(const struct tool *tool, const void *data, struct interval_key *to)
{
	char name[NAMES_NAME_MAX];
	uint64_t address;

	memcpy(&address, data, sizeof(address));
	names__of(&ftrace_names, address, name);
	traced__describe_text(to, name);
}

static uint64_t print_durations(struct tool *tool, const struct interval *interval)
{
	struct hist_view times = hist_view__of(tool->shape, &latencies.times);
	static const struct hist_rough none;
	struct interval by_address = *interval;

	by_address.table = &latencies.table;
	if (by_function)
		return interval__hists(tool, &by_address, &none, describe_address);
	interval__hist(tool, interval, &times, NULL, NULL);
	return hist_view__count(&times);
}

/* The maps stay, so that the frame of all tools finds them; no program is loaded. */
static void prepare_ftrace(struct tool *tool, struct funclatency_bpf *skel)
{
	names__open(&ftrace_names, true);
	if (names__lack(&ftrace_names))
		say__warning("functions are shown as addresses: %s", names__lack(&ftrace_names));
	bpf_map__set_autocreate(skel->maps.events, false);
	bpf_map__set_autocreate(skel->maps.frames_words, false);
	bpf_map__set_autocreate(skel->maps.frames_places, false);
	bpf_program__set_autoload(skel->progs.thread_free, false);
	trampoline__needs_alone(skel->maps.alone_map, false);
	table__leave_out(skel->obj);
	if (with_rows)
		latencies.print = print_duration;
	if (with_rows && durations__has_args()) {
		functions__sort(&traced.functions);
		traced__load_prototypes(&traced, tool, &prototypes);
	}
	if (!with_rows)
		latencies__open(&latencies, tool, &traced, by_function);
	latencies.slower_ns = slower_ns;
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct funclatency_counts *counts = interval->cells;
	struct hist_view times = hist_view__of(tool->shape, &counts->times);

	if (by_function)
		return interval__hists(tool, interval, &counts->others, describe_key);
	interval__hist(tool, interval, &times, NULL, NULL);
	return hist_view__count(&times);
}

static const struct metric metrics[] = {
	{ "function_seconds", "How long calls of the kernel's functions took.", METRIC_HIST, NULL, "function" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "funclatency",
	.summary = "Counts how long calls of functions take, of the kernel and of programs.",
	.examples = "  sudo funclatency vfs_read                until Ctrl-C\n"
		    "  sudo funclatency -F vfs_read vfs_write 1  by function, each second\n"
		    "  sudo funclatency -n nginx 'tcp_*'        of one program\n"
		    "  sudo funclatency --slower 1ms vfs_read   calls of 1 ms and more\n"
		    "  sudo funclatency u:libc:getaddrinfo      a function of a library\n",
	.options = options,
	.parse = parse,
	.argument = "[PATTERN...]",
	.foreign_options = foreign_options,
	.ready = "Measuring calls. Ctrl-C ends it.",
	.columns = columns,
	.counts = true,
	.rows_too = true,
	.keys_max = FUNCLATENCY_KEYS,
	.rate_max = RATE_MAX,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(HIST_USECS);
	struct tool tool = { .about = &about, .shape = &shape, .attach = &attach, .attach_probes = attach_all };
	struct funclatency_bpf *skel;

	tool__parse(&tool, argc, argv);
	if (tracing__register())
		tool__fail(&tool, -EINVAL, "libbpf does not take the programs");
	skel = funclatency_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel) && of_programs) {
		prepare_user(&tool, skel);
	} else if (!tool.err && !plan(&tool)) {
		traced_user__leave_out(&tool);
		if (engine.kind == ENGINE_FTRACE)
			prepare_ftrace(&tool, skel);
		else
			prepare(&tool, skel);
	}
	if (engine.kind == ENGINE_FTRACE && with_rows)
		latencies__run_rows(&latencies, &tool, &traced);
	else if (with_rows)
		tool__run(&tool, skel, print_event);
	else
		tool__run_intervals(&tool, skel, engine.kind == ENGINE_FTRACE ? print_durations : print_interval);
	if (of_programs)
		traced_user__check(&tool);
	traced_user__free(&user);
	latencies__close(&latencies);
	names__close(&ftrace_names);
	prototypes__free(prototypes);
	funclatency_bpf__destroy(skel);
	traced_top__give_back(&traced);
	traced__free(&traced);
	return tool__finish(&tool);
}

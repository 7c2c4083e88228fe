/* SPDX-License-Identifier: BSD-2-Clause */
/* functrace: calls of kernel functions, one by one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "functrace.h"
#include "functrace.skel.h"
#include "lib/ftrace/call_recorder.h"
#include "lib/ftrace/names.h"
#include "lib/kernel/kernel.h"
#include "lib/layout/prototype.h"
#include "lib/print/piece.h"
#include "lib/print/text_buffer.h"
#include "lib/probe/attach.h"
#include "lib/probe/attempt.h"
#include "lib/probe/tracing.h"
#include "lib/run/argument.h"
#include "lib/run/engine.h"
#include "lib/run/habits.h"
#include "lib/run/recorded.h"
#include "lib/run/traced.h"

#define RATE_MAX 2000000	/* calls a second, without --rate */
#define SLOWER_MAX_US 1000000000
#define ADDRESSES_KEPT 1024	/* names of addresses; a power of two */
#define PRINTED_KEPT 256	/* a power of two */
#define ARGS_SIZE 1024
_Static_assert(sizeof(((struct functrace_event *)0)->args) == PROTOTYPE_PARAMS * sizeof(uint64_t), "an argument for each parameter");
#define BUFFER_KB 2048		/* of the ftrace engine, for each CPU; --buffer changes it */

static struct attach attach = { .check_names = true };
static struct engine engine;
static struct traced traced;
static struct prototypes *prototypes;
static struct names names;
static bool with_args, with_return, with_stack;
static bool with_session;	/* -r: one program at both ends of all calls */
static uint64_t slower_us;

/* Of addresses, the names that were asked for last. */
static struct {
	uint64_t address;
	char *name;
} kept[ADDRESSES_KEPT];

/*
 * Columns of calls as they were printed, by function and caller: all that follow the task's, or, where each call has its own, those two; and
 * with these all from the CPU on, where the same task called there twice on it.
 */
static struct printed {
	uint64_t function, caller;
	struct piece call, row;
	struct event_task task;		/* who called last, and where */
	uint32_t cpu;
} printed[PRINTED_KEPT];

enum { KEY_SLOWER = 0x200, KEY_ENGINE, KEY_RATE };

static const struct argp_option options[] = {
	{ "args", 'a', NULL, 0, "the arguments", 0 },
	{ "return", 'r', NULL, 0, "a line when the call returns: what it returned, and how long it took", 0 },
	{ "stack", 's', NULL, 0, "the kernel stack", 0 },
	{ "slower", KEY_SLOWER, "US", 0, "calls of at least so many microseconds only; means -r", 0 },
	ENGINE_OPTION(KEY_ENGINE),
	TRACED_OPTIONS('m'),
	{ "rate", KEY_RATE, "N", 0, "stop when more calls a second come (default 2,000,000; 0: never)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	{ "CPU", 3, NULL, NULL },
	TOOL_TASK_COLUMNS,
	{ "FUNCTION", -24, NULL, NULL },
	{ "MODULE", 0, &tool_not_shown, NULL },
	{ "CALLER", -24, NULL, NULL },
	{ "RET", 20, &with_return, NULL },
	{ "US", 12, &with_return, "lat_ns" },
	{ "ARGS", -1, &with_args, NULL },
	{ "STACK", -1, &with_stack, NULL },
	{ NULL, 0, NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tool *tool = state->input;

	switch (key) {
	case 'a':
		with_args = true;
		return 0;
	case 'r':
		with_return = true;
		return 0;
	case 's':
		with_stack = true;
		return 0;
	case KEY_SLOWER:
		slower_us = argument__number("--slower", arg, 0, SLOWER_MAX_US);
		with_return = true;
		return 0;
	case KEY_ENGINE:
		engine__parse(&engine, arg);
		return 0;
	case KEY_RATE:
		tool->rate_max = argument__number("--rate", arg, 0, UINT32_MAX);
		return 0;
	default:
		return traced__parse(&traced, key, arg, 'm', "vfs_open");
	}
}

/* ---- which functions, and how */

/* What the records of the function tracer do not have, and was asked for; NULL: nothing. */
static const char *find_only_bpf(const struct tool *tool)
{
	if (with_return)
		return "the function tracer does not see calls return (-r, --slower)";
	if (with_args)
		return "-a: its records have no arguments";
	if (with_stack)
		return "-s: before Linux 6.1 an instance records no stacks, and a stack costs eight times the call's record";
	if (tool->filter.by_uid || tool->filter.by_cgroup)
		return "its records do not tell the user and the cgroup of a task (-u and -c)";
	return NULL;
}

/* Whether one program can be at both ends of a call. */
static bool has_sessions(void)
{
	return tracing__has_multi(TRACING_KPROBE_SESSION) && !tracing__find_ids(NULL, 0, false, NULL) && tracing__has_session_functions();
}

/* Since 6.14 (fprobe on function_graph) links on many functions see all returns, and return probes of single ones still have slots. */
static bool links_see_all_returns(void)
{
	return kernel__version() >= kernel_version(6, 14, 0) && attempt__has_multi();
}

/* Whether one link can be on the functions that were named, so that -r sees all returns. */
static bool prefers_link(void)
{
	if (traced.by_multi || attach.wanted != ATTACH_AUTO || !with_return || !links_see_all_returns())
		return false;
	for (size_t i = 0; i < traced.functions.count; i++)
		if (!names__address(&names, traced.functions.list[i].module, traced.functions.list[i].name) || !names__has_hook(&names))
			return false;
	return true;
}

/* How programs are attached, and what they cannot see. */
static void tell_programs(struct tool *tool)
{
	const char *how = with_session ? "kprobe.session" : traced.by_multi ? (with_return ? "kprobe.multi and kretprobe.multi" : "kprobe.multi") :
			  with_return ? "a kprobe and a kretprobe for each function" : "a kprobe for each function";
	bool has_slots = with_return && !(traced.by_multi && links_see_all_returns());

	if (has_slots)
		say("-r: if more than %s calls sleep in %s at the same time, the returns of some are missed (funclatency misses none)",
		    traced.by_multi ? "two for each CPU" : "256", traced.functions.count == 1 ? "the function" : "a function");
	engine__tell(&engine, tool, how, engine__why(&engine, &traced), has_slots ?
		     "delivered + lost + missed + filtered is every call that returns; returns of calls that sleep at the same time can be missed" :
		     with_return ? "delivered + lost + missed + filtered is every call that returns" :
		     "delivered + lost + missed + filtered is every call");
}

/* Decides how to trace, and what.  tool->err. */
static int plan(struct tool *tool)
{
	struct engine_wants wants = { .done = "traced", .only_bpf = find_only_bpf(tool) };

	/* a variant of a function that the compiler made has other arguments; nothing else differs */
	attach.only_counts = !with_args;
	if (with_return && with_stack && kernel__version() < kernel_version(5, 15, 0))
		return tool__fail(tool, -EOPNOTSUPP, "-r and -s: before Linux 5.15 the kernel finds no callers from a return probe (take one of the two)");
	if (engine__choose(&engine, tool, &traced, &wants))
		return tool->err;
	traced.by_multi |= engine.kind == ENGINE_BPF && prefers_link();
	with_session = with_return && traced.by_multi && attach.wanted == ATTACH_AUTO && has_sessions();
	if (engine.kind == ENGINE_FTRACE)
		engine__tell(&engine, tool, "the function tracer in an instance of tracefs", engine__why(&engine, &traced),
			     "delivered + lost + filtered is every call");
	else
		tell_programs(tool);
	return traced.by_multi ? traced__find_addresses(&traced, tool, &names) : 0;
}

/* ---- the programs */

static struct functrace_bpf *skel_of_tool;

static int attach_own(struct tool *tool)
{
	struct functrace_bpf *skel = skel_of_tool;

	/* the returns first: a call that is seen to begin is then seen to end */
	if (with_session) {
		traced__attach_addresses(&traced, tool, skel->progs.session_probe, NULL, true);
	} else if (traced.by_multi) {
		if (!with_return || !traced__attach_multi(&traced, tool, skel->progs.end_multi, &skel->links.end_multi))
			traced__attach_multi(&traced, tool, skel->progs.begin_multi, &skel->links.begin_multi);
	} else if (!with_return || !traced__attach(&traced, tool, "end_probe")) {
		traced__attach(&traced, tool, "begin_probe");
	}
	if (!tool->err && attach.err)
		tool__fail(tool, attach.err, "%s", attach.error);
	return tool->err;
}

/* Which programs are loaded. */
static void prepare(struct tool *tool, struct functrace_bpf *skel)
{
	skel_of_tool = skel;
	skel->rodata->frames_at_multi_return = kernel__version() < kernel_version(6, 14, 0);
	skel->rodata->with_return = with_return;
	skel->rodata->with_stack = with_stack;
	skel->rodata->with_args = with_args;
	skel->rodata->slower_ns = slower_us * 1000;
	tool->attach_own = attach_own;
	if (with_args || with_return)
		traced__load_prototypes(&traced, tool, &prototypes);
	bpf_map__set_autocreate(skel->maps.calls, with_return);
	bpf_program__set_autoload(skel->progs.hint_thread_free, with_return);
	if (with_session && tracing__target(skel->progs.session_probe, TRACING_KPROBE_SESSION, 0))
		tool__fail(tool, -ENOSPC, "too many programs");
	bpf_program__set_autoload(skel->progs.begin_multi, traced.by_multi && !with_session);
	bpf_program__set_autoload(skel->progs.end_multi, traced.by_multi && with_return && !with_session);
	for (size_t i = 0; i < traced.functions.count && !traced.by_multi; i++) {
		bpf_program__set_autoload(traced__program(tool, "begin_probe", i), true);
		bpf_program__set_autoload(traced__program(tool, "end_probe", i), with_return);
	}
}

/* ---- rows */

/* "NAME", "NAME [MODULE]"; valid until the next call. */
static const char *name_of(uint64_t address)
{
	size_t at = (address * 0x9e3779b97f4a7c15ull >> 40) & (ADDRESSES_KEPT - 1);
	char name[NAMES_NAME_MAX];

	if (kept[at].name && kept[at].address == address)
		return kept[at].name;
	names__of(&names, address, name);
	free(kept[at].name);
	kept[at].address = address;
	kept[at].name = strdup(name);
	return kept[at].name ?: "?";
}

/* A call may be the last instruction of its function: what it returns to is the next one's then. */
static const char *caller_name(uint64_t caller)
{
	return name_of(caller - 1);
}

static void put_result(struct out *out, const struct prototype *prototype, const struct functrace_event *event)
{
	static const struct prototype_value unknown;
	char result[32];
	struct text_buffer text = text_buffer__fixed(result, sizeof(result));

	if (!with_return || (prototype && !prototype->result.bytes)) {
		out__none(out);
		return;
	}
	prototype_value__add(&text, prototype ? &prototype->result : &unknown, event->result);
	out__string(out, result, strlen(result));
}

static void put_args(struct out *out, const struct prototype *prototype, const struct functrace_event *event)
{
	uint64_t values[PROTOTYPE_PARAMS];
	char args[ARGS_SIZE];

	if (!with_args || !prototype) {
		out__none(out);
		return;
	}
	memcpy(values, event->args, sizeof(values));
	out__strings(out, args, prototype__list(prototype, values, args, sizeof(args)), 0);
}

static void put_stack(struct out *out, const struct functrace_event *event)
{
	static char stack[FUNCTRACE_FRAMES * NAMES_NAME_MAX];
	size_t used = 0;

	for (int32_t i = 0; with_stack && i < event->frames_size / (int32_t)sizeof(*event->frames); i++) {
		snprintf(stack + used, NAMES_NAME_MAX, "%s", caller_name(event->frames[i]));
		used += strlen(stack + used) + 1;
	}
	out__strings(out, stack, used, 0);
}

/* What was printed of such a call; *same: it is of such a one. */
static struct printed *printed_of(uint64_t function, uint64_t caller, bool *same)
{
	size_t at = ((caller ^ function << 7) * 0x9e3779b97f4a7c15ull >> 40) & (PRINTED_KEPT - 1);

	*same = printed[at].function == function && printed[at].caller == caller;
	printed[at].function = function;
	printed[at].caller = caller;
	return &printed[at];
}

/* A row, up to what call_put() writes. */
static void put_row(struct tool *tool, const struct event_task *task, uint32_t cpu, uint64_t function, uint64_t caller,
		    void (*call_put)(struct out *out, const void *call), const void *call)
{
	struct out *out = &tool->out;
	bool same, again;
	struct printed *before = printed_of(function, caller, &same);

	out__row(out, task->ts_ns);
	again = same && before->cpu == cpu && !tool->filter.wants_cgroup && tool__is_same_task(task, &before->task);
	if (again && piece__again(out, &before->row))
		return;
	if (again)
		piece__begin(out, &before->row);
	out__int(out, cpu);
	tool__task(tool, task);
	if (!same || !piece__again(out, &before->call)) {
		piece__begin(out, &before->call);
		call_put(out, call);
		piece__end(out, &before->call);
	}
	if (again) {
		piece__end(out, &before->row);
		return;
	}
	before->row.begin = NULL;
	before->task = *task;
	before->cpu = cpu;
}

static const struct function *function_of(const struct functrace_event *event)
{
	size_t number = traced__find(&traced, event->function);

	return number < traced.functions.count ? &traced.functions.list[number] : NULL;
}

/* Whether each call has more columns of its own. */
static bool has_details(void)
{
	return with_return || with_args || with_stack;
}

/* RET, US, ARGS, STACK */
static void put_details(struct out *out, const struct functrace_event *event)
{
	const struct prototype *prototype = traced__prototype(&traced, prototypes, traced__find(&traced, event->function));

	put_result(out, prototype, event);
	/* nanoseconds as microseconds, with three decimals */
	if (!with_return)
		out__none(out);
	else if (out->json)
		out__int(out, (int64_t)event->ns);
	else
		out__milliseconds(out, event->ns);
	put_args(out, prototype, event);
	put_stack(out, event);
}

static void put_call(struct out *out, const void *call)
{
	const struct functrace_event *event = call;
	const char *caller = caller_name(event->caller);

	traced__put(out, function_of(event));
	out__string(out, caller, strlen(caller));
	if (!has_details())
		put_details(out, event);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct functrace_event *event = data;

	(void)size;
	put_row(tool, &event->task, event->cpu, event->function, event->caller, put_call, event);
	if (has_details())
		put_details(&tool->out, event);
}

/* ---- the ftrace engine */

static struct call_recorder recorder;
static struct recorded_call last;	/* the call that was read last */

static int start_recording(void *ctx, struct tool *tool)
{
	char why[512];
	int err;

	(void)ctx;
	err = call_recorder__open(&recorder, &traced.instance, tool->ring_size ? tool->ring_size / 1024 : BUFFER_KB, tool->filter.tids,
				  tool->filter.tids_count, why, sizeof(why));
	return err ? tool__fail(tool, err, "%s", why) : 0;
}

static int next_call(void *ctx, struct recorded_event *event)
{
	int more = call_recorder__next(&recorder, &last);

	(void)ctx;
	if (more <= 0)
		return more;
	event->cpu = last.cpu;
	event->lost_some = last.lost_some;
	event->lost = last.lost;
	recorded_event__set_task(event, last.call.time_ns, last.pid, last.call.tid, last.comm);
	return 1;
}

static void put_last_call(struct out *out, const void *unused)
{
	const char *caller;

	(void)unused;
	traced__put_named(out, name_of(last.call.function));
	caller = caller_name(last.call.caller);
	out__string(out, caller, strlen(caller));
	out__none(out);		/* RET and US */
	out__none(out);
	out__none(out);		/* ARGS */
	out__strings(out, "", 0, 0);
}

static int print_call(void *ctx, struct tool *tool, const struct recorded_event *event)
{
	(void)ctx;
	put_row(tool, &event->task, event->cpu, last.call.function, last.call.caller, put_last_call, NULL);
	return 0;
}

static void end_recording(void *ctx)
{
	(void)ctx;
	call_recorder__end(&recorder);
}

static int count_lost(void *ctx, uint64_t *lost)
{
	(void)ctx;
	return call_recorder__lost(&recorder, lost);
}

static int close_recording(void *ctx)
{
	int err = call_recorder__close(&recorder);

	(void)ctx;
	traced__remove_instance(&traced);
	return err;
}

static void run_ftrace(struct tool *tool)
{
	static const struct recorded_ops ops = {
		.start = start_recording, .next = next_call, .print = print_call, .end = end_recording, .lost = count_lost,
		.close = close_recording,
	};
	/* of -t the kernel records these threads alone */
	struct recorded recorded = { .ops = &ops, .label = "--engine ftrace", .filters = tool->filter.tids_count };

	tool->attach = NULL;
	recorded__run(&recorded, tool);
}

int main(int argc, char **argv)
{
	struct tool tool = {
		.name = "functrace",
		.summary = "Shows calls of kernel functions, one by one.",
		.examples = "  sudo functrace vfs_open               who opens files, from where\n"
			    "  sudo functrace -ar -n nginx 'tcp_*'   arguments, results, times\n"
			    "  sudo functrace -s vfs_fsync_range     with the stack\n"
			    "  sudo functrace --slower 1000 vfs_read  calls of 1 ms and more\n",
		.options = options,
		.parse = parse,
		.argument = "[PATTERN...]",
		.columns = columns,
		.record_max = sizeof(struct functrace_event),
		.attach = &attach,
		.rate_max = RATE_MAX,
	};
	struct functrace_bpf *skel;

	tool__parse(&tool, argc, argv);
	if (tracing__register())
		tool__fail(&tool, -EINVAL, "libbpf does not take the programs");
	skel = functrace_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		names__open(&names, true);
		if (!plan(&tool) && engine.kind != ENGINE_FTRACE)
			prepare(&tool, skel);
	}
	if (engine.kind == ENGINE_FTRACE)
		run_ftrace(&tool);
	else
		tool__run(&tool, skel, print_event);
	functrace_bpf__destroy(skel);
	names__close(&names);
	prototypes__free(prototypes);
	for (size_t i = 0; i < ADDRESSES_KEPT; i++)
		free(kept[i].name);
	traced__free(&traced);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* functrace: calls of functions, one by one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "functrace.h"
#include "functrace.skel.h"
#include "lib/btf/prototype.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/machine.h"
#include "lib/kernel/names.h"
#include "lib/print/piece.h"
#include "lib/probe/attach.h"
#include "lib/probe/attempt.h"
#include "lib/probe/tracing.h"
#include "lib/run/argument.h"
#include "lib/run/metrics.h"
#include "lib/run/privileges.h"
#include "lib/run/return_conflict.h"
#include "lib/run/renamed.h"
#include "lib/run/foreign_options.h"
#include "lib/run/state_columns.h"
#include "lib/traced/engine.h"
#include "lib/traced/traced.h"
#include "lib/traced/traced_columns.h"
#include "lib/traced/traced_ends.h"
#include "lib/traced/traced_conflict.h"
#include "lib/traced/traced_user.h"
#include "recorded_calls.h"
#include "user_callers.h"

#define RATE_MAX 2000000	/* calls a second, without --rate */
#define ADDRESSES_KEPT 1024	/* names of addresses; a power of two */
#define PRINTED_KEPT 256	/* a power of two */
_Static_assert(sizeof(((struct functrace_event *)0)->args) == PROTOTYPE_PARAMS * sizeof(uint64_t), "an argument for each parameter");

static struct attach attach = { .check_names = true };
static struct engine engine;
static struct traced traced = { .takes_programs = true };
static struct traced_user user;		/* functions of programs instead of the kernel's */
static bool of_programs, with_rate;
static struct prototypes *prototypes;
static struct names names;
static bool with_args, with_return, with_stack, with_state;
static bool with_details;	/* any of these: each call has columns of its own */
static bool with_session;	/* --return: one program at both ends of all calls */
static uint64_t slower_ns;

/* Of addresses, the names that were asked for last. */
static struct {
	uint64_t address;
	char *name;
} kept[ADDRESSES_KEPT];

/*
 * Columns of calls as they were printed, by function and caller: all that follow the task's, or, where each call has its own, those two;
 * and with these all from the CPU on, where the same task called there twice on it.
 */
static struct printed {
	uint64_t function, caller;
	struct piece call, row;
	struct event_task task;		/* who called last, and where */
	struct stack_program program;	/* functions of programs: what it executed */
	uint32_t cpu;
} printed[PRINTED_KEPT];

enum { KEY_SLOWER = 0x200, KEY_ENGINE, KEY_RATE, KEY_RETURN, KEY_STACK, KEY_CONTEXT };

static const struct argp_option options[] = {
	{ "args", 'a', NULL, 0, "the arguments", 0 },
	{ "return", KEY_RETURN, NULL, 0, "a line when the call returns: what it returned, and how long it took", 0 },
	{ "stack", KEY_STACK, NULL, 0, "the kernel stack", 0 },
	STATE_CONTEXT_OPTION(KEY_CONTEXT),
	{ "slower", KEY_SLOWER, "TIME", 0, "only calls that take TIME or more: 10ms, 500us, 2s; means --return", 0 },
	{ NULL, 'r', NULL, OPTION_HIDDEN, NULL, 0 },
	{ NULL, 's', NULL, OPTION_HIDDEN, NULL, 0 },
	ENGINE_OPTION(KEY_ENGINE),
	TRACED_OPTIONS(TRACED_KEY_MODULE),
	{ NULL, 'm', "MODULE", OPTION_HIDDEN, NULL, 0 },
	{ "rate", KEY_RATE, "N", 0, "stop at more than N calls a second (default 2,000,000; 0: never)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	{ "CPU", 3, NULL, NULL },
	TOOL_TASK_COLUMNS,
	{ "FUNCTION", -24, NULL, NULL },
	{ "MODULE", 0, &tool_not_shown, NULL },
	{ "CALLER", -24, NULL, NULL },
	{ "CALLER_AT", 0, &tool_not_shown, NULL },
	{ "RET", 20, &with_return, NULL },
	{ "US", 12, &with_return, "lat_ns" },
	{ "ARGS", -1, &with_args, NULL },
	{ "STACK", -1, &with_stack, NULL },
	{ NULL, 0, NULL, NULL },
};

static const struct renamed renamed[] = {
	{ 'm', TRACED_KEY_MODULE, "-m MODULE", "--module MODULE", NULL },
	{ 'r', KEY_RETURN, "-r", "--return", NULL },
	{ 's', KEY_STACK, "-s", "--stack", NULL },
	{ 0, 0, NULL, NULL, NULL },
};

static struct out_column *columns_with_state;

/* Before --count looks for its columns. */
static void add_state(struct tool *tool)
{
	columns_with_state = state_columns__insert(columns, "RET");
	if (columns_with_state)
		tool->columns = columns_with_state;
	else
		tool__fail(tool, -ENOMEM, "no memory for the columns");
}

static void check_programs(struct tool *tool)
{
	const char *option = with_args ? "--args" : with_stack ? "--stack" : with_state ? "--context" : NULL;

	of_programs = traced_user__is(&traced, tool);
	if (!of_programs)
		return;
	if (engine.kind == ENGINE_FTRACE)
		usage_error("--engine ftrace: for the kernel's functions");
	if (option)
		usage_error("%s: for the kernel's functions (anysnoop 'u:TARGET:FUNCTION(char *arg0)' has parameters, anysnoop --ustack callers)",
			    option);
	with_return |= traced_user__is_return(traced.patterns[0]);
	if (!with_rate)
		tool->options.rate_max = TRACED_USER_RATE_MAX;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tool *tool = state->input;

	switch (key) {
	case 'a':
		with_args = true;
		return 0;
	case KEY_RETURN:
		with_return = true;
		return 0;
	case KEY_STACK:
		with_stack = true;
		return 0;
	case KEY_CONTEXT:
		with_state = true;
		return 0;
	case KEY_SLOWER:
		slower_ns = argument__time("--slower", arg);
		with_return = true;
		return 0;
	case KEY_ENGINE:
		engine__parse(&engine, arg);
		return 0;
	case KEY_RATE:
		tool->options.rate_max = argument__number("--rate", arg, 0, UINT32_MAX);
		with_rate = true;
		return 0;
	default:
		if (key == ARGP_KEY_END)
			check_programs(tool);
		if (key == ARGP_KEY_END && with_state)
			add_state(tool);
		return traced__parse(&traced, key, arg, TRACED_KEY_MODULE, "vfs_open");
	}
}

/* ---- which functions, and how */

/* Since 6.14 (fprobe on function_graph) links on many functions see all returns, and return probes of single ones still have slots. */
static bool links_see_all_returns(void)
{
	return kernel__version() >= kernel_version(6, 14, 0) && attempt__has_multi();
}

/* Whether one link can be on the functions that were named, so that -r sees all returns. */
static bool prefers_link(const struct tool *tool)
{
	if (traced.by_multi || attach.wanted != ATTACH_AUTO || !with_return || !links_see_all_returns())
		return false;
	if (return_conflict__find()) {
		return_conflict__tell(tool);
		return false;
	}
	for (size_t i = 0; i < traced.functions.count; i++)
		if (!names__address(&names, traced.functions.list[i].module, traced.functions.list[i].name) || !names__has_hook(&names))
			return false;
	return true;
}

/* How programs are attached, and what they cannot see. */
static void tell_programs(struct tool *tool)
{
	const char *how = with_session ? "kprobe.session" :
			  traced.by_multi ? (with_return ? "kprobe.multi and kretprobe.multi" : "kprobe.multi") :
			  with_return ? "a kprobe and a kretprobe for each function" : "a kprobe for each function";
	bool has_slots = with_return && !(traced.by_multi && links_see_all_returns());
	char promise[192];

	if (has_slots)
		say("--return: if more than %s calls sleep in %s at the same time, the returns of some are missed (funclatency misses none)",
		    traced.by_multi ? "two for each CPU" : "256", traced.functions.count == 1 ? "the function" : "a function");
	snprintf(promise, sizeof(promise), "delivered + lost + missed + filtered is every call%s%s%s", with_return ? " that returns" : "",
		 slower_ns ? ", but for faster ones" : "", has_slots ? "; returns of calls that sleep at the same time can be missed" : "");
	engine__tell(&engine, tool, how, engine__why(&engine, &traced), promise);
}

/* Decides how to trace, and what.  tool->err. */
static int plan(struct tool *tool)
{
	struct engine_wants wants = { .done = "traced", .only_bpf = recorded_calls__lack(tool, with_return, with_stack, with_args),
				      .only_ftrace = with_state ? STATE_NO_PROGRAMS : NULL };

	/* a variant of a function that the compiler made has other arguments; nothing else differs */
	attach.only_counts = !with_args;
	if (with_return && with_stack && kernel__version() < kernel_version(5, 15, 0))
		return tool__fail(tool, -EOPNOTSUPP, "--return and --stack: before Linux 5.15 the kernel finds no callers from a return probe (take one of the two)");
	if (engine__choose(&engine, tool, &traced, &wants))
		return tool->err;
	if (with_return && traced__tell_no_returns(&traced, tool))
		return tool->err;
	traced.by_multi |= engine.kind == ENGINE_BPF && prefers_link(tool);
	if (traced.by_multi && with_return && traced_conflict__refuse(&traced, tool))
		return tool->err;
	with_session = with_return && traced.by_multi && attach.wanted == ATTACH_AUTO && traced_ends__has_sessions();
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
	skel->rodata->slower_ns = slower_ns;
	tool->attach_own = attach_own;
	if (with_args || with_return)
		traced__load_prototypes(&traced, tool, &prototypes);
	bpf_map__set_autocreate(skel->maps.calls, with_return);
	bpf_program__set_autoload(skel->progs.thread_free, with_return);
	if (with_session && tracing__target(skel->progs.session_probe, TRACING_KPROBE_SESSION, 0))
		tool__fail(tool, -ENOSPC, "too many programs");
	bpf_program__set_autoload(skel->progs.begin_multi, traced.by_multi && !with_session);
	bpf_program__set_autoload(skel->progs.end_multi, traced.by_multi && with_return && !with_session);
	for (size_t i = 0; i < traced.functions.count && !traced.by_multi; i++) {
		bpf_program__set_autoload(traced__program(tool, "begin_probe", i), true);
		bpf_program__set_autoload(traced__program(tool, "end_probe", i), with_return);
	}
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

/* Functions of programs: which they are, and the programs on them. */
static void prepare_user(struct tool *tool, struct functrace_bpf *skel)
{
	char promise[128];

	if (traced_user__find(&user, &traced, tool, with_return) || traced_user__prepare(&user, tool))
		return;
	skel->rodata->with_return = with_return;
	skel->rodata->slower_ns = slower_ns;
	snprintf(promise, sizeof(promise), "delivered + lost + missed + filtered is every call%s%s", with_return ? " that returns" : "",
		 slower_ns ? ", but for faster ones" : "");
	engine.kind = ENGINE_BPF;
	engine__tell(&engine, tool, traced_user__how(), "functions of programs", promise);
	tool->attach_own = attach_programs;
	tool->detach_own = detach_programs;
	tool->keeps |= PRIVILEGES_PROCESSES;
	tool->rows_are_slow = true;
	if (user_callers__open())
		tool__fail(tool, -ENOMEM, "no memory for the names of callers");
	bpf_map__set_autocreate(skel->maps.calls, false);
	bpf_map__set_autocreate(skel->maps.frames_places, false);
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

/* CALLER, CALLER_AT */
static void put_caller(struct out *out, uint64_t caller)
{
	const char *name = caller_name(caller);

	out__string(out, name, strlen(name));
	out__none(out);
}

/* What each call has of its own. */
struct details {
	uint64_t result, ns;		/* -r */
	const uint64_t *args;		/* -a */
	size_t args_count;
	const uint64_t *frames;		/* -s */
	size_t frames_count;
};

static void put_result(struct out *out, const struct prototype *prototype, const struct details *details)
{
	char result[TRACED_RESULT_MAX];

	if (with_return && traced__write_result(prototype, details->result, result))
		out__string(out, result, strlen(result));
	else
		out__none(out);
}

static void put_stack(struct out *out, const struct details *details)
{
	static char stack[FUNCTRACE_FRAMES * NAMES_NAME_MAX];
	size_t used = 0;

	for (size_t i = 0; with_stack && i < details->frames_count; i++) {
		/* at its beginning the function itself is the first: nothing is called there */
		bool is_itself = !i && !with_return;

		snprintf(stack + used, NAMES_NAME_MAX, "%s", is_itself ? name_of(details->frames[i]) : caller_name(details->frames[i]));
		used += strlen(stack + used) + 1;
	}
	out__strings(out, stack, used, 0);
}

/* RET, US, ARGS, STACK; details may be NULL without with_details. */
static void put_details(struct out *out, const struct prototype *prototype, const struct details *details)
{
	put_result(out, prototype, details);
	if (with_return)
		out__latency(out, details->ns);
	else
		out__none(out);
	traced__put_args(out, prototype, details ? details->args : NULL, details ? details->args_count : 0);
	put_stack(out, details);
}

static struct printed *printed_at(uint64_t function, uint64_t caller)
{
	return &printed[((caller ^ function << 7) * 0x9e3779b97f4a7c15ull >> 40) & (PRINTED_KEPT - 1)];
}

/* What was printed of such a call; *same: it is of such a one. */
static struct printed *printed_of(uint64_t function, uint64_t caller, bool *same)
{
	struct printed *at = printed_at(function, caller);

	*same = at->function == function && at->caller == caller;
	at->function = function;
	at->caller = caller;
	return at;
}

/* A row, up to what call_put() writes. */
static void put_row(struct tool *tool, const struct event_task *task, uint32_t cpu, uint64_t function, uint64_t caller,
		    void (*call_put)(struct out *out, const void *call), const void *call)
{
	struct out *out = &tool->out;
	bool same, again;
	struct printed *before = printed_of(function, caller, &same);

	out__row(out, task->ts_ns);
	again = same && before->cpu == cpu && !tool->options.filter.wants_cgroup && tool__is_same_task(task, &before->task);
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

static void put_call(struct out *out, const void *call)
{
	const struct functrace_event *event = call;

	traced__put(out, function_of(event));
	if (of_programs)
		user_callers__put(out, event);
	else
		put_caller(out, event->caller);
	if (!with_details)
		put_details(out, NULL, NULL);
}

/* At its beginning a function has no frame of its own yet, and its caller is in a register.  Returns the frames' number. */
static size_t add_caller(uint64_t frames[FUNCTRACE_FRAMES], size_t count, uint64_t caller)
{
	if (count < FUNCTRACE_FRAMES)
		count++;
	memmove(frames + 2, frames + 1, (count - 2) * sizeof(*frames));
	frames[1] = caller;
	return count;
}

/* An address is a caller of one process and program: what was printed of such a call holds for these alone, and while it has a name. */
static void forget_other_program(const struct functrace_event *event)
{
	struct printed *before = printed_at(event->function, event->caller);

	if (before->task.pid != event->task.pid || !user_callers__is_same_program(&before->program, &event->program))
		before->call.begin = before->row.begin = NULL;
}

static void note_program(const struct functrace_event *event)
{
	struct printed *before = printed_at(event->function, event->caller);

	before->program = event->program;
	if (!user_callers__has_named())
		before->call.begin = before->row.begin = NULL;
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct functrace_event *event = data;
	uint64_t args[CALL_ARGS], frames[FUNCTRACE_FRAMES];
	struct details details = { .result = event->result, .ns = event->ns, .frames = frames };

	(void)size;
	if (of_programs)
		forget_other_program(event);
	put_row(tool, &event->task, event->cpu, event->function, event->caller, put_call, event);
	if (of_programs)
		note_program(event);
	if (!with_details)
		return;
	if (with_args) {
		memcpy(args, event->args, sizeof(args));
		details.args = args;
		details.args_count = CALL_ARGS;
	}
	if (event->frames_size > 0)
		details.frames_count = (size_t)event->frames_size / sizeof(*frames);
	memcpy(frames, event->frames, details.frames_count * sizeof(*frames));
	if (machine__has_link() && !with_return && details.frames_count)
		details.frames_count = add_caller(frames, details.frames_count, event->caller);
	put_details(&tool->out, traced__prototype(&traced, prototypes, traced__find(&traced, event->function)), &details);
}

/* ---- the ftrace engine */

static struct recorded_calls recorded = { .traced = &traced };

static void put_recorded(struct out *out, const void *call)
{
	const struct function_call *its = call;

	traced__put_named(out, name_of(its->function));
	put_caller(out, its->caller);
	if (!with_details)
		put_details(out, NULL, NULL);
}

/* A row, without with_details all of it: two functions, as the check would cost each row of the others seven instructions. */
static int print_recorded(void *ctx, struct tool *tool, const struct stream_event *event)
{
	const struct function_call *call = &recorded.last.call;

	(void)ctx;
	put_row(tool, &event->task, event->cpu, call->function, call->caller, put_recorded, call);
	return 0;
}

static int print_with_details(void *ctx, struct tool *tool, const struct stream_event *event)
{
	const struct recorded_call *last = &recorded.last;
	const struct prototype *prototype = last->args_count ? recorded_calls__prototype(&recorded, name_of(last->call.function)) : NULL;
	const struct details details = { .args = last->args, .args_count = last->args_count,
					 .frames = last->frames, .frames_count = last->frames_count };

	print_recorded(ctx, tool, event);
	if (with_state)
		state_columns__put(&tool->out, last->call.state);
	put_details(&tool->out, prototype, &details);
	return 0;
}

static const struct tool_about about = {
	.name = "functrace",
	.summary = "Shows calls of functions, of the kernel and of programs, one by one.",
	.examples = "  sudo functrace vfs_open               who opens files, from where\n"
		    "  sudo functrace -ar -n nginx 'tcp_*'   arguments, results, times\n"
		    "  sudo functrace --stack vfs_fsync_range    with the stack\n"
		    "  sudo functrace --slower 1ms vfs_read   calls of 1 ms and more\n"
		    "  sudo functrace 'ur:libc:pthread_*'     of a library, with results\n",
	.options = options,
	.renamed = renamed,
	.parse = parse,
	.argument = "[PATTERN...]",
	.columns = columns,
	.record_max = sizeof(struct functrace_event),
	.rate_max = RATE_MAX,
	.metrics = METRIC_OF_ROWS("traced_calls_total", "Calls of the traced kernel functions."),
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about, .attach = &attach };
	struct functrace_bpf *skel;

	tool__parse(&tool, argc, argv);
	if (tracing__register())
		tool__fail(&tool, -EINVAL, "libbpf does not take the programs");
	skel = functrace_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel))
		tool__tell_stack_programs(&tool, of_programs);
	if (!tool.err && of_programs) {
		prepare_user(&tool, skel);
	} else if (!tool.err) {
		names__open(&names, true);
		if (!tool.err && names__lack(&names))
			say__warning("functions are shown as addresses: %s", names__lack(&names));
		traced_user__leave_out(&tool);
		if (!plan(&tool) && engine.kind != ENGINE_FTRACE)
			prepare(&tool, skel);
	}
	with_details = with_return || with_args || with_stack || with_state;
	recorded.print = with_details ? print_with_details : print_recorded;
	recorded.stacks = with_stack;
	recorded.args = with_args;
	if (engine.kind == ENGINE_FTRACE)
		recorded_calls__run(&recorded, &tool);
	else
		tool__run(&tool, skel, print_event);
	if (of_programs)
		traced_user__check(&tool);
	traced_user__free(&user);
	user_callers__close();
	functrace_bpf__destroy(skel);
	names__close(&names);
	prototypes__free(prototypes);
	recorded_calls__free(&recorded);
	for (size_t i = 0; i < ADDRESSES_KEPT; i++)
		free(kept[i].name);
	traced__free(&traced);
	free(columns_with_state);
	return tool__finish(&tool);
}

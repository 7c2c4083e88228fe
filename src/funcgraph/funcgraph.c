/* SPDX-License-Identifier: BSD-2-Clause */
/* funcgraph: the calls that kernel functions make, as trees with times. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "call_rows.h"
#include "funcgraph.h"
#include "funcgraph.skel.h"
#include "graph_events.h"
#include "graph_run.h"
#include "heap.h"
#include "lib/ftrace/graph.h"
#include "lib/ftrace/top_level.h"
#include "lib/kernel/names.h"
#include "lib/probe/attach.h"
#include "lib/probe/tracing.h"
#include "lib/run/argument.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/state_columns.h"
#include "lib/run/tally.h"
#include "lib/run/renamed.h"
#include "lib/run/task_filter.h"
#include "lib/traced/engine.h"
#include "lib/traced/traced.h"
#include "lib/traced/traced_ends.h"
#include "lib/traced/traced_top.h"
#include "traced_callees.h"

#define RATE_MAX 2000000	/* calls a second, without --rate */
#define CALLS_DEFAULT 16384
#define DEPTH_DEFAULT 4
#define CALLS_MAX (1 << 24)

static struct {
	uint32_t depth;			/* -D, or 0 */
	uint64_t slower_ns;
	bool no_interrupts;
	bool args;
	bool result;			/* -r */
	bool tail, overhead, context, cpu_time;
	uint32_t calls;
	size_t roots;			/* the patterns of traced that are roots; those behind them are --in's */
	size_t inside_count;
	const char *inside[TRACED_PATTERNS_MAX];
} opt = { .calls = CALLS_DEFAULT };

static struct attach attach = { .check_names = true };
static struct engine engine;
static struct traced traced;
static struct names names;
static struct call_rows rows;
static struct graph graph;		/* of programs its trees alone */

enum { KEY_SLOWER = 0x200, KEY_IN, KEY_CALLS, KEY_RATE, KEY_ENGINE, KEY_RETURN, KEY_TAIL, KEY_OVERHEAD, KEY_CONTEXT, KEY_CPU_TIME };

static const struct argp_option options[] = {
	{ "depth", 'D', "DEPTH", 0, "this number of levels, from 1 (the ROOTs alone; default 4)", 0 },
	{ "in", KEY_IN, "PATTERN", 0, "show these below the ROOTs, not what is found (repeatable)", 0 },
	{ "slower", KEY_SLOWER, "TIME", 0, "trees whose ROOT takes TIME or more: 10ms, 500us, 2s", 0 },
	{ "args", 'a', NULL, 0, "the arguments", 0 },
	{ "return", KEY_RETURN, NULL, 0, "the results", 0 },
	{ NULL, 'r', NULL, OPTION_HIDDEN, NULL, 0 },
	{ "tail", KEY_TAIL, NULL, 0, "the function's name after each closing brace", 0 },
	{ "overhead", KEY_OVERHEAD, NULL, 0, "a column that marks long calls: + 10 us, ! 100 us, # 1 ms, * 10 ms, @ 100 ms, $ 1 s", 0 },
	{ "cpu-time", KEY_CPU_TIME, NULL, 0, "also how long each call had a CPU: without the time that it slept or waited for one", 0 },
	STATE_CONTEXT_OPTION(KEY_CONTEXT),
	{ "no-interrupts", 'I', NULL, 0, "leave out calls by interrupts", 0 },
	ENGINE_OPTION(KEY_ENGINE),
	TRACED_OPTIONS(TRACED_KEY_MODULE),
	{ NULL, 'm', "MODULE", OPTION_HIDDEN, NULL, 0 },
	{ "calls", KEY_CALLS, "N", 0, "room for N calls in trees that are not complete", 0 },
	{ "rate", KEY_RATE, "N", 0, "stop at more than N calls a second (default 2,000,000; 0: never)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "--max-depth", "the depth is -D: funcgraph -D 3 vfs_read" },
	{ "-g", "the ROOT is an argument: funcgraph vfs_read" },
	{ "--funcgraph-tail", "names behind closing braces are --tail: funcgraph --tail vfs_read" },
	{ "--funcgraph-overhead", "marks of long calls are --overhead: funcgraph --overhead vfs_read" },
	{ NULL, NULL },
};

static void check(void)
{
	if (traced.patterns_count + opt.inside_count > TRACED_PATTERNS_MAX)
		usage_error("too many patterns: %d at most", TRACED_PATTERNS_MAX);
}

/* Before --count looks for its columns. */
static void choose_columns(struct tool *tool)
{
	const struct out_column *chosen = call_rows__columns(tool->out.json || tool->counting, opt.overhead, opt.context, opt.cpu_time);

	if (chosen)
		tool->columns = chosen;
	else
		tool__fail(tool, -ENOMEM, "no memory for the columns");
}

static const struct renamed renamed[] = {
	{ 'm', TRACED_KEY_MODULE, "-m MODULE", "--module MODULE", NULL },
	{ 'r', KEY_RETURN, "-r", "--return", NULL },
	{ 0, 0, NULL, NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tool *tool = state->input;
	error_t err;

	switch (key) {
	case 'D':
		opt.depth = (uint32_t)argument__number("--depth", arg, 1, 1000);
		return 0;
	case KEY_SLOWER:
		opt.slower_ns = argument__time("--slower", arg);
		return 0;
	case 'a':
		opt.args = true;
		return 0;
	case KEY_RETURN:
		opt.result = true;
		return 0;
	case KEY_TAIL:
		opt.tail = true;
		return 0;
	case KEY_CPU_TIME:
		opt.cpu_time = true;
		return 0;
	case KEY_CONTEXT:
		opt.context = true;
		return 0;
	case KEY_OVERHEAD:
		opt.overhead = true;
		return 0;
	case 'I':
		opt.no_interrupts = true;
		return 0;
	case KEY_IN:
		if (!function_pattern__is_valid(arg))
			usage_error("--in \"%s\": no name or pattern of functions, such as kfree or 'kmem_*'", arg);
		if (opt.inside_count == TRACED_PATTERNS_MAX)
			usage_error("too many patterns: %d at most", TRACED_PATTERNS_MAX);
		opt.inside[opt.inside_count++] = arg;
		return 0;
	case KEY_CALLS:
		opt.calls = (uint32_t)argument__number("--calls", arg, 16, CALLS_MAX);
		return 0;
	case KEY_ENGINE:
		engine__parse(&engine, arg);
		return 0;
	case KEY_RATE:
		tool->options.rate_max = argument__number("--rate", arg, 0, UINT32_MAX);
		return 0;
	default:
		err = traced__parse(&traced, key, arg, TRACED_KEY_MODULE, "vfs_open");
		if (key == ARGP_KEY_END) {
			check();
			choose_columns(tool);
		}
		return err;
	}
}

/* ---- which engine */

static void take_tree(void *ctx, const struct call_tree *tree);

static struct graph_run run = { .graph = &graph, .traced = &traced, .take = take_tree };

/* What the records of function_graph do not have, and was asked for; NULL: nothing. */
static const char *find_only_bpf(const struct tool *tool)
{
	if (tool->options.filter.by_uid || tool->options.filter.by_cgroup || tool->options.shows_cgroup)
		return "the records of function_graph do not have the user and the cgroup of a task (-u, -c, --cgroup-name)";
	if (opt.result)
		return "--return is for programs, which read the result of each call";
	return NULL;
}

/* The same of programs. */
static const char *find_only_ftrace(void)
{
	return opt.context ? STATE_NO_PROGRAMS : opt.cpu_time ? "--cpu-time: programs do not see here when tasks are switched" : NULL;
}

/* Whether programs have -a and function_graph has not: before Linux 6.15.  Programs must then be able to be on all functions. */
static bool has_args_by_programs(void)
{
	struct graph_layout layout;

	if (!opt.args || (!graph_layout__read(&layout) && layout.entry.args))
		return false;
	return traced_ends__has_sessions() || ((opt.inside_count || opt.depth == 1) && traced__are_few_names(&traced));
}

/* function_graph, unless what it lacks is asked for.  tool->err. */
static int choose_engine(struct tool *tool, const char **why)
{
	struct engine_wants wants = { .only_bpf = find_only_bpf(tool), .only_ftrace = find_only_ftrace() };

	opt.roots = traced.patterns_count;
	for (size_t i = 0; i < opt.inside_count; i++)
		traced.patterns[traced.patterns_count++] = opt.inside[i];
	*why = engine.asked ? "asked for" : wants.only_ftrace ? "programs do not have what was asked for" : "the kernel's own tracer sees each call";
	if (engine__need_ftrace(&engine, tool, &wants) || engine__check(&engine, tool, &wants))
		return tool->err;
	if (engine.kind == ENGINE_AUTO) {
		if (!wants.only_bpf && attach.wanted != ATTACH_AUTO)
			wants.only_bpf = "--attach is about programs";
		if (!wants.only_bpf && !opt.no_interrupts && has_args_by_programs())
			wants.only_bpf = "-a: the function_graph of this kernel does not record arguments";
		engine.kind = wants.only_bpf ? ENGINE_BPF : ENGINE_FTRACE;
		*why = wants.only_bpf ?: *why;
	}
	if (engine.kind == ENGINE_BPF && opt.no_interrupts)
		return tool__fail(tool, -EOPNOTSUPP, "-I: programs do not know which calls are an interrupt's (take --engine ftrace)");
	return 0;
}

static bool has_only_roots(void)
{
	return opt.depth == 1 && !opt.inside_count;
}

/* What the ROOTs call, unless --in names it.  tool->err. */
static int add_callees(struct tool *tool)
{
	uint32_t levels = opt.inside_count ? 0 : (opt.depth ? opt.depth : DEPTH_DEFAULT) - 1;

	names__open(&names, true);
	/* by their names it is known which calls are a ROOT's */
	if (names__lack(&names))
		return tool__fail(tool, -EPERM, "%s", names__lack(&names));
	return levels ? traced__add_callees(&traced, tool, &names, levels) : 0;
}

/* tool->err */
static int open_rows(struct tool *tool)
{
	if (call_rows__open(&rows, tool, &traced, opt.roots, &names, opt.args || opt.result))
		return tool->err;
	rows.results = opt.result;
	rows.tail = opt.tail;
	rows.state = opt.context;
	run.tool = tool;
	return 0;
}

static void tell_engine(struct tool *tool, const char *how, const char *why, const char *promise)
{
	static char start_members[sizeof(engine.start_members) + 32];

	engine__tell(&engine, tool, how, why, promise);
	snprintf(start_members, sizeof(start_members), "%s,\"functions\":%zu", engine.start_members, traced.functions.count);
	tool->start_members = start_members;
}

/* ---- function_graph */

/* Decides what to hook, and starts.  tool->err. */
static int plan_ftrace(struct tool *tool, const char *why)
{
	tool->attach = NULL;
	if (tool->options.filter.pidns_ino)
		return tool__fail(tool, -EOPNOTSUPP, "ftrace's records have the tasks' numbers of the initial pid namespace, and this is another "
				  "one (take --engine bpf)");
	if (traced__match(&traced, tool, top_level__is_needed() ? TRACED_NAMES : TRACED_RECORDS, false) || traced_top__move(&traced, tool))
		return tool->err;
	if (!graph__is_there(&traced.instance))
		return tool__fail(tool, -EOPNOTSUPP, "this kernel has no function_graph%s (functrace shows calls one by one)",
				  top_level__is(&traced.instance) ? "" : " in an instance of tracefs");
	if (add_callees(tool))
		return tool->err;
	tell_engine(tool, top_level__is(&traced.instance) ?
		    "function_graph at the top of tracefs" : "function_graph in an instance of tracefs", why,
		    "delivered + lost + filtered + missed is every call");
	if (open_rows(tool))
		return tool->err;
	/* it forks the cleaner */
	heap__give_back();
	return graph_run__open(&run, has_only_roots() ? 0 : opt.roots, opt.args, opt.cpu_time, opt.calls);
}

/* ---- programs */

static struct funcgraph_bpf *skel_of_tool;
static struct graph_events events = { .traced = &traced };

/* tool->err */
static int plan_programs(struct tool *tool, const char *why)
{
	char promise[192];

	if (traced__refuse_denied(&traced, tool, opt.roots) || traced__match(&traced, tool, TRACED_NAMES, false))
		return tool->err;
	/* it was for matching only */
	traced__remove_instance(&traced);
	if (add_callees(tool) || traced__deny(&traced, tool, "") || traced_ends__choose(&traced, tool, "traced") ||
	    traced__find_addresses(&traced, tool, &names))
		return tool->err;
	snprintf(promise, sizeof(promise), "delivered + lost + missed + filtered is every call%s", traced_ends__but(&traced));
	tell_engine(tool, traced_ends__how(&traced), why, promise);
	if (open_rows(tool))
		return tool->err;
	/* what programs send is inside of a ROOT, also where the event of that was lost */
	graph.lost_some = true;
	events.has_args = opt.args;
	events.has_results = opt.result;
	graph.trees.take = take_tree;
	graph.trees.ctx = tool;
	return call_trees__open(&graph.trees, opt.calls, opt.args, false) ? tool__fail(tool, -ENOMEM, "no memory for the calls") : 0;
}

/* Tells the ROOTs to the programs: none, where all functions are some.  tool->err. */
static int tell_roots(struct tool *tool, struct funcgraph_bpf *skel)
{
	size_t count = graph_events__list_roots(&events, &rows, (uint64_t *)skel->rodata->roots, FUNCGRAPH_ROOTS);

	if (!count)
		return tool__fail(tool, -EINVAL, "BPF programs run the ROOTs themselves, so they cannot trace them (take --engine ftrace)");
	skel->rodata->roots_count = count < traced.functions.count ? (uint32_t)count : 0;
	bpf_map__set_autocreate(skel->maps.root_functions, skel->rodata->roots_count > FUNCGRAPH_ROOTS);
	bpf_map__set_max_entries(skel->maps.root_functions, (uint32_t)count);
	return 0;
}

static int attach_own(struct tool *tool)
{
	struct bpf_map *map = skel_of_tool->maps.root_functions;

	if (bpf_map__autocreate(map) && graph_events__fill_roots(&events, tool, &rows, map))
		return tool->err;
	return traced_ends__attach(&traced, tool);
}

/* Which programs are loaded. */
static void prepare(struct tool *tool, struct funcgraph_bpf *skel)
{
	skel_of_tool = skel;
	tool->attach_own = attach_own;
	skel->rodata->with_args = opt.args;
	skel->rodata->levels = opt.depth;
	bpf_program__set_autoload(skel->progs.thread_free, true);
	if (!tell_roots(tool, skel))
		traced_ends__prepare(&traced, tool);
}

static void take_event(struct tool *tool, const void *data, size_t size)
{
	const struct graph_event *event = data;

	(void)size;
	graph.now_ns = event->ts_ns;
	if (graph_events__add(&events, &graph.trees, event))
		tool__fail(tool, -ENOMEM, "no memory for the tasks");
}

static uint64_t end_rows(struct tool *tool, struct tally *tally)
{
	call_trees__end(&graph.trees);
	count__add(&tally->filtered, run.tally.filtered.value);
	tally->no_room += graph.no_room;
	count__add(&tally->lost, graph.no_room);
	if (graph.no_room)
		tool__tell_no_room(tool, graph.no_room);
	if (!tool->err && !out__error(&tool->out) && !run.calls && !tally->lost.value && !tally->filtered.value && !run.tally.unread)
		say("no ROOT was called while it ran");
	return run.calls + run.tally.unread;
}

/* ---- the trees */

/* Whether a tree is wanted. */
static bool passes(const struct call *first, const struct event_task *task)
{
	uint64_t ns = first->ns;

	/* events of programs on two CPUs may come in another order than they were made in */
	if (first->flags & (CALL_RUNS | CALL_NO_EXIT | CALL_TASK_ENDED))
		ns = graph.now_ns > first->begin_ns ? graph.now_ns - first->begin_ns : 0;
	/* programs have asked already */
	return ns >= opt.slower_ns && (engine.kind == ENGINE_BPF || !run.tool->options.filter.active ||
				       task_filter__passes(&run.tool->options.filter, task));
}

/* Whether a call of it is. */
static bool is_shown(const struct call *call, const struct call *first, uint32_t level)
{
	return (!opt.depth || level < opt.depth) && (!opt.no_interrupts || call->context == first->context);
}

static void put_row(const struct call *call, uint32_t level, uint32_t next_level)
{
	rows.cpu_time = graph.trees.cpu ? &graph.trees.cpu[call - graph.trees.calls] : NULL;
	call_rows__put(&rows, call, level, next_level, graph.trees.args ? graph.trees.args[call - graph.trees.calls] : NULL);
}

static void find_task(const struct call_tree *tree, const struct call *first)
{
	struct event_task task;

	if (engine.kind == ENGINE_FTRACE) {
		call_rows__set_task(&rows, tree, tree->tid ? graph__task(&graph, tree->tid) : NULL);
		return;
	}
	graph_events__take_task(&events, tree, &task);
	task.ts_ns = first->begin_ns;
	call_rows__use_task(&rows, &task);
}

static void take_tree(void *ctx, const struct call_tree *tree)
{
	const struct call *first = call_trees__at(&graph.trees, tree->first), *call, *waiting = NULL;
	uint32_t depths[CALL_LEVELS_MAX], levels = 0, level, waiting_level = 0;
	struct tool *tool = ctx;
	bool is_enough;

	graph.no_room += tree->no_room;
	if (!first)
		return;
	/* what is inside of a ROOT that began before the recording did */
	if (!graph.lost_some && !tree->no_room && !call_rows__is_root(&rows, first->function))
		return;
	find_task(tree, first);
	if (rows.task.pid == tool->options.filter.self)
		return;
	if (!passes(first, &rows.task)) {
		count__add(&run.tally.filtered, tree->count);
		return;
	}
	/* --max-events counts trees: one is printed whole, or not at all */
	is_enough = graph_run__is_enough(&run);
	if (!is_enough) {
		tool->events_done = ++run.trees;
		call_rows__begin(&rows, run.trees);
	}
	/* a row waits for the next one's level: that tells whether it opens a brace */
	for (call = first; call; call = call_trees__at(&graph.trees, call->next)) {
		level = call_trees__level(depths, &levels, call);
		if (!is_shown(call, first, level)) {
			count__add(&run.tally.filtered, 1);
		} else if (is_enough) {
			run.tally.unread++;
		} else {
			if (waiting)
				put_row(waiting, waiting_level, level);
			waiting = call;
			waiting_level = level;
			run.calls++;
		}
	}
	if (waiting)
		put_row(waiting, waiting_level, 0);
}

/* ---- the run */

static void run_ftrace(struct tool *tool)
{
	int err;

	if (!tool->err)
		graph_run__run(&run);
	err = graph__release(&graph);
	if (err)
		tool__fail(tool, err, "what was taken in tracefs cannot be given back now (the next start does it): %s", strerror(-err));
	graph__close(&graph);
	traced_top__give_back(&traced);
	traced__remove_instance(&traced);
}

static void run_programs(struct tool *tool, const char *why)
{
	struct funcgraph_bpf *skel;

	tool->end_rows = end_rows;
	if (tracing__register())
		tool__fail(tool, -EINVAL, "libbpf does not take the programs");
	skel = funcgraph_bpf__open_opts(&tool->open_opts);
	if (tool__opened(tool, skel) && !plan_programs(tool, why))
		prepare(tool, skel);
	tool__run(tool, skel, take_event);
	funcgraph_bpf__destroy(skel);
	call_trees__close(&graph.trees);
	graph_events__free(&events);
}

static const struct tool_about about = {
	.name = "funcgraph",
	.summary = "Shows the calls that kernel functions make, as trees with times.",
	.examples = "  sudo funcgraph vfs_open                    the open of a file\n"
		    "  sudo funcgraph --count function vfs_read 5  which functions it calls\n"
		    "  sudo funcgraph -D 3 -n nginx vfs_write     three levels, one program\n"
		    "  sudo funcgraph vfs_read --in 'ext4_*'      a file system's part\n"
		    "  sudo funcgraph --slower 1ms vfs_fsync_range  those of 1 ms and more\n",
	.options = options,
	.renamed = renamed,
	.parse = parse,
	.columns = call_rows_apart,
	.argument = "[ROOT...]",
	.foreign_options = foreign_options,
	.rate_max = RATE_MAX,
	.room_option = "--calls",
	.metrics = METRIC_OF_ROWS("graphed_calls_total", "Calls of the kernel's functions that were followed."),
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about, .attach = &attach };
	const char *why;

	heap__map_large();
	tool__parse(&tool, argc, argv);
	if (tool__open_opts(&tool) && !choose_engine(&tool, &why)) {
		if (engine.kind == ENGINE_BPF) {
			run_programs(&tool, why);
		} else {
			plan_ftrace(&tool, why);
			run_ftrace(&tool);
		}
	}
	call_rows__close(&rows);
	names__close(&names);
	traced__free(&traced);
	return tool__finish(&tool);
}

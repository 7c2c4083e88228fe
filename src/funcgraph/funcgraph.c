/* SPDX-License-Identifier: BSD-2-Clause */
/* funcgraph: the calls that kernel functions make, as trees with times. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/ftrace/graph.h"
#include "lib/ftrace/names.h"
#include "lib/ftrace/top.h"
#include "lib/run/argument.h"
#include "lib/run/brake.h"
#include "lib/run/call_rows.h"
#include "lib/run/habits.h"
#include "lib/run/loop.h"
#include "lib/run/tally.h"
#include "lib/run/task_filter.h"
#include "lib/run/traced.h"
#include "lib/run/traced_reach.h"
#include "lib/run/traced_top.h"

#define SLOWER_MAX_US 1000000000
#define RATE_MAX 2000000	/* calls a second, without --rate */
#define BUFFER_KB 2048		/* for each CPU */
#define CALLS_DEFAULT 16384
#define DEPTH_DEFAULT 4
#define CALLS_MAX (1 << 24)
#define ROOTS_OF_MODULES 32
/* Between two looks at the buffers. */
#define LOOK_MS 20
/* Records between two looks at signals, the clock and the output. */
#define BATCH 4096

static struct {
	uint32_t depth;			/* -D, or 0 */
	uint64_t slower_ns;
	bool no_interrupts;
	bool args;
	uint32_t calls;
	size_t roots;			/* the patterns of traced that are roots; those behind them are --in's */
	size_t inside_count;
	const char *inside[TRACED_PATTERNS_MAX];
} opt = { .calls = CALLS_DEFAULT };

static struct traced traced;
static struct names names;
static struct call_rows rows;
static char start_members[256];

enum { KEY_SLOWER = 0x200, KEY_IN, KEY_CALLS, KEY_RATE };

static const struct argp_option options[] = {
	{ "depth", 'D', "DEPTH", 0, "so many levels, from 1 (the ROOTs alone; default 4)", 0 },
	{ "in", KEY_IN, "PATTERN", 0, "show these below the ROOTs, not what is found (repeatable)", 0 },
	{ "slower", KEY_SLOWER, "US", 0, "trees whose ROOT takes at least so many microseconds", 0 },
	{ "args", 'a', NULL, 0, "the arguments", 0 },
	{ "no-interrupts", 'I', NULL, 0, "without what interrupts call meanwhile", 0 },
	TRACED_OPTIONS('m'),
	{ "calls", KEY_CALLS, "N", 0, "room for so many calls in trees that are not complete", 0 },
	{ "rate", KEY_RATE, "N", 0, "stop when more calls a second come (default 2,000,000; 0: never)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct habit habits[] = {
	{ "--max-depth", "the depth is -D: funcgraph -D 3 vfs_read" },
	{ "-g", "the ROOT is an argument: funcgraph vfs_read" },
	{ NULL, NULL },
};

static void check(const struct tool *tool)
{
	if (tool->filter.by_uid || tool->filter.by_cgroup)
		usage_error("ftrace's records do not tell the user and the cgroup of a task (-u, -c): use -p, -t or -n");
	if (traced.patterns_count + opt.inside_count > TRACED_PATTERNS_MAX)
		usage_error("too many patterns: %d at most", TRACED_PATTERNS_MAX);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tool *tool = state->input;
	error_t err;

	switch (key) {
	case 'D':
		opt.depth = (uint32_t)argument__number("--depth", arg, 1, 1000);
		return 0;
	case KEY_SLOWER:
		opt.slower_ns = argument__number("--slower", arg, 0, SLOWER_MAX_US) * 1000;
		return 0;
	case 'a':
		opt.args = true;
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
	case KEY_RATE:
		tool->rate_max = argument__number("--rate", arg, 0, UINT32_MAX);
		return 0;
	default:
		err = traced__parse(&traced, key, arg, 'm', "vfs_open");
		if (key == ARGP_KEY_END)
			check(tool);
		return err;
	}
}

/* ---- what is traced */

static struct graph graph;

/* A run: how it ends, and what it has counted. */
static struct {
	struct tool *tool;
	struct loop loop;
	struct brake brake;
	struct tally tally;
	uint64_t calls;			/* printed, written or not */
	uint64_t trees;
	bool ended;			/* nothing is recorded any more */
	uint64_t lost_told;
	int64_t lost_told_ms;
} run;

static void take_tree(void *ctx, const struct call_tree *tree);

/*
 * Roots as set_graph_function takes them: it does not know modules.  So a pattern stands there as it is only where no module is meant, else the names of
 * the functions that it means.  NULL and tool->err.
 */
static const char **list_roots(struct tool *tool)
{
	const struct functions *functions = &traced.functions;
	const char **roots = calloc(opt.roots + ROOTS_OF_MODULES + 1, sizeof(*roots));
	size_t count = 0, of_modules = 0;

	for (size_t i = 0; roots && i < opt.roots; i++) {
		const char *pattern = traced.patterns[i];

		if (!traced.module && !strchr(pattern, ':')) {
			roots[count++] = pattern;
			continue;
		}
		for (size_t j = 0; j < functions->count; j++)
			if (function_pattern__means(pattern, traced.module, functions->list[j].name, functions->list[j].module) &&
			    ++of_modules <= ROOTS_OF_MODULES)
				roots[count++] = functions->list[j].name;
	}
	if (!roots)
		tool__fail(tool, -ENOMEM, "no memory for the names of functions");
	else if (of_modules > ROOTS_OF_MODULES)
		tool__fail(tool, -E2BIG, "%zu functions of modules are ROOTs, and each is a walk through all functions for the kernel (name %d at most)",
			   of_modules, ROOTS_OF_MODULES);
	return roots;
}

/* tool->err */
static int open_graph(struct tool *tool)
{
	struct graph_wants wants = { .args = opt.args, .calls = opt.calls };
	const char **roots = list_roots(tool);
	uint32_t *tids = task_filter__threads(&tool->filter, &wants.tids_count, &wants.new_threads);
	char why[768], kb[16];
	int err;

	snprintf(kb, sizeof(kb), "%u\n", tool->ring_size ? tool->ring_size / 1024 : BUFFER_KB);
	err = instance__write(&traced.instance, "buffer_size_kb", kb);
	if (err)
		tool__fail(tool, err, "ring buffers of %.*s KB for each CPU cannot be made: %s", (int)strcspn(kb, "\n"), kb, strerror(-err));
	wants.roots = roots;
	wants.tids = tids;
	if (!tool->err) {
		err = graph__open(&graph, &traced.instance, &wants, take_tree, tool, why, sizeof(why));
		if (err)
			tool__fail(tool, err, "%s", why);
		else if (opt.args && !graph.has_args)
			say("-a: this kernel's function_graph does not record arguments (funcgraph-args, since 6.15)");
	}
	free(roots);
	free(tids);
	return tool->err;
}

/* Decides what to hook, and starts.  tool->err. */
static int plan(struct tool *tool)
{
	const char *where;

	opt.roots = traced.patterns_count;
	for (size_t i = 0; i < opt.inside_count; i++)
		traced.patterns[traced.patterns_count++] = opt.inside[i];
	if (tool->filter.pidns_ino)
		return tool__fail(tool, -EOPNOTSUPP, "ftrace's records tell the tasks' numbers in the initial pid namespace, and this is another "
				  "one");
	if (traced__match(&traced, tool, top__is_needed() ? TRACED_NAMES : TRACED_RECORDS) || traced_top__move(&traced, tool))
		return tool->err;
	if (!graph__is_there(&traced.instance))
		return tool__fail(tool, -EOPNOTSUPP, "this kernel has no function_graph%s (functrace shows calls one by one)",
				  top__is(&traced.instance) ? "" : " in an instance of tracefs");
	where = top__is(&traced.instance) ? "function_graph at the top of tracefs" : "function_graph in an instance of tracefs";
	names__open(&names, true);
	if (!opt.inside_count && opt.depth != 1 &&
	    traced__add_reached(&traced, tool, &names, (opt.depth ? opt.depth : DEPTH_DEFAULT) - 1))
		return tool->err;
	if (call_rows__open(&rows, tool, &traced, opt.roots, &names, opt.args))
		return tool->err;
	snprintf(start_members, sizeof(start_members), ",\"engine\":\"ftrace\",\"engine_how\":\"%s\","
		 "\"guarantee\":\"delivered + lost + filtered is every call\",\"functions\":%zu", where, traced.functions.count);
	tool->start_members = start_members;
	tool__debug(tool, "%s on %zu functions; delivered + lost + filtered is every call", where, traced.functions.count);
	return open_graph(tool);
}

/* ---- the trees */

static bool is_enough(void)
{
	return run.tool->out.error || (run.tool->events_max && run.calls >= run.tool->events_max);
}

/* Whether a tree is wanted. */
static bool passes(const struct call *first, const struct event_task *task)
{
	uint64_t ns = first->flags & (CALL_RUNS | CALL_NO_EXIT) ? graph.now_ns - first->begin_ns : first->ns;

	return ns >= opt.slower_ns && (!run.tool->filter.active || task_filter__passes(&run.tool->filter, task));
}

/* Whether a call of it is. */
static bool is_shown(const struct call *call, const struct call *first, uint32_t level)
{
	return (!opt.depth || level < opt.depth) && (!opt.no_interrupts || call->context == first->context);
}

static void put_row(const struct call *call, uint32_t level, uint32_t next_level)
{
	call_rows__put(&rows, call, level, next_level, graph.trees.args ? graph.trees.args[call - graph.trees.calls] : NULL);
}

static void take_tree(void *ctx, const struct call_tree *tree)
{
	const struct call *first = call_trees__at(&graph.trees, tree->first), *call, *waiting = NULL;
	uint32_t depths[CALL_LEVELS_MAX], levels = 0, level, waiting_level = 0;
	struct tool *tool = ctx;

	graph.no_room += tree->no_room;
	if (!first)
		return;
	/* what is inside of a ROOT that began before the recording did */
	if (!graph.lost_some && !tree->no_room && !call_rows__is_root(&rows, first->function))
		return;
	call_rows__set_task(&rows, tree, tree->tid ? graph__task(&graph, tree->tid) : NULL);
	if (rows.task.pid == tool->filter.self)
		return;
	if (!passes(first, &rows.task)) {
		run.tally.filtered += tree->count;
		return;
	}
	run.trees++;
	call_rows__begin(&rows, run.trees);
	/* a row waits for the next one's level: that tells whether it opens a brace */
	for (call = first; call; call = call_trees__at(&graph.trees, call->next)) {
		level = call_trees__level(depths, &levels, call);
		if (!is_shown(call, first, level)) {
			run.tally.filtered++;
		} else if (is_enough()) {
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

static void end_recording(void)
{
	if (!run.ended)
		graph__end(&graph);
	run.ended = true;
}

/* Told at once, at most once a second. */
static void tell_losses(void)
{
	struct pollfd to = { .fd = STDERR_FILENO, .events = POLLOUT };
	int64_t now = loop__now_ms();
	uint64_t lost;

	/* a stderr that nobody reads must not hold this up: later */
	if (now - run.lost_told_ms < 1000 || graph__lost(&graph, &lost) || !poll(&to, 1, 0))
		return;
	run.lost_told_ms = now;
	if (lost > run.lost_told)
		say("lost %llu events: the reader is too slow (fewer functions, -D, or a larger --buffer)",
		    (unsigned long long)(lost - run.lost_told));
	run.lost_told = lost > run.lost_told ? lost : run.lost_told;
}

/* While a write to the output blocks: the recording ends on time all the same, and losses are told. */
static void on_blocked(void *ctx)
{
	(void)ctx;
	if (loop__is_past_deadline(&run.loop))
		end_recording();
	if (!sink__is_same_file(&run.tool->out.sink, STDERR_FILENO))
		tell_losses();
}

static bool is_over(void)
{
	return loop__is_over(&run.loop) || is_enough();
}

/* tool->err */
static int start_output(struct tool *tool)
{
	int err;

	tool->out.sink.on_blocked = on_blocked;
	if (tool__begin_rows(tool, &run.loop))
		return tool->err;
	err = graph__start(&graph);
	if (err)
		return tool__fail(tool, err, "the recording cannot be switched on: %s", strerror(-err));
	out__header(&tool->out);
	tool__print_start(tool);
	out__flush(&tool->out);
	brake__start(&run.brake);
	return 0;
}

static void print_summary(struct tool *tool)
{
	struct tally *tally = &run.tally;

	if (graph__lost(&graph, &tally->lost))
		tool__fail(tool, -EIO, "what was lost cannot be read");
	tally->no_room = graph.no_room;
	tally->missed = graph.missed;
	tally->missed_known = true;
	/* calls of other tasks are the kernel's to drop then */
	tally->filtered_partly = tool->filter.pids_count || tool->filter.tids_count;
	tally->delivered = run.calls < tool->out.rows_written ? run.calls : tool->out.rows_written;
	tally->unread += run.calls - tally->delivered;
	if (graph.no_room)
		tool__tell_no_room(tool, graph.no_room);
	if (!tool->err && !run.calls && !tally->lost && !tally->filtered && !tally->unread)
		say("no ROOT was called while it ran");
	tool__print_summary(tool, tally);
}

static void look_at_rate(struct tool *tool)
{
	uint64_t lost;

	if (brake__is_due(&run.brake, tool) && !graph__lost(&graph, &lost))
		brake__check(&run.brake, tool, graph.records / 2 + lost);
}

static void run_all(struct tool *tool)
{
	int count = 0;

	run.tool = tool;
	run.loop.out = &tool->out;
	if (start_output(tool))
		return;
	while (!is_over() && count >= 0 && !tool->err) {
		count = graph__read(&graph, BATCH);
		out__flush(&tool->out);
		tell_losses();
		look_at_rate(tool);
		if (count < BATCH && count >= 0 && !is_over() && !tool->err)
			loop__sleep(&run.loop, -1, LOOK_MS);
	}
	end_recording();
	while (count >= 0 && (count = graph__read(&graph, BATCH)) > 0)
		out__flush(&tool->out);
	if (count < 0)
		tool__fail(tool, count, "the ring buffers cannot be read: %s", strerror(-count));
	graph__finish(&graph);
	out__flush(&tool->out);
	print_summary(tool);
}

int main(int argc, char **argv)
{
	struct tool tool = {
		.name = "funcgraph",
		.summary = "Shows the calls that kernel functions make, as trees with times.",
		.examples = "  sudo funcgraph vfs_open                    the open of a file\n"
			    "  sudo funcgraph -D 3 -n nginx vfs_write     three levels, one program\n"
			    "  sudo funcgraph vfs_read --in 'ext4_*'      a file system's part\n"
			    "  sudo funcgraph --slower 1000 vfs_fsync_range  those of 1 ms and more\n",
		.options = options,
		.parse = parse,
		.argument = "[ROOT...]",
		.habits = habits,
		.rate_max = RATE_MAX,
		.room_option = "--calls",
	};
	int err;

	tool__parse(&tool, argc, argv);
	tool.columns = call_rows__columns(&tool);
	if (tool__open_opts(&tool) && !plan(&tool))
		run_all(&tool);
	err = graph__release(&graph);
	if (err)
		tool__fail(&tool, err, "what was taken in tracefs cannot be given back now (the next start does it): %s", strerror(-err));
	graph__close(&graph);
	traced_top__give_back(&traced);
	traced__remove_instance(&traced);
	call_rows__close(&rows);
	names__close(&names);
	traced__free(&traced);
	return tool__finish(&tool);
}

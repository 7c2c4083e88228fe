/* SPDX-License-Identifier: BSD-2-Clause */
/* funccount: how often functions are called. */
#include <errno.h>
#include <stdlib.h>

#include "addresses.h"
#include "callcount.h"
#include "funccount.h"
#include "funccount.skel.h"
#include "lib/kernel/names.h"
#include "lib/probe/attempt.h"
#include "lib/probe/own_task.h"
#include "lib/probe/tracing.h"
#include "lib/probe/trampoline.h"
#include "lib/run/argument.h"
#include "lib/run/children.h"
#include "lib/run/foreign_options.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/tally.h"
#include "lib/run/renamed.h"
#include "lib/run/task_filter.h"
#include "lib/traced/engine.h"
#include "lib/traced/traced.h"
#include "lib/traced/traced_columns.h"
#include "lib/traced/traced_trampolines.h"
#include "lib/traced/traced_user.h"

#define RATE_MAX 10000000	/* calls a second, without --rate */
#define BUFFER_KB 2048		/* of the ftrace engine, for each CPU */

static struct engine engine;
static uint32_t top_asked;		/* --top, or 0 */
static struct attach attach = { .only_counts = true, .check_names = true };
static struct traced traced = { .takes_programs = true };
static struct traced_user user;		/* functions of programs instead of the kernel's */
static bool of_programs, has_rate;
static bool on_trampolines;	/* fentry, for each of a few */
static uint32_t ids[TRACED_FEW];	/* their functions' in the kernel's BTF */
static const char *programs = "function";	/* of a few functions */
static bool by_ids;		/* fentry.multi, on those functions that the kernel's BTF has */
static size_t others_count;	/* those that it lacks */
static struct callcount calls;
static struct names names;
static bool only_threads;	/* of what the kernel's filter lets pass */
static bool filtered_by_kernel;	/* the calls of other threads, which nobody counts then */

enum { KEY_ENGINE = 0x200, KEY_TOP, KEY_RATE };

static const struct argp_option options[] = {
	ENGINE_OPTION(KEY_ENGINE),
	TRACED_OPTIONS(TRACED_KEY_MODULE),
	{ NULL, 'm', "MODULE", OPTION_HIDDEN, NULL, 0 },
	{ "rows", 'r', "N", 0, "the N functions with most calls; the others are summed", 0 },
	{ "top", KEY_TOP, "N", OPTION_HIDDEN, NULL, 0 },
	{ "rate", KEY_RATE, "N", 0, "stop at more than N calls a second (default 10,000,000; 0: never)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-i", "INTERVAL is an argument: funccount 'vfs_*' 1" },
	{ "--interval", "INTERVAL is an argument: funccount 'vfs_*' 1" },
	{ "--regexp", "patterns are the shell's: 'tcp_*' (several may be given)" },
	{ "--by", "a count is of a function's calls by all tasks that the filters let through; functrace --by COLUMN,... counts by any columns" },
	{ "--count", "functrace --count COLUMN,... counts calls by any columns" },
	{ "--hist", "funclatency has histograms of how long calls take" },
	{ NULL, NULL },
};

static const struct renamed renamed[] = {
	{ 'm', TRACED_KEY_MODULE, "-m MODULE", "--module MODULE", NULL },
	{ KEY_TOP, 'r', "--top N", "-r N", NULL },
	{ 0, 0, NULL, NULL, NULL },
};

static void check_programs(struct tool *tool)
{
	of_programs = traced_user__is(&traced, tool);
	if (of_programs && engine.kind == ENGINE_FTRACE)
		usage_error("--engine ftrace: for the kernel's functions");
	if (of_programs && !has_rate)
		tool->options.rate_max = TRACED_USER_RATE_MAX;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tool *tool = state->input;

	switch (key) {
	case KEY_ENGINE:
		engine__parse(&engine, arg);
		return 0;
	case 'r':
		top_asked = (uint32_t)argument__number("-r", arg, 1, UINT32_MAX);
		return 0;
	case KEY_RATE:
		tool->options.rate_max = argument__number("--rate", arg, 0, UINT32_MAX);
		has_rate = true;
		return 0;
	case ARGP_KEY_END:
		check_programs(tool);
		/* fall through */
	default:
		return traced__parse(&traced, key, arg, TRACED_KEY_MODULE, "vfs_*");
	}
}

/* ---- which functions, and by which engine */

static void choose(struct tool *tool, enum engine_kind kind, const char *why)
{
	const char *multi = !by_ids ? "kprobe.multi" :
			    others_count ? "fentry.multi, and kprobe.multi for functions that it does not take" : "fentry.multi";

	engine.kind = kind;
	if (kind == ENGINE_FTRACE)
		engine__tell(&engine, tool, "the function tracer in an instance of tracefs", why, "counted + lost is every call");
	else
		engine__tell(&engine, tool,
			     traced.by_multi ? multi : on_trampolines ? "fentry for each function" : "a kprobe for each function", why,
			     "counted + lost + missed + filtered is every call");
}

/* Whether a filter was given that only programs have: the tracer's own one is by thread. */
static bool needs_bpf(const struct tool *tool)
{
	const struct task_filter *filter = &tool->options.filter;

	return filter->by_uid || filter->by_comm || filter->by_cgroup || (filter->active && filter->pidns_ino);
}

static const char otherwise[] = " (--engine ftrace counts them)";

/* Whether each of the functions can have a program on a trampoline, and --attach lets it; fault has the reason where not. */
static bool take_trampolines(struct fault *fault)
{
	fault__set(fault, -EOPNOTSUPP, "--attach asks for it");
	on_trampolines = (attach.wanted == ATTACH_AUTO || attach.wanted == ATTACH_FENTRY) &&
			 !traced_trampolines__find(&traced, ids, fault);
	return on_trampolines;
}

static int choose_trampolines(struct tool *tool)
{
	attach.wanted = ATTACH_FENTRY;
	choose(tool, ENGINE_BPF, "so few functions that each can have a program");
	return 1;
}

/* One name of one function: it needs no match.  1: that is how it is counted; 0: not so; or tool->err. */
static int plan_name(struct tool *tool, bool wants_multi)
{
	struct fault fault;

	if (traced.patterns_count > 1 || !traced__are_few_names(&traced) || attach.wanted == ATTACH_MULTI)
		return 0;
	if (traced__take_names(&traced, tool) || traced__deny(&traced, tool, otherwise))
		return tool->err;
	if (take_trampolines(&fault))
		return choose_trampolines(tool);
	if (attach.wanted == ATTACH_FENTRY)
		return tool__fail(tool, -EOPNOTSUPP, "--attach fentry is not possible: %s (leave --attach out)", fault.text);
	/* what a kprobe finds wrong with a name it says itself */
	if (!wants_multi && !(attach.wanted == ATTACH_AUTO && traced__share_names(&traced))) {
		choose(tool, ENGINE_BPF, fault.text);
		return 1;
	}
	functions__free(&traced.functions);
	return 0;
}

/* What matched: by programs, if the kernel can have them on all of it.  1, 0 or tool->err. */
static int plan_programs(struct tool *tool, bool wants_multi)
{
	bool few = traced.functions.count <= TRACED_FEW;
	struct fault fault;

	if (!wants_multi && (!few || (attach.wanted == ATTACH_AUTO && traced__share_names(&traced))))
		return 0;
	/* it was for matching only */
	traced__remove_instance(&traced);
	if (traced__deny(&traced, tool, otherwise))
		return tool->err;
	if (few && take_trampolines(&fault))
		return choose_trampolines(tool);
	if (attach.wanted == ATTACH_FENTRY)
		return tool__fail(tool, -EOPNOTSUPP, "--attach fentry is not possible: %s (leave --attach out)",
				  few ? fault.text : "too many functions");
	traced.by_multi = wants_multi;
	/* the kernel's trampolines: a call costs less than half */
	by_ids = wants_multi && attach.wanted == ATTACH_AUTO && traced.functions.count <= TRACED_IDS_MAX &&
		 tracing__has_multi(TRACING_FENTRY_MULTI) && !traced__find_ids(&traced, &others_count) &&
		 others_count < traced.functions.count;
	choose(tool, ENGINE_BPF, wants_multi ? "one link for all functions" : fault.text);
	return 1;
}

/* Decides how to count, and what.  tool->err. */
static int plan(struct tool *tool)
{
	bool has_multi = engine.kind != ENGINE_FTRACE && attempt__has_multi();
	bool wants_multi = has_multi && (attach.wanted == ATTACH_AUTO || attach.wanted == ATTACH_MULTI);

	if (engine.kind == ENGINE_FTRACE && needs_bpf(tool))
		return tool__fail(tool, -EOPNOTSUPP, "the ftrace engine has no filters but -p and -t: take --engine bpf");
	if (engine.kind != ENGINE_FTRACE && plan_name(tool, wants_multi))
		return tool->err;
	if (traced__match(&traced, tool, wants_multi ? TRACED_NAMES : tool->options.interval_ns ? TRACED_RECORDS : TRACED_FILTER,
			  engine.kind != ENGINE_FTRACE))
		return tool->err;
	if (engine.kind == ENGINE_FTRACE) {
		choose(tool, ENGINE_FTRACE, "asked for");
		return 0;
	}
	if (plan_programs(tool, wants_multi))
		return tool->err;
	if (engine.kind == ENGINE_BPF || needs_bpf(tool))
		return tool__fail(tool, -EOPNOTSUPP, "%zu functions match: this kernel was built without kprobe.multi (CONFIG_FPROBE), "
				  "so BPF programs%s count %d functions of different names at most", traced.functions.count,
				  needs_bpf(tool) ? ", which this filter needs," : "", TRACED_FEW);
	choose(tool, ENGINE_FTRACE, traced.functions.count > TRACED_FEW ? "more functions than can have a probe each, and no kprobe.multi" :
	       "a name of several functions, and no kprobe.multi");
	return 0;
}

/* ---- the bpf engine */

static struct funccount_bpf *skel_of_tool;
static struct addresses addresses;

static int attach_multi(struct tool *tool)
{
	struct funccount_bpf *skel = skel_of_tool;
	int err = addresses__fill(&addresses, skel->maps.places);

	if (err)
		return tool__fail(tool, err, "the table of addresses cannot be filled: %s", strerror(-err));
	if (by_ids) {
		err = traced__attach_ids(&traced, tool, skel->progs.function_id);
		if (tool->err || attach.err)
			return err;
		by_ids = !err;
		if (err)
			choose(tool, ENGINE_BPF, "the kernel refuses fentry.multi on one of the functions");
	}
	return traced__attach_addresses(&traced, tool, skel->progs.function_multi, &skel->links.function_multi, !by_ids);
}

static void attach_all(struct tool *tool)
{
	if (traced.by_multi)
		attach_multi(tool);
	else if (on_trampolines)
		traced_trampolines__attach(&traced, tool, programs);
	else
		traced__attach(&traced, tool, programs);
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
static void prepare_user(struct tool *tool, struct funccount_bpf *skel)
{
	bool ends = traced_user__is_return(traced.patterns[0]);

	if (traced_user__find(&user, &traced, tool, ends) || traced_user__prepare(&user, tool))
		return;
	trampoline__needs_alone(skel->maps.alone_map, false);
	engine.kind = ENGINE_BPF;
	engine__tell(&engine, tool, traced_user__how(), "functions of programs", ends ? "counted + missed + filtered is every call that returns" :
		     "counted + filtered is every call");
	tool->attach_own = attach_programs;
	tool->detach_own = detach_programs;
	skel->rodata->functions = (uint32_t)traced.functions.count;
	if (bpf_map__set_max_entries(skel->maps.counts_map, (uint32_t)traced.functions.count))
		tool__fail(tool, -ENOMEM, "no room for the counts");
}

/* Which programs are loaded, and room for the counts. */
static void prepare_bpf(struct tool *tool, struct funccount_bpf *skel)
{
	int err = 0;

	skel_of_tool = skel;
	tool->attach_probes = attach_all;
	tool->attach = &attach;
	if (traced.by_multi) {
		names__open(&names, false);
		if (traced__find_addresses(&traced, tool, &names))
			return;
		err = addresses__prepare(&addresses, &traced.functions, skel->maps.places);
		skel->rodata->place_factor = addresses.factor;
		skel->rodata->place_shift = addresses.shift;
		bpf_program__set_autoload(skel->progs.function_multi, true);
		if (by_ids && !err)
			err = tracing__target(skel->progs.function_id, TRACING_FENTRY_MULTI, 0);
	}
	if (trampoline__needs_alone(skel->maps.alone_map, on_trampolines))
		programs = "function_alone";
	else if (on_trampolines)
		programs = "function_call";
	if (on_trampolines && traced_trampolines__prepare(&traced, tool, programs, ids))
		return;
	for (size_t i = 0; i < traced.functions.count && !traced.by_multi && !on_trampolines; i++)
		bpf_program__set_autoload(traced__program(tool, programs, i), true);
	bpf_map__set_autocreate(skel->maps.counts_map, traced.by_multi);
	if (!tool->options.filter.active)
		skel->rodata->filter.own_task = own_task__address();
	skel->rodata->functions = (uint32_t)traced.functions.count;
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.counts_map, (uint32_t)traced.functions.count);
	if (err)
		tool__fail(tool, err, "the table of addresses cannot be made: %s", strerror(-err));
}

/* ---- the ftrace engine */

static int counter_start(void *ctx)
{
	return callcount__start(ctx);
}

static int counter_read(void *ctx, struct batch *batch)
{
	return callcount__read(ctx, batch);
}

static void counter_cut(void *ctx)
{
	callcount__read(ctx, NULL);
	callcount__cut(ctx);
}

static int counter_stop(void *ctx)
{
	int err = callcount__stop(ctx);

	traced__remove_instance(&traced);
	return err;
}

static void counter_tally(void *ctx, struct tally *tally)
{
	tally->lost = count__exact(callcount__lost(ctx));
	tally->missed = count__exact(0);
	tally->filtered = filtered_by_kernel ? count__at_least(calls.filtered, NULL) : count__exact(0);
}

static int counter_is_intact(void *ctx, struct fault *fault)
{
	struct callcount *counted = ctx;

	return intact__check(&counted->tracer.intact, fault);
}

static uint64_t counter_seen(void *ctx)
{
	const struct callcount *counted = ctx;

	return counted->records + callcount__lost(ctx);
}

static const struct counter counter = {
	.ctx = &calls, .period_ms = 20, .start = counter_start, .read = counter_read, .cut = counter_cut, .stop = counter_stop,
	.tally = counter_tally, .seen = counter_seen, .is_intact = counter_is_intact,
};

/* -p without -f: the kernel's own filter goes on to the threads of a process and to its children alike.  tool->err. */
static int leave_out_children(struct tool *tool)
{
	struct fault fault;
	int err = children__start(&tool->options.filter, &fault);

	only_threads = !err;
	return err ? tool__fail(tool, err, "-p: the threads of a process cannot be distinguished from its children: %s", fault.text) : 0;
}

/* -p, -f and -t, by the kernel, which does not count what it drops. */
static int filter_threads(struct tool *tool)
{
	bool new_threads;
	size_t count;
	uint32_t *tids = task_filter__threads(&tool->options.filter, &count, &new_threads);
	int err = 0;

	filtered_by_kernel = count != 0;
	if (count) {
		instance__write(&traced.instance, "options/function-fork", new_threads ? "1\n" : "0\n");
		err = instance__only_tids(&traced.instance, tids, count);
	}
	free(tids);
	if (!err && count && new_threads && !tool->options.filter.follows && leave_out_children(tool))
		return tool->err;
	return err ? tool__fail(tool, err, "set_ftrace_pid of an instance in tracefs cannot be written: %s", strerror(-err)) : 0;
}

static void prepare_ftrace(struct tool *tool, struct funccount_bpf *skel)
{
	struct fault fault;
	char size[16];
	int err;

	names__open(&names, true);
	if (names__lack(&names))
		say__warning("functions are shown as addresses: %s", names__lack(&names));
	if (tool->out.json)
		names__open_places(&names);
	trampoline__needs_alone(skel->maps.alone_map, false);
	snprintf(size, sizeof(size), "%d\n", BUFFER_KB);
	err = instance__write(&traced.instance, "buffer_size_kb", size);
	if (err) {
		tool__fail(tool, err, "ring buffers of %d KB for each CPU cannot be made: %s", BUFFER_KB, strerror(-err));
		return;
	}
	if (filter_threads(tool))
		return;
	err = callcount__open(&calls, &traced.instance, &fault);
	if (err)
		tool__fail(tool, err, "%s", fault.text);
	calls.is_wanted = only_threads ? children__follow : NULL;
	tool->counter = &counter;
}

/* ---- rows */

static const struct out_column columns[] = {
	{ "COUNT", 12, NULL, NULL },
	{ "FUNCTION", 0, NULL, NULL },
	{ "MODULE", 0, &tool_not_shown, NULL },
	{ "ADDRESS", 0, &tool_not_shown, NULL },
	{ NULL, 0, NULL, NULL },
};

struct row {
	uint64_t count, address;
	size_t function;
};

static int compare(const void *a, const void *b)
{
	const struct row *left = a, *right = b;

	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return left->function < right->function ? -1 : left->function > right->function;
}

/* Those that were called, in rows that the caller frees; NULL without memory. */
static struct row *collect(const struct interval *interval, size_t *count)
{
	const struct funccount_counts *counts = interval->cells;
	bool by_ftrace = engine.kind == ENGINE_FTRACE;
	size_t room = by_ftrace ? calls.cells.count : traced.functions.count;
	struct row *rows = calloc(room + 1, sizeof(*rows));
	const struct callcount_cell *cell;
	uint64_t address;

	*count = 0;
	if (!rows)
		return NULL;
	for (size_t at = 0; by_ftrace && (cell = hash__next(&calls.cells, &at, &address));)
		if (cell->shown)
			rows[(*count)++] = (struct row){ cell->shown, address, at };
	for (size_t i = 0; !by_ftrace && i < room; i++)
		if (counts[i].calls)
			rows[(*count)++] = (struct row){ counts[i].calls, traced.functions.list[i].address, i };
	qsort(rows, *count, sizeof(*rows), compare);
	return rows;
}

/*
 * The address of a function's symbol, as programs tell it: the function tracer's is 4 bytes behind it where an endbr64 stands before the
 * hook (IBT).
 */
static uint64_t symbol_of(uint64_t address)
{
	char place[NAMES_NAME_MAX];
	const char *offset;

	names__place(&names, address, place);
	offset = strrchr(place, '+');
	return offset ? address - strtoul(offset + 1, NULL, 16) : address;
}

static void print_row(struct tool *tool, const struct interval *interval, const struct row *row)
{
	char name[TRACED_NAME_MAX], address[24], *module = NULL;

	if (engine.kind == ENGINE_FTRACE) {
		const char *known = callcount__name(&calls, row->address);

		if (known)
			snprintf(name, sizeof(name), "%s", known);
		else
			names__of(&names, row->address, name);
		module = strstr(name, " [");
	} else {
		const struct function *function = &traced.functions.list[row->function];

		traced__text(function, name);
		module = function->module ? name + strlen(function->name) : NULL;
	}
	out__row(&tool->out, interval->end_ns);
	out__int(&tool->out, (int64_t)row->count);
	out__string(&tool->out, name, tool->out.json && module ? (size_t)(module - name) : strlen(name));
	if (module)
		out__string(&tool->out, module + 2, strlen(module) - 3);
	else
		out__none(&tool->out);
	snprintf(address, sizeof(address), "%llx", (unsigned long long)(tool->out.json && engine.kind == ENGINE_FTRACE ?
									symbol_of(row->address) : row->address));
	if (row->address)
		out__string(&tool->out, address, strlen(address));
	else
		out__none(&tool->out);
	out__end(&tool->out);
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	uint64_t counted = 0, others = 0;
	size_t count, top;
	struct row *rows = collect(interval, &count);
	char text[48];

	if (!rows) {
		tool__fail(tool, -ENOMEM, "no memory for the rows");
		return 0;
	}
	top = top_asked && top_asked < count ? top_asked : count;
	if (engine.kind == ENGINE_FTRACE)
		callcount__find_names(&calls);
	for (size_t i = 0; i < count; i++) {
		counted += rows[i].count;
		if (i < top)
			print_row(tool, interval, &rows[i]);
		else
			others += rows[i].count;
	}
	if (others) {
		out__row(&tool->out, interval->end_ns);
		out__int(&tool->out, (int64_t)others);
		snprintf(text, sizeof(text), "(%zu others)", count - top);
		out__string(&tool->out, text, strlen(text));
		out__none(&tool->out);
		out__none(&tool->out);
		out__end(&tool->out);
	}
	free(rows);
	return counted;
}

static const struct metric metrics[] = {
	{ "function_calls_total", "Calls of the kernel's functions.", METRIC_COUNT, "count", "function,module" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "funccount",
	.summary = "Counts calls of functions, of the kernel and of programs.",
	.examples = "  sudo funccount 'tcp_*'             until Ctrl-C\n"
		    "  sudo funccount vfs_read vfs_write 1  each second\n"
		    "  sudo funccount -m ext4 -r 10       the ten of a module that are called most\n"
		    "  sudo funccount -p 1234 'tcp_*'     what one process makes the kernel do\n"
		    "  sudo funccount 'u:libc:pthread_*'  functions of a library\n",
	.options = options,
	.renamed = renamed,
	.parse = parse,
	.argument = "[PATTERN...]",
	.foreign_options = foreign_options,
	.columns = columns,
	.counts = true,
	.rate_max = RATE_MAX,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about, .attach = &attach };
	struct funccount_bpf *skel;

	tool__parse(&tool, argc, argv);
	if (tracing__register())
		tool__fail(&tool, -EINVAL, "libbpf does not take the programs");
	skel = funccount_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel) && of_programs) {
		prepare_user(&tool, skel);
	} else if (!tool.err && !plan(&tool)) {
		traced_user__leave_out(&tool);
		if (engine.kind == ENGINE_FTRACE)
			prepare_ftrace(&tool, skel);
		else
			prepare_bpf(&tool, skel);
	}
	tool__run_intervals(&tool, skel, print_interval);
	if (of_programs)
		traced_user__check(&tool);
	traced_user__free(&user);
	callcount__close(&calls);
	funccount_bpf__destroy(skel);
	names__close(&names);
	traced__free(&traced);
	addresses__free(&addresses);
	return tool__finish(&tool);
}

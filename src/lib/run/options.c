/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line that all tools share (tool__parse), as an argp child of each tool's own. */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/print/hist.h"
#include "lib/print/json_schema.h"
#include "lib/probe/attach.h"
#include "argument.h"
#include "arguments.h"
#include "counting.h"
#include "ended.h"
#include "foreign_options.h"
#include "metrics.h"
#include "output_file.h"
#include "preflight.h"
#include "recording.h"
#include "refuse.h"
#include "renamed.h"
#include "show.h"
#include "task_filter.h"
#include "task_keys.h"
#include "tool.h"
#include "tool_command.h"

#define ROWS_DEFAULT 10

enum {
	KEY_MAX_EVENTS = 0x100,
	KEY_STRICT,
	KEY_BUFFER,
	KEY_ATTACH,
	KEY_USAGE,
	KEY_NAME,
	KEY_AS_KERNEL,
	KEY_LINEAR,
	KEY_KEYS,
	KEY_CGROUP_NAME,
	KEY_REFRESH,
	KEY_SVG,
	KEY_STACK,
	KEY_USTACK,
	KEY_CONTAINER,
	KEY_WAIT,
	KEY_COUNT,
	KEY_BY,
	KEY_HIST,
	KEY_SUM,
	KEY_AVG,
	KEY_EVERY,
	KEY_ROWS,
	KEY_PRESERVE_STATUS,
	KEY_HOST,
	KEY_METRICS,
	KEY_METRICS_REMOVE,
	KEY_RUN,
	KEY_SERIES,
	KEY_SCHEMA,
	KEY_RECORD,
};

/* Behind the tool's own options, which have group 0. */
static const struct argp_option shared_options[] = {
	{ NULL, 0, NULL, 0, "Filters, applied in the kernel:", 10 },
	{ "pid", 'p', "PID", 0, "this process only (repeatable, or 1,2,3)", 0 },
	{ "children", 'f', NULL, 0, "also the processes that those of -p or COMMAND make", 0 },
	{ "tid", 't', "TID", 0, "this thread only (repeatable, or 1,2,3)", 0 },
	{ "uid", 'u', "UID", 0, "this user only, by number or name", 0 },
	{ "comm", 'n', "COMM", 0, "only tasks with exactly this name (\"ngin*\": that begin so)", 0 },
	{ "name", KEY_NAME, "COMM", OPTION_HIDDEN, NULL, 0 },		/* bcc's word */
	{ "cgroup", 'c', "CGROUP", 0, "this unit (cron) or cgroup v2 (a path) and those below it only", 0 },
	{ "container", KEY_CONTAINER, "NAME", 0, "this container only: name, first digits of its id, or NAMESPACE/POD", 0 },
	{ "wait", KEY_WAIT, NULL, 0, "with -c: wait for the cgroup to be created", 0 },
	{ "failed", 'x', NULL, 0, "failures only", 0 },
	{ NULL, 0, NULL, 0, "Output:", 20 },
	{ "timestamp", 'T', NULL, 0, "the wall-clock time: a first column, or above a histogram", 0 },
	{ "time", 'T', NULL, OPTION_HIDDEN, NULL, 0 },		/* libbpf-tools' word */
	{ "print-uid", 'U', NULL, 0, "a column with the user", 0 },
	{ "cgroup-name", KEY_CGROUP_NAME, NULL, 0, "a column with the systemd unit or container", 0 },
	{ "stack", KEY_STACK, NULL, 0, "the kernel's stack below each row", 0 },
	{ "ustack", KEY_USTACK, NULL, 0, "the process's stack below each row", 0 },
	{ "count", KEY_COUNT, "COLUMN,...", 0, "no lines: how many events have which values in these columns; with INTERVAL, in each", 0 },
	{ "by", KEY_COUNT, NULL, OPTION_ALIAS, NULL, 0 },
	{ "by", KEY_BY, "KEY,...", 0, NULL, 0 },	/* task_keys__doc() */
	{ "hist", KEY_HIST, "COLUMN", 0, "no lines: a histogram of this column's numbers; with --count, one for each", 0 },
	{ "sum", KEY_SUM, "COLUMN,...", 0, "with --count: the sum of these numbers, too; the largest first", 0 },
	{ "avg", KEY_AVG, "COLUMN,...", 0, "with --count: the average of these numbers, too", 0 },
	{ "rows", 'r', "N", 0, "the N keys with most events; the others are summed (default 10)", 0 },
	{ "refresh", KEY_REFRESH, NULL, 0, "clear the terminal before each interval", 0 },
	{ "every", KEY_EVERY, "SECONDS", OPTION_HIDDEN, NULL, 0 },	/* of views (src/one/views): INTERVAL where none is given */
	{ "output", 'o', "FILE", 0, "write to this file instead of stdout", 0 },
	{ "record", KEY_RECORD, "FILE", 0, "write events to this file instead, for `probelight show FILE`; with -o rows, too", 0 },
	{ "host", KEY_HOST, NULL, 0, "a column with the name of this machine", 0 },
	{ "json", 'j', NULL, 0, "JSON, one object per line", 0 },
	{ "schema", KEY_SCHEMA, "KIND", 0, "print what -j promises, and do nothing else: " JSON_SCHEMA_KINDS, 0 },
	{ "verbose", 'v', NULL, 0, "say what is attached and how; -vv: libbpf's messages, too", 0 },
	{ "as-kernel", KEY_AS_KERNEL, "VERSION", OPTION_HIDDEN, NULL, 0 },	/* docs/kernels.md */
	{ NULL, 0, NULL, 0, "Histograms:", 25 },
	{ "nanoseconds", 'N', NULL, 0, "times in nanoseconds", 0 },
	{ "milliseconds", 'm', NULL, 0, "times in milliseconds", 0 },
	{ "linear", KEY_LINEAR, "MIN,MAX,STEP", 0, "rows of STEP from MIN to MAX instead of powers of two", 0 },
	{ "svg", KEY_SVG, "FILE", 0, "also write a heat map of the intervals, for a browser", 0 },
	{ NULL, 0, NULL, 0, "Metrics, for a collector:", 27 },
	{ "metrics", KEY_METRICS, "FILE", 0, "totals as Prometheus' text, into FILE.prom each INTERVAL (default 15 s); - is stdout", 0 },
	{ "quiet", 'q', NULL, 0, "nothing but the metrics", 0 },
	{ "series", KEY_SERIES, "N", 0, "room for N sets of labels of a metric; the others are summed (default 100)", 0 },
	{ "run", KEY_RUN, "NAME", 0, "a label of all series, run=NAME, for two runs of one tool", 0 },
	{ "metrics-remove", KEY_METRICS_REMOVE, NULL, 0, "remove FILE at the end", 0 },
	{ NULL, 0, NULL, 0, "When to stop:", 30 },
	{ "duration", 'd', "SECONDS", 0, "after this time", 0 },
	{ "max-events", KEY_MAX_EVENTS, "N", 0, "after this many events", 0 },
	{ "preserve-status", KEY_PRESERVE_STATUS, NULL, 0, "exit with the status of COMMAND", 0 },
	{ NULL, 0, NULL, 0, "Completeness:", 40 },
	{ "strict", KEY_STRICT, NULL, 0, "exit 3 if any event was lost or missed", 0 },
	{ "buffer", KEY_BUFFER, "KIB", 0, "size of the ring buffer, rounded up to a power of two that holds the largest event", 0 },
	{ "keys", KEY_KEYS, "N", 0, "room for N keys in the table; what finds no room counts as \"other\"", 0 },
	{ NULL, 0, NULL, 0, "Probes:", 50 },
	{ "attach", KEY_ATTACH, "MODE", 0, "how to attach the probes: " ATTACH_MODES, 0 },
	{ "help", 'h', NULL, 0, "this text", -1 },
	{ NULL, '?', NULL, OPTION_HIDDEN, NULL, -1 },
	{ "usage", KEY_USAGE, NULL, 0, "the options in a few lines", -1 },
	{ "version", 'V', NULL, 0, "the version", -1 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

/* From here on keys are argp's own, such as ARGP_KEY_END; so is 0, ARGP_KEY_ARG. */
#define KEYS_OF_ARGP 0x10000

/* Those that a tool has (has_option()). */
static struct argp_option options_of_tool[sizeof(shared_options) / sizeof(*shared_options)];

/* bcc's biosnoop -d sda looks at one disk. */
static uint64_t parse_duration(const struct tool *tool, const char *text)
{
	const char *instead = foreign_options__instead(tool->about->foreign_options, "-d");

	if (instead && isalpha((unsigned char)*text))
		usage_error("-d \"%s\": not a time in seconds: %s", text, instead);
	return argument__seconds("-d", text);
}

static uint32_t parse_buffer(const struct tool *tool, const char *text)
{
	uint64_t wanted = argument__number("--buffer", text, 4, 1024 * 1024) * 1024;
	uint64_t size = 4096;

	/* a record that is larger than the ring could never be reserved; each has a header of 8 bytes (BPF_RINGBUF_HDR_SZ) */
	if (wanted < tool->about->record_max + 8)
		wanted = tool->about->record_max + 8;
	while (size < wanted)
		size *= 2;
	return (uint32_t)size;
}

/* flags: of argp_help(3). */
static void print_help(const struct tool *tool, const struct argp *root, unsigned int flags)
{
	struct argp argp = *root;
	char doc[4096];

	snprintf(doc, sizeof(doc), "%s\v%s%s", tool->about->summary, tool->about->examples ? "Examples:\n" : "",
		 tool->about->examples ? tool->about->examples : "");
	argp.doc = doc;
	/* a note of argp's on long options, which says nothing that the list does not show */
	setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
	argp_help(&argp, stdout, flags & ~(ARGP_HELP_EXIT_OK | ARGP_HELP_EXIT_ERR), (char *)tool->about->name);
}

/* The options that ask for a task, or show it. */
static bool is_about_task(int key)
{
	return key == 'p' || key == 'f' || key == KEY_PRESERVE_STATUS || key == 't' || key == 'u' || key == 'n' ||
	       key == 'c' || key == 'U' ||
	       key == KEY_CONTAINER || key == KEY_WAIT;
}

__attribute__((noreturn))
static void refuse_about_task(const struct tool *tool, int key)
{
	if (key == KEY_CONTAINER || key == KEY_WAIT)
		usage_error("%s: %s", key == KEY_WAIT ? "--wait" : "--container", tool->about->no_task);
	usage_error("-%c: %s", key, tool->about->no_task);
}

static void parse_linear(const struct tool *tool, const char *text)
{
	if (hist_shape__parse_linear(tool->shape, text))
		usage_error("--linear \"%s\": not MIN,MAX,STEP, whole numbers of which STEP divides MAX - MIN into at most %d", text,
			    HIST_LINEAR_MAX);
}

/* -N and -m: before --linear, whose numbers are in that unit. */
static void set_unit(struct tool *tool, enum hist_unit unit)
{
	if (tool->shape->linear_count)
		usage_error("-N and -m: before --linear, which is in their unit");
	*tool->shape = hist_shape__of(unit);
	tool->options.unit_is_asked = true;
}

static uint64_t interval_default_ns;

/* Whether the tool has --count and --hist of its rows. */
static bool may_count;

/* Where a stack says nothing, the reason is in place of it. */
static void ask_for_stack(struct tool *tool, unsigned int kind)
{
	if (!(tool->about->stacks & ROW_STACK_KERNEL) && kind == ROW_STACK_KERNEL)
		usage_error("--stack: its events are calls that return, where the kernel's stack is always the same (--ustack shows who "
			    "called)");
	if (!(tool->about->stacks & ROW_STACK_USER) && kind == ROW_STACK_USER)
		usage_error("--ustack: its events come in any process that is interrupted, whose stack says nothing about them (--stack shows "
			    "the kernel's)");
	tool->options.stacks_asked |= kind;
}

/* Those that are about rows, and filters by what events have. */
static bool is_for_show(int key)
{
	static const int keys[] = {
		'p', 't', 'u', 'n', KEY_NAME, 'T', 'U', KEY_CGROUP_NAME, KEY_COUNT, KEY_HIST, 'r', KEY_ROWS, KEY_KEYS, 'N', 'm', KEY_LINEAR,
		'o', KEY_HOST, 'j', KEY_SCHEMA, KEY_MAX_EVENTS, KEY_STRICT, 'h', '?', KEY_USAGE, 'V',
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i] == key)
			return true;
	return false;
}

/* An option that does something while events happen. */
__attribute__((noreturn))
static void refuse_shown(int key, const struct argp_option *options)
{
	while (options->key != key && (options->name || options->key || options->doc))
		options++;
	if (key < 128)
		usage_error("-%c: for a run, not for what one has recorded", key);
	usage_error("--%s: for a run, not for what one has recorded", options->name);
}

static error_t parse_shared(int key, char *arg, struct argp_state *state)
{
	struct tool *tool = state->input;

	if (show__is_active() && key > 0 && key < KEYS_OF_ARGP && !is_for_show(key))
		refuse_shown(key, shared_options);
	if (key == KEY_NAME)
		key = 'n';
	if (tool->about->no_task && is_about_task(key) && key != KEY_PRESERVE_STATUS)
		refuse_about_task(tool, key);
	switch (key) {
	case 'p':
		task_filter__add_pids(&tool->options.filter, arg);
		return 0;
	case 'f':
		tool->options.filter.follows = 1;
		return 0;
	case KEY_PRESERVE_STATUS:
		tool->command.gives_status = true;
		return 0;
	case 't':
		task_filter__add_tids(&tool->options.filter, arg);
		return 0;
	case 'u':
		task_filter__set_user(&tool->options.filter, arg);
		return 0;
	case 'n':
		task_filter__set_comm(&tool->options.filter, arg);
		tool->options.comm_wanted = arg;
		return 0;
	case 'c':
		cgroup_option__set(&tool->options.cgroup.cgroup, tool->options.cgroup.container, arg);
		return 0;
	case KEY_CONTAINER:
		cgroup_option__set(&tool->options.cgroup.container, tool->options.cgroup.cgroup, arg);
		return 0;
	case KEY_WAIT:
		tool->options.cgroup.wait = true;
		return 0;
	case 'x':
		tool->options.filter.failed_only = 1;
		return 0;
	case 'T':
		tool->out.time = true;
		return 0;
	case 'U':
		tool->options.shows_uid = true;
		out__show(&tool->out, &tool_shown_with_uid);
		return 0;
	case KEY_CGROUP_NAME:
		tool->options.shows_cgroup = true;
		out__show(&tool->out, &tool_shown_with_cgroup);
		return 0;
	case KEY_STACK:
		ask_for_stack(tool, ROW_STACK_KERNEL);
		return 0;
	case KEY_USTACK:
		ask_for_stack(tool, ROW_STACK_USER);
		return 0;
	case 'o':
		tool->options.output = arg;
		return 0;
	case KEY_RECORD:
		tool->options.record = arg;
		return 0;
	case KEY_HOST:
		tool->out.host = show__is_active() ? show__host() : output_file__host();
		return 0;
	case 'j':
		tool->out.json = true;
		return 0;
	case KEY_SCHEMA:
		if (!json_schema__has(arg))
			usage_error("--schema \"%s\": not " JSON_SCHEMA_KINDS, arg);
		tool->options.schema = arg;
		/* a tool may have other columns there */
		tool->out.json = true;
		return 0;
	case 'v':
		tool->options.verbose++;
		return 0;
	case 'd':
		tool->options.duration_ns = parse_duration(tool, arg);
		return 0;
	case KEY_MAX_EVENTS:
		tool->options.events_max = argument__number("--max-events", arg, 1, UINT64_MAX - 1);
		return 0;
	case 'N':
		set_unit(tool, HIST_NSECS);
		return 0;
	case 'm':
		set_unit(tool, HIST_MSECS);
		return 0;
	case KEY_LINEAR:
		parse_linear(tool, arg);
		return 0;
	case KEY_COUNT:
		counting__add_names(tool, arg);
		return 0;
	case KEY_BY:
		task_keys__parse(tool, arg, state);
		return 0;
	case KEY_HIST:
		counting__set_hist(tool, arg);
		return 0;
	case KEY_SUM:
	case KEY_AVG:
		counting__add_numbers(tool, arg, key == KEY_AVG);
		return 0;
	case KEY_EVERY:
		interval_default_ns = argument__seconds("--every", arg);
		return 0;
	case KEY_METRICS:
		metrics__set_path(tool, arg);
		return 0;
	case 'q':
		tool->options.is_quiet = true;
		return 0;
	case KEY_SERIES:
		metrics__set_series(tool, (uint32_t)argument__number("--series", arg, 1, 100000));
		return 0;
	case KEY_RUN:
		metrics__set_run(tool, arg);
		return 0;
	case KEY_METRICS_REMOVE:
		metrics__remove(tool);
		return 0;
	case KEY_REFRESH:
		tool->options.refreshes = true;
		return 0;
	case KEY_SVG:
		heat_report__set(&tool->heat, arg);
		return 0;
	case 'r':
	case KEY_ROWS:
		tool->options.rows_asked = (uint32_t)argument__number("-r", arg, 1, UINT32_MAX);
		return 0;
	case KEY_KEYS:
		tool->options.keys_max = (uint32_t)argument__number("--keys", arg, 1, 1 << 20);
		return 0;
	case KEY_STRICT:
		tool->options.strict = true;
		return 0;
	case KEY_BUFFER:
		tool->options.ring_size = parse_buffer(tool, arg);
		return 0;
	case KEY_AS_KERNEL:
		if (!kernel__parse_version(arg))
			usage_error("--as-kernel \"%s\": not a version such as 6.1 or 6.1.115", arg);
		kernel__use_version(kernel__parse_version(arg));
		return 0;
	case KEY_ATTACH:
		if (attach_mode__parse(arg, &tool->attach->wanted))
			usage_error("--attach \"%s\": not one of " ATTACH_MODES, arg);
		return 0;
	case 'h':
	case '?':
		print_help(tool, state->root_argp, ARGP_HELP_STD_HELP);
		exit(preflight__text_written());
	case KEY_USAGE:
		print_help(tool, state->root_argp, ARGP_HELP_USAGE);
		exit(preflight__text_written());
	case 'V':
		printf("%s (probelight) %s\n", tool->about->name, PROBELIGHT_VERSION);
		exit(preflight__text_written());
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The tool's own options come first, and the lines that argp and getopt would print themselves are ours: one line. */
static error_t parse_root(int key, char *arg, struct argp_state *state)
{
	struct tool *tool = state->input;
	error_t err;

	key = renamed__key(tool->about->renamed, key, &arg);
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = tool;
		return 0;
	case ARGP_KEY_ARG:
		if (show__is_active())
			usage_error("\"%s\": no argument is expected after the file", arg);
		if (state->quoted && state->next > state->quoted) {
			tool_command__take(tool, state);
			return 0;
		}
		return arguments__add(tool, arg, state, may_count);
	case ARGP_KEY_END:
		err = arguments__take(tool, state, may_count);
		if (err)
			return err;
		tool_command__end(tool, state);
		return tool->about->parse ? tool->about->parse(key, arg, state) : ARGP_ERR_UNKNOWN;
	default:
		if (!tool->about->parse)
			return ARGP_ERR_UNKNOWN;
		if (key <= 0 || key >= KEYS_OF_ARGP)
			return tool->about->parse(key, arg, state);
		if (show__is_active() && !show__takes_own(tool, key))
			refuse_shown(key, tool->about->options);
		recording__keep_option(tool, key, arg);
		return tool->about->parse(key, arg, state);
	}
}

/* Whether its rows have the cgroup of their task. */
static bool has_cgroup_column(const struct tool *tool)
{
	for (const struct out_column *column = tool->columns; column && column->name; column++)
		if (column->shown == &tool_shown_with_cgroup)
			return true;
	return false;
}

/* Whether the tool has that one of the shared options. */
static bool has_option(const struct tool *tool, int key)
{
	switch (key) {
	case 'x':
		return tool->about->has_result;
	case 'U':
		return !tool->about->counts || tool->about->rows_too || tool->about->no_task;
	case KEY_MAX_EVENTS:
		return !tool->about->counts || tool->about->rows_too;
	case KEY_BUFFER:
		return !tool->about->counts || tool->about->rows_too || tool->about->sends_stacks;
	case KEY_CGROUP_NAME:
		return has_cgroup_column(tool);
	case KEY_STACK:
	case KEY_USTACK:
		return tool->about->stacks;
	case 'N':
	case 'm':
		return tool->shape && !tool->shape->plain;
	case KEY_LINEAR:
	case KEY_SVG:
		return tool->shape;
	case KEY_COUNT:
	case KEY_HIST:
	case KEY_SUM:
	case KEY_AVG:
		return may_count;
	case KEY_BY:
		return tool->about->by_task || tool->about->by;
	case KEY_METRICS:
	case KEY_METRICS_REMOVE:
	case KEY_RUN:
	case KEY_SERIES:
	case 'q':
		return metrics__are_of(tool);
	case KEY_SCHEMA:
		return tool->columns;
	case KEY_REFRESH:
	case KEY_EVERY:
		return tool->about->counts || may_count;
	case KEY_KEYS:
	case 'r':
		return tool->about->keys_max || may_count;
	case KEY_ATTACH:
		return tool->attach;
	case KEY_RECORD:
		return tool->about->record;
	default:
		return true;
	}
}

static bool has_own_option(const struct tool *tool, int key)
{
	for (const struct argp_option *option = tool->about->options; option && (option->name || option->key || option->doc); option++)
		if (option->key == key)
			return true;
	return false;
}

/* A heading stands where an option follows that the tool has. */
static const struct argp_option *shared_options_of(const struct tool *tool)
{
	const struct argp_option *heading = NULL;
	size_t count = 0;

	may_count = counting__is_for(tool);
	for (const struct argp_option *option = shared_options; option->name || option->key || option->doc; option++) {
		/* there all the same, so that it is refused with the reason */
		bool is_hidden = (tool->about->no_task && is_about_task(option->key)) || option->flags & OPTION_HIDDEN ||
				 (show__is_active() && !is_for_show(option->key));

		if (option->doc && !option->name) {
			heading = option;
		} else if (has_option(tool, option->key)) {
			if (heading && !option->group && !is_hidden) {
				options_of_tool[count++] = *heading;
				heading = NULL;
			}
			options_of_tool[count] = *option;
			if (option->key == KEY_BY)
				options_of_tool[count].doc = task_keys__doc(tool);
			/* a tool's own -r means something else */
			if (option->key == 'r' && has_own_option(tool, 'r'))
				options_of_tool[count].key = KEY_ROWS;
			options_of_tool[count++].flags |= is_hidden ? OPTION_HIDDEN : 0;
		}
	}
	options_of_tool[count] = (struct argp_option){ 0 };
	return options_of_tool;
}

/* bcc's hardirqs -d 1 10 prints ten histograms.  Nobody wants an interval that the run does not reach the end of. */
static void check_interval(const struct tool *tool)
{
	const char *instead = foreign_options__instead(tool->about->foreign_options, "-d");

	if (tool->heat.file.path && !tool->options.interval_ns)
		usage_error("--svg needs INTERVAL: time goes to the right in it, a column for each (%s --svg FILE 1)", tool->about->name);
	if (tool->options.duration_ns && tool->options.interval_ns > tool->options.duration_ns)
		usage_error("INTERVAL \"%g\": longer than the run, -d \"%g\"%s%s", (double)tool->options.interval_ns / 1e9,
			    (double)tool->options.duration_ns / 1e9, instead ? ": " : "", instead ? instead : "");
}

/* Before anything is asked of the kernel: anybody may ask for it. */
__attribute__((noreturn))
static void print_schema(const struct tool *tool)
{
	const char *more[] = { NULL, NULL, NULL };
	const struct json_schema schema = {
		.tool = tool->about->name, .columns = tool->columns, .more = more, .has_others = tool->counts,
	};
	size_t count = 0;

	if (tool->counting)
		usage_error("--schema: is of lines, which --count and --hist do not print");
	if (!tool->columns)
		usage_error("--schema: with these options it prints no lines");
	if (tool->options.stacks_asked & ROW_STACK_KERNEL)
		more[count++] = "stack";
	if (tool->options.stacks_asked & ROW_STACK_USER)
		more[count++] = "ustack";
	json_schema__print(stdout, tool->options.schema, &schema);
	exit(preflight__text_written());
}

/* The values that options, or the tool, may change. */
static void begin(struct tool *tool)
{
	tool->columns = tool->about->columns;
	tool->out.spare = tool->about->spare;
	tool->since = tool->about->since;
	tool->metric_names = tool->about->metrics;
	tool->ready = tool->about->ready;
	tool->counts = tool->about->counts;
	tool->options.keys_max = tool->about->keys_max;
	tool->options.rate_max = tool->about->rate_max;
	tool->cgroup_fd = -1;
}

void tool__parse(struct tool *tool, int argc, char **argv)
{
	struct tool_options *options = &tool->options;
	struct task_filter *filter = &options->filter;
	struct argp shared = { .parser = parse_shared };
	struct argp_child children[] = { { .argp = &shared }, { 0 } };
	struct argp root = { .options = tool->about->options, .parser = parse_root, .children = children };
	char hint[200], args[ARGUMENTS_DOC_SIZE];
	bool wants_all;

	say__name(tool->about->name);
	begin(tool);
	if (show__is_active())
		show__begin(tool);
	shared.options = shared_options_of(tool);
	arguments__describe(tool, may_count, args);
	root.args_doc = args;
	if (argp_parse(&root, argc, argv, ARGP_NO_HELP | ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_IN_ORDER, NULL, tool))
		refuse__option(tool->about->options, options_of_tool, tool->about->foreign_options, argc, argv);
	if (!options->interval_ns && !(options->duration_ns && options->duration_ns < interval_default_ns))
		options->interval_ns = interval_default_ns;
	check_interval(tool);
	options->rows_max = options->rows_asked ? options->rows_asked : ROWS_DEFAULT;
	tool->cgroup_fd = cgroup_option__resolve(&options->cgroup, filter, &tool->cgroup_follow);
	filter->cgroup_level = tool->cgroup_follow.level;
	tool_command__check(tool);
	if (tool->counting)
		counting__check(tool);
	else if (may_count)
		counting__check_rows(tool);
	task_keys__check(tool);
	metrics__check(tool);
	recording__check(tool);
	if (show__is_active())
		show__check(tool);
	if (options->schema)
		print_schema(tool);
	wants_all = tool->out.json || options->record || (tool->counting && tool->counting->rows_are_json);
	filter->wants_cgroup = (wants_all || options->shows_cgroup) && has_cgroup_column(tool);
	filter->wants_uid = wants_all || options->shows_uid;
	/* what follows is about processes of this machine */
	if (show__is_active())
		return;
	tool_command__make(tool);
	task_filter__complete(filter);
	/* the run ends with the command; and with -f another process with the number does not pass, but in a pid namespace */
	for (uint32_t i = 0; i < filter->pids_count; i++)
		if ((pid_t)filter->pids[i] != tool->command.pid && (!filter->follows || filter->pidns_ino))
			ended__watch(filter->pids[i], "-p");
	for (uint32_t i = 0; i < filter->tids_count; i++)
		ended__watch(filter->tids[i], "-t");
	if (options->comm_wanted && foreign_options__explain_name(options->comm_wanted, hint, sizeof(hint)))
		say("%s", hint);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* syscount: system calls, by call, process or error. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/print/count.h"
#include "lib/print/error.h"
#include "lib/print/others.h"
#include "lib/print/syscall_names.h"
#include "lib/probe/refusals.h"
#include "lib/run/foreign_options.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/ranking.h"
#include "lib/run/task_keys.h"
#include "syscount.h"
#include "syscount.skel.h"

#define ERROR_MAX 4095
#define UNKNOWN "(unknown)"

_Static_assert(SYSCOUNT_NUMBERS == SYSCALL_NUMBERS, "a class for each number");

enum { KEY_SYSCALL = 0x200, KEY_FAILURES, KEY_CALL };

static struct {
	bool by_call, by_error, with_times, by_class;
	int error;
	uint8_t classes[SYSCOUNT_CLASSES];
} opt;

static const struct argp_option options[] = {
	{ "process", 'P', NULL, 0, "by process, not by call", 0 },
	{ "errors", 'E', NULL, 0, "failed calls, each error in a separate row", 0 },
	{ "latency", 'L', NULL, 0, "the time that calls take, and how many are still under way", 0 },
	{ "errno", 'e', "ERROR", 0, "calls that fail with this error only, by name or number", 0 },
	{ "syscall", KEY_SYSCALL, "CALL", 0, "this call only (repeatable, or read,write)", 0 },
	{ "failures", KEY_FAILURES, NULL, OPTION_HIDDEN, NULL, 0 },	/* bcc's word */
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct by_word by[] = { { "call", KEY_CALL }, { "error", 'E' }, { NULL, 0 } };

static const struct foreign_option foreign_options[] = {
	{ "-i", "the interval is an argument: syscount 1" },
	{ "--interval", "the interval is an argument: syscount 1" },
	{ "--top", "-r N prints the first N" },
	{ "-l", "ausyscall --dump lists the names" },
	{ "--list", "ausyscall --dump lists the names" },
	{ "--ppid", "-p and -c select processes" },
	{ "--count", "-P is by process; anysnoop --count FIELD,... raw_syscalls:sys_enter counts by any fields" },
	{ "--hist", "-L has the time that calls take; funclatency has histograms" },
	{ NULL, NULL },
};

/* By name or number; 0 where there is none. */
static int parse_error(const char *text)
{
	char name[ERROR_NAME_MAX], *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*text >= '0' && *text <= '9' && !*end && number <= ERROR_MAX)
		return (int)number;
	for (int error = 1; error <= ERROR_MAX; error++)
		if (!strcmp(error__name(error, name), text))
			return error;
	return 0;
}

/* "read,write", in both ABIs. */
static void add_calls(char *text)
{
	char *next;

	for (; text; text = next) {
		int number, number32;

		next = strchr(text, ',');
		if (next)
			*next++ = 0;
		number = syscall_number(text, false);
		number32 = syscall_number(text, true);
		if (number < 0 && number32 < 0)
			usage_error("--syscall \"%s\": no system call has this name", text);
		if (number >= 0)
			opt.classes[number] = 1;
		if (number32 >= 0)
			opt.classes[SYSCOUNT_32BIT + number32] = 1;
	}
	opt.by_class = true;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tool *tool = state->input;

	switch (key) {
	case 'P':
		task_keys__set(TASK_KEY_PROCESS, "-P");
		return 0;
	case KEY_CALL:
		opt.by_call = true;
		return 0;
	case 'E':
		opt.by_error = true;
		tool->options.filter.failed_only = 1;
		return 0;
	case 'L':
		opt.with_times = true;
		return 0;
	case 'e':
		opt.error = parse_error(arg);
		if (!opt.error)
			usage_error("-e \"%s\": no such error (a name such as ENOENT, or a number)", arg);
		return 0;
	case KEY_FAILURES:
		tool->options.filter.failed_only = 1;
		return 0;
	case KEY_SYSCALL:
		add_calls(arg);
		return 0;
	case ARGP_KEY_END:
		if (tool->shape->linear_count)
			usage_error("--linear: there are no histograms here");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool by_call = true, shows_in_flight;

/* Text has those that the options ask for, JSON has all. */
static const struct out_column columns[] = {
	TASK_KEY_COLUMNS,
	{ "SYSCALL", -24, &by_call, "call" },
	{ "BITS", 4, &tool_not_shown, NULL },
	{ "ERRNO", 5, &tool_not_shown, NULL },
	{ "ERR", -15, &opt.by_error, "error" },
	{ "COUNT", 10, NULL, NULL },
	{ interval_total_name, 14, &opt.with_times, "total_ns" },
	{ "AVG", 12, &opt.with_times, "avg_ns" },
	{ "INFLIGHT", 8, &shows_in_flight, "in_flight" },
	TASK_KEY_CGROUP_COLUMNS,
	{ NULL, 0, NULL, NULL },
};

/* The name of a call.  Text has a mark for 32-bit calls, for which JSON has a key. */
static void put_call(struct tool *tool, unsigned int class)
{
	bool compat = class >= SYSCOUNT_32BIT;
	unsigned int number = compat ? class - SYSCOUNT_32BIT : class;
	const char *name = syscall_name(number, compat);
	char text[64];

	if (class == SYSCOUNT_UNKNOWN)
		snprintf(text, sizeof(text), UNKNOWN);
	else if (name)
		snprintf(text, sizeof(text), "%s%s", name, compat && !tool->out.json ? "/32" : "");
	else
		snprintf(text, sizeof(text), "%u%s", number, compat && !tool->out.json ? "/32" : "");
	out__string(&tool->out, text, sizeof(text));
	if (class == SYSCOUNT_UNKNOWN)
		out__none(&tool->out);
	else
		out__int(&tool->out, compat ? 32 : 64);
}

static void put_none(struct tool *tool, size_t count)
{
	while (count--)
		out__none(&tool->out);
}

/* key: NULL for the others. */
static void put_key(struct tool *tool, const struct syscount_key *key)
{
	struct out *out = &tool->out;

	task_keys__columns(out, key ? &key->task : NULL);
	if (by_call && key) {
		put_call(tool, key->class);
	} else if (by_call) {
		out__string(out, OTHERS, sizeof(OTHERS));
		out__none(out);
	} else {
		put_none(tool, 2);
	}
	if (opt.by_error && key)
		error__columns(out, key->error);
	else
		put_none(tool, 2);
}

static void print_row(struct tool *tool, const struct interval *interval, const void *of, const void *value)
{
	const struct syscount_counts *counts = value;
	const struct syscount_key *key = of;
	uint64_t timed = count__minus(counts->count, counts->untimed);

	if (!counts->count && !counts->in_flight)
		return;
	out__row(&tool->out, interval->end_ns);
	put_key(tool, key);
	out__int(&tool->out, (int64_t)counts->count);
	if (opt.with_times) {
		interval__time(tool, counts->ns);
		interval__time(tool, timed ? counts->ns / timed : 0);
	} else {
		put_none(tool, 2);
	}
	if (shows_in_flight)
		out__int(&tool->out, (int64_t)counts->in_flight);
	else
		out__none(&tool->out);
	task_keys__cgroup_columns(&tool->out, key ? &key->task : NULL);
	out__end(&tool->out);
}

/* Of each class until now. */
static uint64_t in_flight[SYSCOUNT_CLASSES];

static void add_interval(const struct tool *tool, const struct interval *interval)
{
	const struct syscount_counts *classes = interval->cells;

	(void)tool;
	for (unsigned int class = 0; class < SYSCOUNT_OTHERS; class++)
		in_flight[class] += classes[class].in_flight;
}

/* The classes that are not empty, as a table. */
static struct table table_of_classes(const struct syscount_counts *classes)
{
	static struct syscount_key keys[SYSCOUNT_CLASSES];
	static struct syscount_counts values[SYSCOUNT_CLASSES];
	struct table table = { .key_size = sizeof(*keys), .value_size = sizeof(*values), .keys = (char *)keys,
			       .values = (char *)values };

	for (unsigned int class = 0; class < SYSCOUNT_OTHERS; class++) {
		if (!classes[class].count && !in_flight[class])
			continue;
		keys[table.count].class = (uint16_t)class;
		values[table.count] = classes[class];
		values[table.count++].in_flight = in_flight[class];
	}
	return table;
}

static uint64_t weigh(const void *value)
{
	const struct syscount_counts *counts = value;

	return opt.with_times ? counts->ns : counts->count;
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct syscount_counts *classes = interval->cells;
	bool by_key = task_keys__kind() || opt.by_error;
	struct table table = by_key ? *interval->table : table_of_classes(classes);
	struct syscount_counts others = { .count = classes[SYSCOUNT_OTHERS].count, .ns = classes[SYSCOUNT_OTHERS].ns,
					  .untimed = classes[SYSCOUNT_OTHERS].untimed };
	const struct ranked_rows rows = { sizeof(others) / sizeof(uint64_t), weigh, print_row };
	struct syscount_counts all = { 0 };

	ranking__print(tool, interval, &table, &rows, &others, &all);
	return all.count;
}

/* The classes of a call in both ABIs; one that is not there stays 0xffff, which no call has. */
static void set_classes(uint32_t *classes, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int number = syscall_number(names[i], false), number32 = syscall_number(names[i], true);

		classes[2 * i] = number < 0 ? UINT16_MAX : (uint32_t)number;
		classes[2 * i + 1] = number32 < 0 ? UINT16_MAX : (uint32_t)(SYSCOUNT_32BIT + number32);
	}
}

/* The programs for this kernel and for what is asked. */
static void choose_programs(struct syscount_bpf *skel)
{
	bool on_events = kernel__preempts_programs(), timed = opt.with_times;

	bpf_program__set_autoload(skel->progs.sys_exit, !on_events && !timed);
	bpf_program__set_autoload(skel->progs.sys_enter, !on_events && timed);
	bpf_program__set_autoload(skel->progs.sys_exit_timed, !on_events && timed);
	bpf_program__set_autoload(skel->progs.process_exit, !on_events && timed);
	bpf_program__set_autoload(skel->progs.sys_exit_event, on_events && !timed);
	bpf_program__set_autoload(skel->progs.sys_enter_event, on_events && timed);
	bpf_program__set_autoload(skel->progs.sys_exit_timed_event, on_events && timed);
	bpf_program__set_autoload(skel->progs.process_exit_event, on_events && timed);
	bpf_program__set_autoload(skel->progs.refused, timed && refusals__exist());
	refusals__choose_suppressed(skel->skeleton, true);
	bpf_map__set_autocreate(skel->maps.under_way, timed);
	if (!task_keys__kind() && !opt.by_error)
		table__leave_out(skel->obj);
}

static void set_rodata(struct syscount_bpf *skel)
{
	static const char *const forks[] = { "clone", "fork", "vfork", "clone3" };
	static const char *const exits[] = { "exit", "exit_group" };

	set_classes((uint32_t *)skel->rodata->fork_classes, forks, SYSCOUNT_FORKS / 2);
	set_classes((uint32_t *)skel->rodata->exit_classes, exits, SYSCOUNT_EXITS / 2);
	memcpy((void *)skel->rodata->wanted_classes, opt.classes, sizeof(opt.classes));
	skel->rodata->by_class = opt.by_class;
	skel->rodata->task_key_kind = task_keys__kind();
	skel->rodata->by_call = by_call;
	skel->rodata->by_error = opt.by_error;
	skel->rodata->wanted_error = (uint32_t)opt.error;
	skel->rodata->have_task_pt_regs = kernel__has_task_pt_regs();
	skel->rodata->refused_by = refusals__guess();
}

static struct syscount_bpf *skel;
static struct attach attach;	/* -L has a probe; how it is attached is no option */

static void attach_probes(struct tool *tool)
{
	if (opt.with_times && !refusals__attach(&attach, skel->progs.refused, &skel->links.refused))
		tool__needs_no_link(tool, skel->progs.refused);
}

/* bcc's syscount -T 5 prints the first five; here it means something as well. */
static void explain_top(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "-T") && strspn(argv[i + 1], "0123456789") == strlen(argv[i + 1]))
			say("-T is the time of day, and %s the INTERVAL; -r %s prints the first %s", argv[i + 1], argv[i + 1], argv[i + 1]);
}

static const struct metric metrics[] = {
	{ "syscalls_total", "System calls that returned.", METRIC_COUNT, "count", TASK_KEY_LABELS ",call=syscall,error=result" },
	{ "syscall_seconds_total", "Time that system calls took.", METRIC_TIME, "total_ns", TASK_KEY_LABELS ",call=syscall,error=result" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "syscount",
	.summary = "Counts system calls, by call, process or error.",
	.examples = "  sudo syscount               until Ctrl-C\n"
		    "  sudo syscount -T 1 10       each second, ten times\n"
		    "  sudo syscount -P -x 1       which processes' calls fail\n"
		    "  sudo syscount -E -n nginx   which of nginx' calls fail, and why\n"
		    "  sudo syscount -L -p 4711 5  what process 4711 spends its time in\n",
	.options = options,
	.parse = parse,
	.foreign_options = foreign_options,
	.columns = columns,
	.has_result = true,
	.counts = true,
	.by_task = true,
	.by = by,
	.keys_max = SYSCOUNT_KEYS,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(HIST_USECS);
	struct tool tool = { .about = &about, .attach_probes = attach_probes, .shape = &shape, .add_interval = add_interval };

	tool__parse(&tool, argc, argv);
	tool.attach = &attach;
	explain_top(argc, argv);
	by_call = opt.by_call || !task_keys__kind();
	shows_in_flight = opt.with_times && !task_keys__kind() && !opt.by_error;
	skel = syscount_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		choose_programs(skel);
		set_rodata(skel);
	}
	tool__run_intervals(&tool, skel, print_interval);
	syscount_bpf__destroy(skel);
	return tool__finish(&tool);
}

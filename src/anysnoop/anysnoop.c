/* SPDX-License-Identifier: BSD-2-Clause */
/* anysnoop: any tracepoint, kernel function or system call, with its fields or arguments, and a filter in the kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "anysnoop.h"
#include "anysnoop.skel.h"
#include "call_events.h"
#include "counted.h"
#include "event_list.h"
#include "lib/format/format.h"
#include "lib/gen/condition.h"
#include "lib/gen/plan.h"
#include "lib/gen/request.h"
#include "lib/gen/patch.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/tracefs.h"
#include "lib/layout/layout.h"
#include "lib/print/say.h"
#include "lib/probe/attach.h"
#include "lib/probe/attempt.h"
#include "lib/probe/links.h"
#include "lib/probe/missed.h"
#include "lib/probe/tracepoint.h"
#include "lib/run/gone_modules.h"
#include "lib/stacks/row_stacks.h"
#include "symbols.h"
#include "via.h"

static struct {
	struct requests requests;
	const char *list;
} opt;

static struct sources sources;
static struct plan events[ANYSNOOP_EVENTS_MAX];
static size_t events_count;
static bool is_optional[ANYSNOOP_EVENTS_MAX];	/* the event is one of a pattern's: it may refuse */
static bool is_refused[ANYSNOOP_EVENTS_MAX];	/* it has done so */
static struct attach attach;	/* of calls */
static char *row;		/* room for the values of any event */
static struct out_column *made_columns;
static struct counted counted;
static void print_row(struct tool *tool, const struct plan *event, const struct event_task *task, uint32_t cpu, const void *copy);
static struct via via = { .plans = events, .is_optional = is_optional, .print = print_row };

enum { KEY_COUNT = 0x200, KEY_HIST, KEY_VIA };

static const struct argp_option options[] = {
	{ "count", KEY_COUNT, "FIELD,...", 0, "no lines: how many events have which values (\"event\": how many of each event)", 0 },
	{ "hist", KEY_HIST, "FIELD", 0, "no lines: a histogram of this field's values", 0 },
	{ "via", KEY_VIA, "CONSUMER", 0, "how events are received: bpf (default), ftrace or perf", 0 },
	{ "list", 'l', "PATTERN", 0, "list the events that match, with their fields, and exit", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

/* In JSON, and in text of several events; one event alone has its fields in columns (make_columns()). */
static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "CPU", 3, NULL, NULL },
	{ "EVENT", -24, NULL, NULL },
	{ "FIELDS", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static bool wants(enum request_source source)
{
	for (size_t i = 0; i < opt.requests.count; i++)
		if (opt.requests.list[i].source == source)
			return true;
	return false;
}

static void check_options(struct tool *tool)
{
	struct fault fault;

	if (requests__end(&opt.requests, &fault))
		usage_error("%s", fault.text);
	counted__check(&counted, tool, &opt.requests);
	tool->counts = counted.wants.is_wanted;
	via__check(&via, tool);
	if (!opt.requests.count) {
		requests__take(&opt.requests, "sched:sched_process_exec", &fault);
		requests__take(&opt.requests, "sched:sched_process_exit", &fault);
	}
	/* a return there tells no place on the stack (lib/bpf/frames.bpf.h) */
	if (wants(REQUEST_CALL_RETURN) && attach.wanted == ATTACH_MULTI)
		usage_error("--attach multi: not for returns of functions (link, perf and legacy are)");
	if (wants(REQUEST_CALL) || wants(REQUEST_CALL_RETURN))
		return;
	if (attach.wanted != ATTACH_AUTO)
		usage_error("--attach: for calls of functions (k:NAME, kr:NAME)");
	/* without probes there is nothing to prepare and to clean up */
	tool->attach = NULL;
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
	case KEY_VIA:
		via.consumer = via__parse(arg);
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

/* ---- the events */

/* Of a function, "MODULE:FUNC" or "FUNC". */
static void watch_module(const char *function)
{
	const char *colon = strchr(function, ':');
	char module[KSYMS_MODULE_MAX];

	if (!colon || (size_t)(colon - function) >= sizeof(module))
		return;
	snprintf(module, sizeof(module), "%.*s", (int)(colon - function), function);
	gone_modules__watch(module);
}

static int add_event(struct tool *tool, const struct request *request, const char *system, const char *name)
{
	struct fault fault;
	int err;

	if (events_count == ANYSNOOP_EVENTS_MAX)
		return tool__fail(tool, -E2BIG, "more than %d events match (name fewer)", ANYSNOOP_EVENTS_MAX);
	err = plan__make(&events[events_count], &sources, &opt.requests, request, system, name, &counted.wants, &fault);
	if (err)
		return tool__fail(tool, err, "%s", fault.text);
	if (events[events_count].differs)
		say("%s: 32-bit calls are not shown: their arguments are others", events[events_count].name);
	if (request__is_function(request->source))
		watch_module(name);
	is_optional[events_count++] = request__has_pattern(request);
	return 0;
}

/*
 * Whether programs cannot have an event: of one that was made at run time they get the registers of the probe instead of the record, or
 * are never run (synthetic events, on the kernels that let a program be attached to them).
 */
static bool takes_no_program(const struct request *request, const char *system, const char *name, struct fault *fault)
{
	char event[2 * FORMAT_NAME_MAX + 2];

	if (via.consumer != VIA_BPF || request->source != REQUEST_TRACEPOINT)
		return false;
	snprintf(event, sizeof(event), "%s/%s", system, name);
	if (!strcmp(system, "ftrace"))
		fault__set(fault, -EOPNOTSUPP, "%s:%s: a record of the kernel's tracers, and no tracepoint", system, name);
	else if (tracefs__is_made(event))
		fault__set(fault, -EOPNOTSUPP,
			   "%s:%s: made at run time (a probe or a synthetic event), and programs do not get its fields (take --via ftrace)",
			   system, name);
	else
		return false;
	return true;
}

/* Whether an event of a pattern cannot be shown: the others of the pattern can. */
static bool is_odd(const struct request *request, const char *system, const char *name, struct fault *fault)
{
	struct format *format;

	if (source__refuses(request->source, name, fault) || takes_no_program(request, system, name, fault))
		return true;
	if (request->source != REQUEST_TRACEPOINT)
		return false;
	if (sources__format(&sources, request->source, system, name, NULL, 0, &format, fault))
		return true;
	format__free(format);
	return false;
}

/* What add_matching() adds to. */
struct matching {
	struct tool *tool;
	const struct request *request;
};

static int add_match(void *context, const char *system, const char *name)
{
	const struct matching *matching = context;
	struct fault fault;

	if (!is_odd(matching->request, system, name, &fault))
		return add_event(matching->tool, matching->request, system, name);
	say("%s: skipped", fault.text);
	return 0;
}

static int add_matching(struct tool *tool, const struct request *request)
{
	struct matching matching = { .tool = tool, .request = request };
	struct fault fault;
	bool any;
	int err = (request__is_function(request->source) ? call_events__match : sources__match)
		(&sources, request, add_match, &matching, &any, &fault);

	if (tool->err)
		return tool->err;
	if (err)
		return tool__fail(tool, err, "%s", fault.text);
	if (!any)
		return tool__fail(tool, -ENOENT, "no event matches \"%s:%s\" (anysnoop -l '*' lists all)", request->system, request->name);
	return 0;
}

/* The ring holds the largest record, and row the longest row. */
static int make_room(struct tool *tool)
{
	size_t longest = 0, record_max = 0;

	for (size_t i = 0; i < events_count; i++) {
		size_t room = plan__room(&events[i]), size = events[i].record.size;

		longest = room > longest ? room : longest;
		record_max = size > record_max ? size : record_max;
	}
	while (tool->options.ring_size && tool->options.ring_size < record_max + sizeof(struct anysnoop_event) + 8)
		tool->options.ring_size *= 2;
	row = malloc(longest);
	return row ? 0 : tool__fail(tool, -ENOMEM, "no memory");
}

/* Whether an event that is named cannot, or must not be traced. */
static bool refuses(const struct request *request, struct fault *fault)
{
	if (request__is_function(request->source))
		return call_events__refuses(request, fault);
	return source__refuses(request->source, request->name, fault) ||
	       takes_no_program(request, request->system, request->name, fault);
}

static int find_events(struct tool *tool)
{
	bool without_callers = tool->options.stacks_asked & ROW_STACK_KERNEL && kernel__version() < kernel_version(5, 15, 0);

	for (size_t i = 0; i < opt.requests.count; i++)
		if (!request__has_pattern(&opt.requests.list[i]))
			sources__expect(&sources, opt.requests.list[i].source, opt.requests.list[i].name);
	for (size_t i = 0; i < opt.requests.count && !tool->err; i++) {
		const struct request *request = &opt.requests.list[i];
		struct fault fault;

		if (request__has_pattern(request))
			add_matching(tool, request);
		else if (refuses(request, &fault))
			tool__fail(tool, -EDEADLK, "%s", fault.text);
		else
			add_event(tool, request, request->system, request->name);
	}
	sources__free(&sources);
	for (size_t i = 0; i < events_count && without_callers; i++)
		if (events[i].source == REQUEST_CALL_RETURN)
			return tool__fail(tool, -EOPNOTSUPP, "%s and --stack: before Linux 5.15 the kernel finds no callers from a return probe",
					  events[i].name);
	if (!tool->err && !events_count)
		tool__fail(tool, -ENOENT, "no event is left (anysnoop -l '*' lists all)");
	return tool->err ? tool->err : make_room(tool);
}

/* ---- the programs */

/*
 * What a program does. A system call that returns takes two: SEES_RETURN of its event, and KEEPS_SYSCALL; so does a function's call,
 * SEES_CALL_RETURN and KEEPS_CALL.
 */
enum program_kind { SEES_EVENT, SEES_SYSCALL, SEES_RETURN, KEEPS_SYSCALL, SEES_CALL_RETURN, KEEPS_CALL, PROGRAM_KINDS };

/* Which programs of the skeleton were compiled for that: to count, and to send rows. */
static const int compiled[PROGRAM_KINDS][2] = {
	[SEES_EVENT] = { 1, 0 }, [SEES_SYSCALL] = { 3, 2 }, [SEES_RETURN] = { 5, 4 }, [KEEPS_SYSCALL] = { 6, 6 },
					[SEES_CALL_RETURN] = { 7, 8 }, [KEEPS_CALL] = { 9, 9 } };
#define COMPILED 10
#define PROGRAMS (COMPILED + 2 * (ANYSNOOP_EVENTS_MAX - 1))

/* What the skeleton's programs are made to be. */
static struct {
	const struct plan *event;	/* NULL: it is not needed */
	enum program_kind kind;
} programs[PROGRAMS];

/* Those that were compiled, linked with their maps. */
static struct {
	struct bpf_insn *insns;
	size_t count;
} frames[PROGRAM_KINDS];

static bool keeps(enum program_kind kind)
{
	return kind == KEEPS_SYSCALL || kind == KEEPS_CALL;
}

/* Gives an event a program: there are two for each. */
static void add_program(const struct plan *event, enum program_kind kind)
{
	int at = compiled[kind][counted.wants.is_wanted];

	for (int next = COMPILED; programs[at].event; next++)
		at = next;
	programs[at].event = event;
	programs[at].kind = kind;
}

static void add_programs(void)
{
	static const enum program_kind kinds[REQUEST_SOURCES] = {
		[REQUEST_TRACEPOINT] = SEES_EVENT, [REQUEST_RAWTP] = SEES_EVENT, [REQUEST_CALL] = SEES_EVENT,
		[REQUEST_CALL_RETURN] = SEES_CALL_RETURN, [REQUEST_SYSCALL] = SEES_SYSCALL, [REQUEST_SYSCALL_RETURN] = SEES_RETURN,
	};

	for (size_t i = 0; i < events_count; i++)
		add_program(&events[i], kinds[events[i].source]);
	/* behind these: a call whose return nobody would see is not kept */
	for (size_t i = 0; i < events_count; i++)
		if (events[i].source == REQUEST_SYSCALL_RETURN)
			add_program(&events[i], KEEPS_SYSCALL);
		else if (events[i].source == REQUEST_CALL_RETURN)
			add_program(&events[i], KEEPS_CALL);
}

#define PATCHES_MAX 10

/* Whether its program may take events without a look at whose they are: only the tool's own are none. */
static bool takes_any_task(const struct plan *event, const struct tool *tool)
{
	return !tool->options.filter.active && !tool->options.filter.pidns_ino && !condition__uses_id(&event->matches);
}

/* The generated parts of a program. How many there are. */
static size_t find_patches(const struct tool *tool, const struct plan *event, enum program_kind kind, struct patch *patches)
{
	const struct emit *is_call = kind == SEES_RETURN ? &event->is_return : &event->is_begin;
	int record_size = (int)(sizeof(struct event_task) + event->record.size);
	int is_signed = counted.hist && event->key.parts[0].operand.number.is_signed;
	bool counts = counted.wants.is_wanted;
	size_t count = 0;

	if (kind == SEES_SYSCALL || kind == SEES_RETURN || kind == KEEPS_SYSCALL) {
		patches[count++] = (struct patch){ .kind = PATCH_CODE, .mark = ANYSNOOP_IS_CALL, .insns = is_call->insns,
						    .count = is_call->count };
		patches[count++] = (struct patch){ .kind = PATCH_VALUE, .mark = ANYSNOOP_VALUES,
						    .number = (int32_t)(kind == SEES_RETURN ? event->end_ret : event->begin_args) };
	}
	if (kind == SEES_SYSCALL || kind == KEEPS_SYSCALL) {
		patches[count++] = (struct patch){ .kind = PATCH_VALUE, .mark = ANYSNOOP_LOW, .number = (int32_t)event->compat_args.low };
		patches[count++] = (struct patch){ .kind = PATCH_VALUE, .mark = ANYSNOOP_HIGH,
						    .number = (int32_t)event->compat_args.high };
	}
	patches[count++] = (struct patch){ .kind = PATCH_VALUE, .mark = ANYSNOOP_INDEX, .number = (int32_t)(event - events) };
	if (keeps(kind))
		return count;
	patches[count++] = (struct patch){ .kind = PATCH_CHOICE, .mark = ANYSNOOP_ANY_TASK, .number = takes_any_task(event, tool) };
	patches[count++] = (struct patch){ .kind = PATCH_VALUE, .mark = ANYSNOOP_SELF, .number = (int32_t)tool->options.filter.self };
	patches[count++] = (struct patch){ .kind = PATCH_CODE, .mark = ANYSNOOP_MATCHES, .insns = event->matches.insns,
					    .count = event->matches.count };
	patches[count++] = (struct patch){ .kind = PATCH_FUNCTION, .mark = ANYSNOOP_COPY, .insns = event->copy.insns,
					    .count = event->copy.count };
	patches[count++] = (struct patch){ .kind = PATCH_VALUE, .mark = counts ? ANYSNOOP_SIGNED : ANYSNOOP_SIZE,
					    .number = counts ? is_signed : record_size };
	return count;
}

/* System calls are seen at tracepoints' events. */
static void set_type(enum request_source source, struct bpf_program *program, struct bpf_prog_load_opts *opts)
{
	static const enum bpf_prog_type types[REQUEST_SOURCES] = {
		[REQUEST_TRACEPOINT] = BPF_PROG_TYPE_TRACEPOINT, [REQUEST_RAWTP] = BPF_PROG_TYPE_RAW_TRACEPOINT,
		[REQUEST_CALL] = BPF_PROG_TYPE_KPROBE, [REQUEST_CALL_RETURN] = BPF_PROG_TYPE_KPROBE,
		[REQUEST_SYSCALL] = BPF_PROG_TYPE_TRACEPOINT,
		[REQUEST_SYSCALL_RETURN] = BPF_PROG_TYPE_TRACEPOINT,
	};

	if (types[source] != BPF_PROG_TYPE_TRACEPOINT)
		bpf_program__set_type(program, types[source]);
	if (request__is_function(source) && attach.wanted == ATTACH_MULTI) {
		bpf_program__set_expected_attach_type(program, BPF_TRACE_KPROBE_MULTI);
		opts->expected_attach_type = BPF_TRACE_KPROBE_MULTI;
	}
}

static int number_of(const struct bpf_object_skeleton *skeleton, const struct bpf_program *program)
{
	int number = 0;

	while (*links__entry(skeleton, number)->prog != program)
		number++;
	return number;
}

/* Makes the program of an event, when libbpf is about to load it: its maps are linked then. */
static int prepare_load(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	const struct tool *tool = (const struct tool *)cookie;
	struct patch patches[PATCHES_MAX];
	struct bpf_insn *insns;
	int err, at = number_of(tool->skeleton, program);
	enum program_kind kind;
	size_t count;

	kind = programs[at].kind;
	set_type(programs[at].event->source, program, opts);
	/* the first one is the one that was compiled */
	if (!frames[kind].insns) {
		frames[kind].count = bpf_program__insn_cnt(program);
		frames[kind].insns = malloc(frames[kind].count * sizeof(*insns));
		if (!frames[kind].insns)
			return -ENOMEM;
		memcpy(frames[kind].insns, bpf_program__insns(program), frames[kind].count * sizeof(*insns));
	}
	count = find_patches(tool, programs[at].event, kind, patches);
	err = patch__make(frames[kind].insns, frames[kind].count, patches, count, &insns, &count);
	if (err)
		return err;
	err = bpf_program__set_insns(program, insns, count);
	free(insns);
	/* these were about the instructions as compiled */
	opts->func_info_cnt = 0;
	opts->line_info_cnt = 0;
	opts->prog_btf_fd = 0;
	return err;
}

static int register_programs(struct tool *tool)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)tool, .prog_prepare_load_fn = prepare_load);
	int err = libbpf_register_prog_handler("event", BPF_PROG_TYPE_TRACEPOINT, 0, &opts);

	add_programs();
	return err < 0 ? tool__fail(tool, err, "libbpf does not take the programs: %s", strerror(-err)) : 0;
}

static struct bpf_link *attach_program(const struct plan *event, enum program_kind kind, struct bpf_program *program)
{
	char path[sizeof(event->name)];

	if (event->source == REQUEST_RAWTP)
		return bpf_program__attach_raw_tracepoint(program, event->format->name);
	if (kind == SEES_EVENT)
		snprintf(path, sizeof(path), "%s/%s", event->format->system, event->format->name);
	else
		snprintf(path, sizeof(path), "raw_syscalls/%s", kind == SEES_RETURN ? "sys_exit" : "sys_enter");
	return tracepoint__attach(program, path);
}

/*
 * Whether there is a probe; one that a pattern's function refuses is reported.  What fails otherwise is in attach.err.  Return probes are
 * of mode legacy where nobody asks for another one, as that one can ask for slots (lib/traced/traced.h).
 */
static bool attach_call(const struct plan *event, enum program_kind kind, const struct bpf_prog_skeleton *entry)
{
	const char *const functions[] = { event->format->name, NULL };
	bool is_return = kind == SEES_CALL_RETURN;
	enum attach_mode wanted = attach.wanted;
	struct fault fault;
	int err;

	/* of the two of a return, the first one tells */
	if (is_refused[event - events])
		return false;
	attach.at_return = is_return;
	if (is_return && wanted == ATTACH_AUTO && !attempt__lacks_kprobe_events())
		attach.wanted = ATTACH_LEGACY;
	if (is_optional[event - events])
		err = attach__optional(&attach, *entry->prog, entry->link, functions, &fault);
	else
		err = attach__kprobe(&attach, *entry->prog, entry->link, functions);
	attach.wanted = wanted;
	if (err && !attach.err)
		say("%s: skipped: %s", event->name, fault.text);
	is_refused[event - events] = err;
	return !err;
}

/* 0 or tool->err, also with attach.err. *attached: how many programs are. */
static int attach_event(struct tool *tool, int program, size_t *attached)
{
	const struct bpf_prog_skeleton *entry = links__entry(tool->skeleton, program);
	const struct plan *event = programs[program].event;

	if (request__is_function(event->source)) {
		if (attach_call(event, programs[program].kind, entry))
			++*attached;
		else
			tool__needs_no_link(tool, *entry->prog);
		return attach.err;
	}
	*entry->link = attach_program(event, programs[program].kind, *entry->prog);
	if (!*entry->link && is_optional[event - events]) {
		say("%s: skipped: cannot be attached to: %s", event->name, strerror(errno));
		tool__needs_no_link(tool, *entry->prog);
		return 0;
	}
	if (!*entry->link)
		return tool__fail_to_attach(tool, -errno, event->name);
	tool__note_attached(tool, *entry->prog, event->name);
	tool__debug(tool, "%s: %zu + %zu instructions made for it", event->name, event->matches.count, event->copy.count);
	++*attached;
	return 0;
}

static const struct bpf_object_skeleton *skeleton_of_tool;

/* For what is missed: whether the program's event is a call that it sees return. */
static bool sees_return(const struct bpf_program *program)
{
	enum program_kind kind = programs[number_of(skeleton_of_tool, program)].kind;

	return kind == SEES_RETURN || kind == SEES_CALL_RETURN;
}

static int attach_events(struct tool *tool)
{
	size_t attached = 0;

	skeleton_of_tool = tool->skeleton;
	/* before that kernels may take the first of several functions without a word */
	attach.check_names = kernel__version() < kernel_version(6, 1, 0);
	/* calls are kept when their returns are seen */
	for (int after = 0; after < 2; after++)
		for (int i = 0; i < PROGRAMS; i++)
			if (programs[i].event && keeps(programs[i].kind) == after && attach_event(tool, i, &attached))
				return tool->err;
	missed__set_returns(sees_return);
	return attached ? 0 : tool__fail(tool, -ENOENT, "none of these events can be attached to");
}

static void free_events(void)
{
	for (size_t i = 0; i < events_count; i++)
		plan__free(&events[i]);
	requests__free(&opt.requests);
	free(row);
	for (int i = 0; i < PROGRAM_KINDS; i++)
		free(frames[i].insns);
}

/* Which programs are loaded, and which maps are made. */
static void prepare(struct tool *tool, struct anysnoop_bpf *skel)
{
	bool keeps_any = false;
	int err = 0;

	for (int i = 0; i < PROGRAMS; i++) {
		bpf_program__set_autoload(*links__entry(tool->skeleton, i)->prog, programs[i].event);
		keeps_any |= programs[i].event && keeps(programs[i].kind);
	}
	bpf_map__set_autocreate(skel->maps.calls, keeps_any);
	if (!tool->options.stacks_asked)
		layout__leave_out(tool->layout, "send_with_stack");
	if (counted.wants.is_wanted) {
		bpf_map__set_autocreate(skel->maps.events, false);
		skel->rodata->counted_with_hist = counted.hist;
		for (size_t i = 0; i < events_count; i++)
			skel->rodata->counted_nests |= events[i].source == REQUEST_RAWTP;
		skel->rodata->counted_classes = counted.hist ? (uint32_t)events_count : 1;
		err = counted__prepare(&counted, skel->obj);
	} else {
		counted__leave_out(skel->obj);
	}
	if (err)
		tool__fail_maps(tool, err);
}

/* ---- rows */

static void print_row(struct tool *tool, const struct plan *event, const struct event_task *task, uint32_t cpu, const void *copy)
{
	tool__row(tool, task);
	out__int(&tool->out, cpu);
	if (tool->columns == columns) {
		out__string(&tool->out, event->name, sizeof(event->name));
		out__made(&tool->out, row, (size_t)(plan__put_all(event, row, copy, tool->out.json) - row));
		return;
	}
	for (size_t i = 0; i < plan__values(event); i++)
		out__made(&tool->out, row, (size_t)(plan__put(event, i, row, copy, false, false) - row));
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct anysnoop_event *any = data;

	(void)size;
	print_row(tool, &events[any->index], &any->task, any->cpu, &any->index);
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	return counted__print(&counted, tool, interval);
}

/* One event alone is a table, its fields are the columns. */
static int make_columns(struct tool *tool)
{
	static const struct out_column first[] = { TOOL_TASK_COLUMNS, { "CPU", 3, NULL, NULL } };
	const size_t first_count = sizeof(first) / sizeof(*first);
	const struct plan *event = &events[0];
	struct fault fault;
	int err;

	counted.plans = events;
	counted.plans_count = events_count;
	counted.row = row;
	if (counted.wants.is_wanted) {
		err = counted__make_columns(&counted, tool, &fault);
		return err ? tool__fail(tool, err, "%s", fault.text) : 0;
	}
	if (events_count != 1 || tool->out.json)
		return 0;
	made_columns = calloc(first_count + plan__values(event) + 1, sizeof(*made_columns));
	if (!made_columns)
		return tool__fail(tool, -ENOMEM, "no memory");
	memcpy(made_columns, first, sizeof(first));
	for (size_t i = 0; i < plan__values(event); i++)
		made_columns[first_count + i] = (struct out_column){ .name = plan__shown(event, i)->key,
								     .width = plan__width(plan__shown(event, i)) };
	tool->columns = made_columns;
	return 0;
}

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
		    "  sudo anysnoop 'sysr:unlinkat(pathname,ret)'   a system call that returns\n"
		    "  sudo anysnoop -l 'irq:*'                      what there is, with fields\n",
	.options = options,
	.parse = parse,
	.argument = "[EVENT[(FIELD,...)] [if FILTER]]...",
	.columns = columns,
	ROW_STACKS(ROW_STACK_KERNEL | ROW_STACK_USER),
	.ready = "Counting events. Ctrl-C ends it.",
	.counts = true,
	.rows_too = true,
	.keys_max = COUNTED_KEYS,
};

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(HIST_PLAIN);
	struct tool tool = { .about = &about, .attach = &attach, .attach_own = attach_events, .shape = &shape };
	struct anysnoop_bpf *skel = NULL;

	tool__parse(&tool, argc, argv);
	if (opt.list)
		return event_list__print(&tool, opt.list);
	if (tool__open_opts(&tool) && !find_events(&tool) && !make_columns(&tool) && via.consumer == VIA_BPF && !register_programs(&tool)) {
		skel = anysnoop_bpf__open_opts(&tool.open_opts);
		if (tool__opened(&tool, skel))
			prepare(&tool, skel);
	}
	via.plans_count = events_count;
	if (!tool.err)
		symbols__open(events, events_count);
	if (via.consumer != VIA_BPF)
		via__run(&via, &tool);
	else if (!tool.err && counted.wants.is_wanted)
		tool__run_intervals(&tool, skel, print_interval);
	else if (!tool.err)
		tool__run(&tool, skel, print_event);
	anysnoop_bpf__destroy(skel);
	free(made_columns);
	counted__free(&counted);
	symbols__close();
	free_events();
	return tool__finish(&tool);
}

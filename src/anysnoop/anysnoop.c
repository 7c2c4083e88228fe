/* SPDX-License-Identifier: BSD-2-Clause */
/* anysnoop: any tracepoint, with its fields or arguments, and a filter in the kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "anysnoop.h"
#include "anysnoop.skel.h"
#include "lib/gen/plan.h"
#include "lib/gen/request.h"
#include "lib/gen/splice.h"
#include "lib/print/say.h"
#include "lib/probe/links.h"
#include "lib/probe/tracepoint.h"
#include "lib/run/counted.h"
#include "lib/run/event_list.h"
#include "lib/run/via.h"

static struct {
	struct requests requests;
	const char *list;
} opt;

static struct sources sources;
static struct plan events[ANYSNOOP_EVENTS_MAX];
static size_t events_count;
static char *row;		/* room for the values of any event */
static struct bpf_insn *frame;	/* the program as compiled, and linked with its maps */
static size_t frame_count;
static struct out_column *made_columns;
static struct counted counted;
static void print_row(struct tool *tool, const struct plan *event, const struct event_task *task, uint32_t cpu, const void *copy);
static struct via via = { .plans = events, .print = print_row };

enum { KEY_COUNT = 0x200, KEY_HIST, KEY_VIA };

static const struct argp_option options[] = {
	{ "count", KEY_COUNT, "FIELD,...", 0, "no lines: how many events have which values (\"event\": how many of each event)", 0 },
	{ "hist", KEY_HIST, "FIELD", 0, "no lines: a histogram of this field's values", 0 },
	{ "via", KEY_VIA, "CONSUMER", 0, "who takes the events from the kernel: bpf (default), ftrace or perf", 0 },
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

static void check_options(struct tool *tool)
{
	char why[512];

	if (requests__end(&opt.requests, why, sizeof(why)))
		usage_error("%s", why);
	counted__check(&counted, tool, &opt.requests, COUNTED_KEYS);
	tool->counts = counted.wants.is_wanted;
	via__check(&via, tool);
	if (!opt.requests.count) {
		requests__take(&opt.requests, "sched:sched_process_exec", why, sizeof(why));
		requests__take(&opt.requests, "sched:sched_process_exit", why, sizeof(why));
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	char why[512];

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
		if (requests__take(&opt.requests, arg, why, sizeof(why)))
			usage_error("%s", why);
		return 0;
	case ARGP_KEY_END:
		check_options(state->input);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the events */

static int add_event(struct tool *tool, const struct request *request, const char *system, const char *name)
{
	char why[512];
	int err;

	if (events_count == ANYSNOOP_EVENTS_MAX)
		return tool__fail(tool, -E2BIG, "more than %d events match (name fewer)", ANYSNOOP_EVENTS_MAX);
	err = plan__make(&events[events_count], &sources, &opt.requests, request, system, name, &counted.wants, why, sizeof(why));
	if (err)
		return tool__fail(tool, err, "%s", why);
	events_count++;
	return 0;
}

/* What add_matching() adds to. */
struct matching {
	struct tool *tool;
	const struct request *request;
};

static int add_match(void *context, const char *system, const char *name)
{
	const struct matching *matching = context;
	char why[512];

	if (!source__refuses(matching->request->source, name, why, sizeof(why)))
		return add_event(matching->tool, matching->request, system, name);
	say("%s: skipped", why);
	return 0;
}

static int add_matching(struct tool *tool, const struct request *request)
{
	struct matching matching = { .tool = tool, .request = request };
	char why[512];
	bool any;
	int err = sources__match(&sources, request, add_match, &matching, &any, why, sizeof(why));

	if (tool->err)
		return tool->err;
	if (err)
		return tool__fail(tool, err, "%s", why);
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
	while (tool->ring_size && tool->ring_size < record_max + sizeof(struct anysnoop_event) + 8)
		tool->ring_size *= 2;
	row = malloc(longest);
	return row ? 0 : tool__fail(tool, -ENOMEM, "no memory");
}

static int find_events(struct tool *tool)
{
	for (size_t i = 0; i < opt.requests.count && !tool->err; i++) {
		const struct request *request = &opt.requests.list[i];
		char why[512];

		if (request__has_pattern(request))
			add_matching(tool, request);
		else if (source__refuses(request->source, request->name, why, sizeof(why)))
			tool__fail(tool, -EDEADLK, "%s", why);
		else
			add_event(tool, request, request->system, request->name);
	}
	sources__free(&sources);
	return tool->err ? tool->err : make_room(tool);
}

static void free_events(void)
{
	for (size_t i = 0; i < events_count; i++)
		plan__free(&events[i]);
	requests__free(&opt.requests);
	free(row);
	free(frame);
}

/* ---- the programs */

/* Makes the program of an event, when libbpf is about to load it: its maps are linked then. */
static int prepare_load(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	/* "event7"; "count0" is the first event's */
	const struct plan *event = &events[atoi(bpf_program__name(program) + strlen("event"))];
	int record_size = (int)(sizeof(struct event_task) + event->record.size);
	int is_signed = counted.hist && event->key.parts[0].operand.number.is_signed;
	bool counts = counted.wants.is_wanted;
	const struct splice splices[] = {
		{ .kind = SPLICE_CODE, .mark = ANYSNOOP_MATCHES, .insns = event->matches.insns, .count = event->matches.count },
		{ .kind = SPLICE_FUNCTION, .mark = ANYSNOOP_COPY, .insns = event->copy.insns, .count = event->copy.count },
		{ .kind = SPLICE_VALUE, .mark = ANYSNOOP_INDEX, .number = (int32_t)(event - events) },
		{ .kind = SPLICE_VALUE, .mark = counts ? ANYSNOOP_SIGNED : ANYSNOOP_SIZE, .number = counts ? is_signed : record_size },
	};
	struct bpf_insn *insns;
	size_t count;
	int err;

	(void)cookie;
	if (event->source == REQUEST_RAWTP)
		bpf_program__set_type(program, BPF_PROG_TYPE_RAW_TRACEPOINT);
	/* the first one is the one that was compiled */
	if (!frame) {
		frame_count = bpf_program__insn_cnt(program);
		frame = malloc(frame_count * sizeof(*frame));
		if (!frame)
			return -ENOMEM;
		memcpy(frame, bpf_program__insns(program), frame_count * sizeof(*frame));
	}
	err = splice__make(frame, frame_count, splices, sizeof(splices) / sizeof(*splices), &insns, &count);
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
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = prepare_load);
	int err = libbpf_register_prog_handler("event", BPF_PROG_TYPE_TRACEPOINT, 0, &opts);

	return err < 0 ? tool__fail(tool, err, "libbpf does not take the programs: %s", strerror(-err)) : 0;
}

/* The program of an event: event0, event1, ..., which stand behind count0; or that one instead of the first. */
static const struct bpf_prog_skeleton *program_of(const struct tool *tool, size_t event)
{
	return links__entry(tool->skeleton, event || !counted.wants.is_wanted ? (int)event + 1 : 0);
}

static struct bpf_link *attach_event(const struct plan *event, struct bpf_program *program)
{
	char path[sizeof(event->name)];

	if (event->source == REQUEST_RAWTP)
		return bpf_program__attach_raw_tracepoint(program, event->format->name);
	snprintf(path, sizeof(path), "%s/%s", event->format->system, event->format->name);
	return tracepoint__attach(program, path);
}

static int attach_events(struct tool *tool)
{
	for (size_t i = 0; i < events_count; i++) {
		const struct bpf_prog_skeleton *entry = program_of(tool, i);

		*entry->link = attach_event(&events[i], *entry->prog);
		if (!*entry->link)
			return tool__fail_to_attach(tool, -errno, events[i].name);
		tool__debug(tool, "attached %s, %zu + %zu instructions made for it", events[i].name, events[i].matches.count,
			    events[i].copy.count);
	}
	return 0;
}

/* Which programs are loaded, and which maps are made. */
static void prepare(struct tool *tool, struct anysnoop_bpf *skel)
{
	int err = 0;

	for (int i = 0; i < tool->skeleton->prog_cnt; i++)
		bpf_program__set_autoload(*links__entry(tool->skeleton, i)->prog, false);
	for (size_t i = 0; i < events_count; i++)
		bpf_program__set_autoload(*program_of(tool, i)->prog, true);
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
		tool__fail(tool, err, "the maps cannot be prepared: %s", strerror(-err));
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
	char why[512];
	int err;

	counted.plans = events;
	counted.plans_count = events_count;
	counted.row = row;
	if (counted.wants.is_wanted) {
		err = counted__make_columns(&counted, tool, why, sizeof(why));
		return err ? tool__fail(tool, err, "%s", why) : 0;
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

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(HIST_PLAIN);
	struct tool tool = {
		.name = "anysnoop",
		.summary = "Shows any tracepoint of the kernel with its fields or arguments; filters in the kernel.",
		.examples = "  sudo anysnoop sched:sched_switch              every field of one event\n"
			    "  sudo anysnoop 'block:*' -d 10                 all events of a system\n"
			    "  sudo anysnoop 'sched:sched_process_exec(filename)' if 'uid == 0'\n"
			    "  sudo anysnoop sched:sched_switch if 'next_comm ~ \"ssh*\" && cpu == 1'\n"
			    "  sudo anysnoop sched:sched_switch --count next_comm 1    counts, each second\n"
			    "  sudo anysnoop 'rawtp:sched_switch(prev->pid, next->comm)'\n"
			    "  sudo anysnoop -l 'irq:*'                      what there is, with fields\n",
		.options = options,
		.parse = parse,
		.argument = "[EVENT[(FIELD,...)] [if FILTER]]...",
		.columns = columns,
		.attach_own = attach_events,
		.ready = "Counting events. Ctrl-C ends it.",
		.counts = true,
		.rows_too = true,
		.shape = &shape,
		.keys_max = COUNTED_KEYS,
	};
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
	if (via.consumer != VIA_BPF)
		via__run(&via, &tool);
	else if (!tool.err && counted.wants.is_wanted)
		tool__run_intervals(&tool, skel, print_interval);
	else if (!tool.err)
		tool__run(&tool, skel, print_event);
	anysnoop_bpf__destroy(skel);
	free(made_columns);
	counted__free(&counted);
	free_events();
	return tool__finish(&tool);
}

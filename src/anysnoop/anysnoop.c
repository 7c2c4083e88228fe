/* SPDX-License-Identifier: BSD-2-Clause */
/* anysnoop: any tracepoint, with its fields, and a filter in the kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "anysnoop.h"
#include "anysnoop.skel.h"
#include "lib/gen/condition.h"
#include "lib/gen/record.h"
#include "lib/gen/request.h"
#include "lib/gen/splice.h"
#include "lib/kernel/tracefs.h"
#include "lib/layout/events.h"
#include "lib/layout/shown.h"
#include "lib/print/text.h"
#include "lib/probe/links.h"
#include "lib/probe/tracepoint.h"
#include "lib/run/preflight.h"
#include "lib/run/tool.h"

/* An event that is traced. */
struct event {
	struct format *format;
	char name[2 * FORMAT_NAME_MAX + 2];	/* "sched:sched_switch" */
	struct record record;
	struct shown *shown;			/* of each of the record's fields */
	struct emit matches, copy;		/* the instructions that are made for it */
};

static struct {
	struct requests requests;
	const char *list;
} opt;

static struct event events[ANYSNOOP_EVENTS_MAX];
static size_t events_count;
static char *row;		/* room for the largest event's fields */
static struct bpf_insn *frame;	/* the program as compiled, and linked with its maps */
static size_t frame_count;

static const struct argp_option options[] = {
	{ "list", 'l', "PATTERN", 0, "list the events that match, with their fields, and exit", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

/* Also those of JSON; in text one event alone has its fields in columns (make_columns()). */
static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "CPU", 3, NULL, NULL },
	{ "EVENT", -24, NULL, NULL },
	{ "FIELDS", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	char why[512];

	switch (key) {
	case 'l':
		opt.list = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (requests__take(&opt.requests, arg, why, sizeof(why)))
			usage_error("%s", why);
		return 0;
	case ARGP_KEY_END:
		if (requests__end(&opt.requests, why, sizeof(why)))
			usage_error("%s", why);
		if (!opt.requests.count) {
			requests__take(&opt.requests, "sched:sched_process_exec", why, sizeof(why));
			requests__take(&opt.requests, "sched:sched_process_exit", why, sizeof(why));
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the events */

static int fail_to_list(struct tool *tool, int err)
{
	if (err == -ENOENT || err == -EACCES)
		return tool__fail(tool, err, "%s", tracefs__why(err));
	return tool__fail(tool, err, "the events cannot be listed: %s", strerror(-err));
}

static int make_condition(struct event *event, const struct request *request, char *why, size_t size)
{
	const struct expr *filter = request->filter ? request->filter : opt.requests.filter;
	struct expr_error error;
	int err;

	if (!filter)
		return condition__emit_true(&event->matches);
	/* that of all events, and the event's own */
	if (request->filter && opt.requests.filter) {
		struct expr both = { .kind = EXPR_AND, .column = 1, .left = opt.requests.filter, .right = request->filter };

		err = condition__emit(&event->matches, &both, event->format, &error);
	} else {
		err = condition__emit(&event->matches, filter, event->format, &error);
	}
	if (err)
		request__explain(request->filter ? request->filter_text : opt.requests.filter_text, &error, why, size);
	return err;
}

static int make_shown(struct event *event)
{
	const struct record *record = &event->record;

	event->shown = calloc(record->count + 1, sizeof(*event->shown));
	if (!event->shown)
		return -ENOMEM;
	for (size_t i = 0; i < record->count; i++)
		if (shown__make(&event->shown[i], event->format, record->fields[i].field, record->fields[i].number.size,
				record->fields[i].number.is_signed))
			return -ENOMEM;
	return 0;
}

static int add_event(struct tool *tool, const struct request *request, const char *system, const char *name)
{
	struct event *event = &events[events_count];
	char why[512] = "no memory";
	int err;

	if (events_count == ANYSNOOP_EVENTS_MAX)
		return tool__fail(tool, -E2BIG, "more than %d events match (name fewer)", ANYSNOOP_EVENTS_MAX);
	err = events__format(system, name, &event->format, why, sizeof(why));
	if (err)
		return tool__fail(tool, err, "%s", why);
	events_count++;
	snprintf(event->name, sizeof(event->name), "%s:%s", system, name);
	err = record__plan(&event->record, event->format, (const char *const *)request->fields, request->fields_count, why, sizeof(why));
	if (!err)
		err = make_condition(event, request, why, sizeof(why));
	if (!err)
		err = record__emit(&event->copy, &event->record);
	if (!err)
		err = make_shown(event);
	return err ? tool__fail(tool, err, "%s", why) : 0;
}

static int add_matching(struct tool *tool, const struct request *request)
{
	struct events all;
	bool any = false;
	int err = events__list(&all);

	if (err)
		return fail_to_list(tool, err);
	for (size_t i = 0; i < all.count && !tool->err; i++) {
		char *slash = strchr(all.names[i], '/');

		*slash = 0;
		if (request__matches(request, all.names[i], slash + 1)) {
			any = true;
			add_event(tool, request, all.names[i], slash + 1);
		}
		*slash = '/';
	}
	events__free(&all);
	if (!any && !tool->err)
		tool__fail(tool, -ENOENT, "no event matches \"%s:%s\" (anysnoop -l '*' lists all)", request->system, request->name);
	return tool->err;
}

/* The ring holds the largest record, and row the longest row. */
static int make_room(struct tool *tool)
{
	size_t longest = 0, record_max = 0;

	for (size_t i = 0; i < events_count; i++) {
		const struct record *record = &events[i].record;
		size_t length = 16;

		for (size_t f = 0; f < record->count; f++)
			length += shown__room(&events[i].shown[f], record->fields[f].field->size + RECORD_DYNAMIC_MAX);
		if (length > longest)
			longest = length;
		if (record->size > record_max)
			record_max = record->size;
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

		if (request__has_pattern(request))
			add_matching(tool, request);
		else
			add_event(tool, request, request->system, request->name);
	}
	return tool->err ? tool->err : make_room(tool);
}

static void free_events(void)
{
	for (size_t i = 0; i < events_count; i++) {
		for (size_t f = 0; events[i].shown && f < events[i].record.count; f++)
			shown__free(&events[i].shown[f]);
		free(events[i].shown);
		record__free(&events[i].record);
		emit__free(&events[i].matches);
		emit__free(&events[i].copy);
		format__free(events[i].format);
	}
	requests__free(&opt.requests);
	free(row);
	free(frame);
}

/* ---- -l */

static void list_fields(const struct format *format)
{
	for (unsigned i = format->common_count; i < format->fields_count; i++) {
		const char *decl = format->fields[i].decl;
		char *escaped = malloc(TEXT_ESCAPED_MAX(strlen(decl)) + 1);
		size_t characters;

		if (!escaped)
			continue;
		*text__escape(escaped, decl, strlen(decl), &characters) = 0;
		printf("    %s\n", escaped);
		free(escaped);
	}
}

static int list_events(struct tool *tool)
{
	struct requests wanted = {};
	struct events all;
	char why[512];
	int err = requests__take(&wanted, opt.list, why, sizeof(why));

	if (err || wanted.count != 1 || wanted.list[0].fields_count) {
		requests__free(&wanted);
		usage_error("-l \"%s\": no pattern of events, such as 'sched:*'", opt.list);
	}
	err = events__list(&all);
	if (err)
		fail_to_list(tool, err);
	for (size_t i = 0; !err && i < all.count; i++) {
		char *slash = strchr(all.names[i], '/');
		struct format *format;

		*slash = 0;
		if (!request__matches(&wanted.list[0], all.names[i], slash + 1))
			continue;
		printf("%s:%s\n", all.names[i], slash + 1);
		/* one that a module takes away meanwhile has no fields */
		if (!events__format(all.names[i], slash + 1, &format, why, sizeof(why))) {
			list_fields(format);
			format__free(format);
		}
		wanted.expects_filter = true;	/* there was one */
	}
	if (!err && !wanted.expects_filter)
		tool__fail(tool, -ENOENT, "no event matches \"%s\"", opt.list);
	events__free(&all);
	requests__free(&wanted);
	return tool->err ? TOOL_EXIT_FAILED : preflight__text_written();
}

/* ---- the programs */

/* Makes the program of an event, when libbpf is about to load it: its maps are linked then. */
static int prepare_load(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	const struct event *event = &events[atoi(bpf_program__name(program) + strlen("event"))];
	const struct splice splices[] = {
		{ .kind = SPLICE_CODE, .mark = ANYSNOOP_MATCHES, .insns = event->matches.insns, .count = event->matches.count },
		{ .kind = SPLICE_FUNCTION, .mark = ANYSNOOP_COPY, .insns = event->copy.insns, .count = event->copy.count },
		{ .kind = SPLICE_VALUE, .mark = ANYSNOOP_SIZE, .number = (int32_t)(sizeof(struct event_task) + event->record.size) },
		{ .kind = SPLICE_VALUE, .mark = ANYSNOOP_INDEX, .number = (int32_t)(event - events) },
	};
	struct bpf_insn *insns;
	size_t count;
	int err;

	(void)cookie;
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

static int attach_events(struct tool *tool)
{
	char event[sizeof(events[0].name)];

	for (size_t i = 0; i < events_count; i++) {
		const struct bpf_prog_skeleton *entry = links__entry(tool->skeleton, (int)i);

		snprintf(event, sizeof(event), "%s/%s", events[i].format->system, events[i].format->name);
		*entry->link = tracepoint__attach(*entry->prog, event);
		if (!*entry->link)
			return tool__fail_to_attach(tool, -errno, events[i].name);
		tool__debug(tool, "attached %s, %zu + %zu instructions made for it", events[i].name, events[i].matches.count,
			    events[i].copy.count);
	}
	return 0;
}

/* ---- rows */

static char *put_field(const struct event *event, size_t index, char *to, const void *copy, bool json, bool in_line)
{
	const struct record_field *field = &event->record.fields[index];
	struct record_value value = record__value(&event->record, field, copy);

	if (json)
		return shown__json(&event->shown[index], to, value.bytes, value.size, value.more);
	return shown__text(&event->shown[index], to, value.bytes, value.size, value.more, in_line);
}

/* name=value …, or a JSON object. */
static char *put_fields(const struct event *event, char *to, const void *copy, bool json)
{
	if (json)
		*to++ = '{';
	for (size_t i = 0; i < event->record.count; i++) {
		if (i)
			*to++ = json ? ',' : ' ';
		if (!json) {
			to = stpcpy(to, event->shown[i].key);
			*to++ = '=';
		}
		to = put_field(event, i, to, copy, json, true);
	}
	if (json)
		*to++ = '}';
	return to;
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct anysnoop_event *any = data;
	const struct event *event = &events[any->index];
	const void *copy = &any->index;

	tool__row(tool, &any->task);
	out__int(&tool->out, any->cpu);
	if (tool->columns == columns) {
		out__string(&tool->out, event->name, sizeof(event->name));
		out__made(&tool->out, row, (size_t)(put_fields(event, row, copy, tool->out.json) - row));
		return;
	}
	for (size_t i = 0; i < event->record.count; i++)
		out__made(&tool->out, row, (size_t)(put_field(event, i, row, copy, false, false) - row));
}

static int width_of(const struct shown *shown)
{
	int name = (int)strlen(shown->key), width;

	switch (shown->kind) {
	case SHOWN_NUMBER:
		width = shown->size == 8 ? 12 : shown->size == 4 ? 7 : 5;
		return width > name ? width : name;
	case SHOWN_HEX:
	case SHOWN_POINTER:
		width = 2 + 2 * (int)shown->size;
		break;
	case SHOWN_DEVICE:
		width = 7;
		break;
	default:
		width = 16;
	}
	return width > name ? -width : -name;
}

/* One event alone is a table, its fields are the columns. */
static int make_columns(struct tool *tool)
{
	static const struct out_column first[] = { TOOL_TASK_COLUMNS, { "CPU", 3, NULL, NULL } };
	const size_t first_count = sizeof(first) / sizeof(*first);
	const struct event *event = &events[0];
	struct out_column *list;

	if (events_count != 1 || tool->out.json)
		return 0;
	list = calloc(first_count + event->record.count + 1, sizeof(*list));
	if (!list)
		return tool__fail(tool, -ENOMEM, "no memory");
	memcpy(list, first, sizeof(first));
	for (size_t i = 0; i < event->record.count; i++)
		list[first_count + i] = (struct out_column){ .name = event->shown[i].key, .width = width_of(&event->shown[i]) };
	tool->columns = list;
	return 0;
}

int main(int argc, char **argv)
{
	struct tool tool = {
		.name = "anysnoop",
		.summary = "Shows any tracepoint of the kernel with its fields; filters in the kernel.",
		.examples = "  sudo anysnoop sched:sched_switch              every field of one event\n"
			    "  sudo anysnoop 'block:*' -d 10                 all events of a system\n"
			    "  sudo anysnoop 'sched:sched_process_exec(filename)' if 'uid == 0'\n"
			    "  sudo anysnoop sched:sched_switch if 'next_comm ~ \"ssh*\" && cpu == 1'\n"
			    "  sudo anysnoop -l 'irq:*'                      what there is, with fields\n",
		.options = options,
		.parse = parse,
		.argument = "[EVENT[(FIELD,...)] [if FILTER]]...",
		.columns = columns,
		.attach_own = attach_events,
	};
	struct anysnoop_bpf *skel = NULL;

	tool__parse(&tool, argc, argv);
	if (opt.list)
		return list_events(&tool);
	if (tool__open_opts(&tool) && !find_events(&tool) && !make_columns(&tool) && !register_programs(&tool)) {
		skel = anysnoop_bpf__open_opts(&tool.open_opts);
		if (tool__opened(&tool, skel))
			for (int i = (int)events_count; i < tool.skeleton->prog_cnt; i++)
				bpf_program__set_autoload(*links__entry(tool.skeleton, i)->prog, false);
	}
	if (!tool.err)
		tool__run(&tool, skel, print_event);
	anysnoop_bpf__destroy(skel);
	if (tool.columns != columns)
		free((void *)tool.columns);
	free_events();
	return tool__finish(&tool);
}

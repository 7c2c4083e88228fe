/* SPDX-License-Identifier: BSD-2-Clause */
#include "from.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/gen/record.h"
#include "lib/kernel/tracefs.h"
#include "lib/loop/loop.h"
#include "lib/print/say.h"
#include "lib/run/kernel_stream.h"
#include "lib/run/output_file.h"
#include "lib/run/preflight.h"
#include "symbols.h"

/* Neither a file nor an instance: from__open() says so. */
static bool is_nothing(const struct from *from)
{
	char relative[160], path[512];

	if (from->is_file || !strcmp(from->name, "/"))
		return false;
	snprintf(relative, sizeof(relative), "instances/%.140s", from->name);
	return !tracefs__path(path, sizeof(path), relative) && access(path, F_OK) && errno == ENOENT;
}

void from__check(struct from *from, const struct tool *tool, bool is_live)
{
	struct stat stat_of;

	if (!from->name && from->consumes)
		usage_error("--consume: for --from INSTANCE");
	if (!from->name)
		return;
	if (!*from->name)
		usage_error("--from \"\": an instance or a file is named");
	from->is_file = strcmp(from->name, "/") && (strchr(from->name, '/') || !stat(from->name, &stat_of));
	if (is_live)
		usage_error("--from: reads a recording, and --via, --before and --until record");
	if (tool->counts || tool->options.stacks_asked)
		usage_error("--from: prints the rows of a recording (--count, --hist, --stack and --ustack are for live events)");
	if (tool->options.filter.by_uid || tool->options.filter.by_cgroup)
		usage_error("--from: records do not have the user and the cgroup of a task (-u and -c are for live events)");
	for (size_t i = 0; i < from->requests->count; i++)
		if (from->requests->list[i].source != REQUEST_TRACEPOINT)
			usage_error("--from: a recording has events (SYSTEM:NAME), and %s:%s is none", from->requests->list[i].system,
				    from->requests->list[i].name);
	if (!from->is_file && !from->consumes && !is_nothing(from))
		usage_error("--from %s: reading takes the events out of that buffer, as trace_pipe does: --consume says that this is meant "
			    "(its file trace shows them and leaves them there)", from->name);
	if (from->is_file && from->consumes)
		usage_error("--consume: %s is a file, and stays as it is", from->name);
}

/* ---- which event a record is of */

static const struct request all_of = { .source = REQUEST_TRACEPOINT };

static int make_filter(struct from_event *event, struct fault *fault)
{
	struct expr_error error;
	int err = evaluate__make(&event->filter, event->plan.filter, event->plan.format, &error);

	if (err)
		plan__explain(&event->plan, &error, fault);
	return err;
}

/* The field that format__open_tail() has made; the kernel's own __data_loc fields say so. */
static const struct format_field *find_tail(const struct format *format)
{
	const struct format_field *last = format->fields_count ? &format->fields[format->fields_count - 1] : NULL;

	return last && last->loc == FORMAT_DATA_LOC && strncmp(last->decl, "__data_loc", 10) ? last : NULL;
}

/* 0, or -errno with one line in fault. */
static int add_plan(struct from *from, const struct request *request, const char *system, const char *name, const struct plan **plan,
		    struct fault *fault)
{
	static const struct plan_counts no_counts;
	struct plan **more = realloc(from->plans, (from->plans_count + 1) * sizeof(*more)), *made;
	struct from_event *event = calloc(1, sizeof(*event));
	int err = -ENOMEM;

	if (more)
		from->plans = more;
	from->sources.opens_tails = true;
	if (more && event)
		err = plan__make(&event->plan, &from->sources, from->requests, request, system, name, &no_counts, fault);
	else
		fault__set(fault, err, "no memory");
	if (!err) {
		err = make_filter(event, fault);
		if (err)
			plan__free(&event->plan);
	}
	if (err) {
		free(event);
		return err;
	}
	made = &event->plan;
	event->tail = find_tail(made->format);
	if (event->tail && !from->opened) {
		from->opened = malloc(RECORD_MAX + sizeof(uint32_t));
		if (!from->opened)
			return fault__set(fault, -ENOMEM, "no memory");
	}
	from->plans[from->plans_count++] = made;
	*plan = made;
	if (from->room_size < made->record.size) {
		free(from->room);
		from->room_size = made->record.size;
		from->room = malloc(from->room_size);
	}
	if (!from->room || from->make_room(plan__room(made)))
		return fault__set(fault, -ENOMEM, "no memory");
	if (made->format->id < FROM_TYPES)
		from->by_type[made->format->id] = made;
	return 0;
}

static int add_id(struct from *from, const char *system, const char *name, unsigned int id)
{
	struct from_id *more = realloc(from->ids, (from->ids_count + 1) * sizeof(*more));
	char *both = NULL;

	if (more)
		from->ids = more;
	if (!more || asprintf(&both, "%s/%s", system, name) < 0)
		return -ENOMEM;
	more[from->ids_count++] = (struct from_id){ .name = both, .id = id };
	return 0;
}

/* The numbers of a system's events.  0 or -errno. */
static int add_ids_of(struct from *from, const char *system)
{
	char relative[600], path[700], *text;
	struct dirent *entry;
	size_t size;
	DIR *directory;
	int err;

	snprintf(relative, sizeof(relative), "events/%s", system);
	err = tracefs__path(path, sizeof(path), relative);
	directory = err ? NULL : opendir(path);
	while (directory && !err && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.' || !format__is_name(entry->d_name))
			continue;
		snprintf(relative, sizeof(relative), "events/%.250s/%.250s/id", system, entry->d_name);
		if (tracefs__read(relative, 64, &text, &size))
			continue;
		err = add_id(from, system, entry->d_name, (unsigned int)strtoul(text, NULL, 10));
		free(text);
	}
	if (directory)
		closedir(directory);
	return err;
}

/* The numbers of all events of the recording.  0 or -errno. */
static int read_ids(struct from *from)
{
	char path[512];
	struct dirent *entry;
	DIR *directory;
	int err = 0;

	for (size_t i = 0; from->is_file && i < from->dat.events_count && !err; i++) {
		const char *slash = strchr(from->dat.events[i].name, '/');
		char system[FORMAT_NAME_MAX + 1];

		snprintf(system, sizeof(system), "%.*s", (int)(slash - from->dat.events[i].name), from->dat.events[i].name);
		err = add_id(from, system, slash + 1, from->dat.events[i].id);
	}
	if (from->is_file)
		return err;
	err = tracefs__path(path, sizeof(path), "events");
	directory = err ? NULL : opendir(path);
	while (directory && !err && (entry = readdir(directory)))
		if (format__is_name(entry->d_name) && entry->d_name[0] != '.')
			err = add_ids_of(from, entry->d_name);
	if (directory)
		closedir(directory);
	return err;
}

/* The request that an event is asked for by; NULL: none. */
static const struct request *request_of(const struct from *from, const char *system, const char *name)
{
	for (size_t i = 0; i < from->requests->count; i++)
		if (request__matches(&from->requests->list[i], system, name))
			return &from->requests->list[i];
	return from->requests->count ? NULL : &all_of;
}

/* The plan for records of a type that was not seen before, which may be &none.  *err: -ENOMEM, or 0. */
static const struct plan *find_plan(struct from *from, uint16_t type, int *err)
{
	const struct plan *plan = &from->none;
	const struct request *request;
	char system[FORMAT_NAME_MAX + 1];
	struct fault fault;

	*err = from->ids ? 0 : read_ids(from);
	for (size_t i = 0; i < from->ids_count && !*err && plan == &from->none; i++) {
		const char *slash = strchr(from->ids[i].name, '/');

		if (from->ids[i].id != type)
			continue;
		snprintf(system, sizeof(system), "%.*s", (int)(slash - from->ids[i].name), from->ids[i].name);
		request = request_of(from, system, slash + 1);
		if (!request)
			break;
		*err = add_plan(from, request, system, slash + 1, &plan, &fault);
		if (!*err && !from->is_file)
			symbols__show(from->plans[from->plans_count - 1]);
		if (*err && *err != -ENOMEM) {
			say("%s: skipped", fault.text);
			*err = 0;
			break;
		}
	}
	from->by_type[type] = plan;
	return plan;
}

const struct plan *from__only_plan(const struct from *from)
{
	return from->requests->count == 1 && from->plans_count == 1 ? from->plans[0] : NULL;
}

/* ---- the run */

static int start(void *ctx, struct tool *tool)
{
	(void)ctx;
	return tool->err;
}

static int next_record(struct from *from, struct stream_record *record)
{
	int more;

	if (from->is_file)
		return trace_dat__next(&from->dat, record);
	if (!from->left)
		return 0;
	more = stream__next(&from->stream, record);
	from->left -= more > 0;
	return more;
}

/* Puts the u32 that the format asks for before the array that ends the record. */
static void open_tail(struct from *from, const struct format_field *tail)
{
	struct raw_record *raw = &from->record;
	uint32_t location;
	size_t size;

	if (raw->size < tail->offset || raw->size > RECORD_MAX)
		return;
	size = raw->size - tail->offset;
	memcpy(from->opened, raw->data, tail->offset);
	memcpy(from->opened + tail->offset + sizeof(location), (const char *)raw->data + tail->offset, size);
	/* a text of trace_marker ends with a newline, which the kernel adds where there is none, and with padding */
	if (!strcmp(tail->type, "char")) {
		const char *text = from->opened + tail->offset + sizeof(location);

		size = strnlen(text, size);
		size -= size && text[size - 1] == '\n';
	}
	location = (uint32_t)(size << 16 | (tail->offset + sizeof(location)));
	memcpy(from->opened + tail->offset, &location, sizeof(location));
	raw->data = from->opened;
	raw->size = tail->offset + sizeof(location) + size;
}

/* Whether the event's filter holds for the record at hand. */
static bool passes(const struct from *from, uint32_t cpu, const char *comm)
{
	const struct evaluate_record record = {
		.data = from->record.data, .size = from->record.size, .tid = from->record.tid, .cpu = cpu, .comm = comm,
	};

	return evaluate__holds(&((const struct from_event *)from->last)->filter, &record);
}

static int next(void *ctx, struct stream_event *event)
{
	struct from *from = ctx;
	struct raw_record *raw = &from->record;
	struct stream_record record;
	const char *comm;
	char name[TASK_COMM_LEN + 1];
	int more = next_record(from, &record), err = 0;

	if (more <= 0)
		return more;
	from->taken++;
	event->cpu = (uint32_t)record.cpu;
	event->lost_some = record.lost_some;
	event->lost = record.lost;
	event->is_none = true;
	if (record.record.size < RAW_RECORD_MIN)
		return 1;
	*raw = (struct raw_record){ .data = record.record.data, .size = record.record.size, .type = record.record.type };
	memcpy(&raw->tid, record.record.data + RAW_RECORD_TID, sizeof(raw->tid));
	from->last = from->by_type[raw->type] ?: find_plan(from, raw->type, &err);
	if (err)
		return err;
	event->is_none = from->last == &from->none;
	if (!event->is_none && ((const struct from_event *)from->last)->tail)
		open_tail(from, ((const struct from_event *)from->last)->tail);
	from->others += event->is_none;
	comm = saved_names__find(from->is_file ? &from->dat.names : &from->names, raw->tid);
	if (comm)
		snprintf(name, sizeof(name), "%.*s", TASK_COMM_LEN, comm);
	stream_event__set_task(event, record.record.time, raw->tid, raw->tid, comm ? name : NULL);
	event->is_filtered = !event->is_none && !passes(from, event->cpu, comm ? name : NULL);
	return 1;
}

static int print(void *ctx, struct tool *tool, const struct stream_event *event)
{
	struct from *from = ctx;
	int err = record__take(&from->last->record, from->room, from->record.data, from->record.size);

	if (err)
		return err;
	from->print(tool, from->last, &event->task, event->cpu, from->room);
	return 0;
}

static void end(void *ctx)
{
	(void)ctx;
}

static bool is_over(void *ctx)
{
	(void)ctx;
	return true;
}

/* What the reader did not understand. */
static int lost(void *ctx, uint64_t *count)
{
	const struct from *from = ctx;

	*count = from->is_file ? from->dat.broken : from->stream.broken;
	return 0;
}

static void tell(void *ctx, struct tool *tool)
{
	const struct from *from = ctx;

	(void)tool;
	if (from->is_file && from->dat.is_cut)
		say("%s is cut off: some of the last records are not there", from->name);
	if (from->is_file)
		say("%s: %llu records, %llu of other events", from->name, (unsigned long long)from->taken,
		    (unsigned long long)from->others);
	else
		say("%s: took %llu records, %llu of other events; %llu had been overwritten", from->name, (unsigned long long)from->taken,
		    (unsigned long long)from->others, (unsigned long long)from->overrun);
}

static int close_recording(void *ctx)
{
	struct from *from = ctx;

	events__use(NULL);
	if (from->is_open)
		stream__close(&from->stream);
	trace_dat__close(&from->dat);
	saved_names__free(&from->names);
	if (from->fd >= 0)
		close(from->fd);
	for (size_t i = 0; i < from->plans_count; i++) {
		evaluate__free(&((struct from_event *)from->plans[i])->filter);
		plan__free(from->plans[i]);
		free(from->plans[i]);
	}
	for (size_t i = 0; i < from->ids_count; i++)
		free(from->ids[i].name);
	free(from->plans);
	free(from->ids);
	free(from->by_type);
	free(from->room);
	free(from->opened);
	sources__free(&from->sources);
	return 0;
}

int from__plan(struct from *from, struct tool *tool)
{
	const struct plan *plan;
	struct fault fault;

	for (size_t i = 0; i < from->requests->count; i++) {
		const struct request *request = &from->requests->list[i];

		if (request__has_pattern(request))
			continue;
		if (add_plan(from, request, request->system, request->name, &plan, &fault))
			return tool__fail(tool, fault.err, "--from %s: %s", from->name, fault.text);
	}
	/* the function tracer's records, whose values are addresses: names are there before privileges are dropped */
	if (!from->is_file && !from->requests->count && !add_plan(from, &all_of, "ftrace", "function", &plan, &fault))
		symbols__open(from->plans[0], 1);
	for (size_t i = 0; i < from->plans_count && from->requests->count && !from->is_file; i++)
		symbols__open(from->plans[i], 1);
	return 0;
}

int from__run(struct from *from, struct tool *tool)
{
	static const struct kernel_stream_ops ops = {
		.missed_why = "a recording does not tell", .start = start, .next = next, .print = print, .end = end, .lost = lost,
		.is_over = is_over, .tell = tell, .close = close_recording,
	};
	struct kernel_stream stream = { .ops = &ops, .ctx = from, .label = "--from" };

	if (tool->err) {
		close_recording(from);
		return tool->err;
	}
	return kernel_stream__run(&stream, tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "show.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counting.h"
#include "lib/kernel/cgroups.h"
#include "lib/probe/attach.h"
#include "privileges.h"
#include "pump.h"
#include "record_file.h"
#include "recording.h"
#include "task_filter.h"

static struct {
	const char *path;
	struct record_reader reader;
	struct record_about_run about;
	char *start;			/* the start record */
	size_t start_size;
	/* the run */
	struct tool *tool;
	tool_print_event print_event;
	struct tally tally;
	uint64_t events, printed, filtered;
	struct event_task task;		/* of the event before */
	/* one event of the same task: RECORD_TASK_SIZE + RECORD_SIZE_MAX bytes */
	uint64_t *event;
	bool has_end, is_over;
} show = { .reader.fd = -1 };

bool show__is_active(void)
{
	return show.path;
}

const char *show__host(void)
{
	return show.about.host;
}

/* The file is not what it should be: ends the process. */
__attribute__((noreturn))
static void give_up(const struct fault *fault)
{
	say("\"%s\": %s", show.path, fault->text);
	exit(TOOL_EXIT_FAILED);
}

const char *show__open(const char *path)
{
	struct record_chunk chunk;
	struct fault fault;
	const void *data;
	int got;

	show.path = path;
	show.reader.fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
	if (show.reader.fd < 0) {
		say("\"%s\": cannot be read: %s", path, strerror(errno));
		return NULL;
	}
	got = record_reader__next(&show.reader, &chunk, &data, &fault);
	if (got > 0 && (chunk.kind != RECORD_ABOUT || chunk.size != sizeof(show.about)))
		got = fault__set(&fault, -EBADMSG, "it does not say which tool has made it");
	else if (!got)
		got = fault__set(&fault, -ENODATA, "it is empty");
	if (got > 0) {
		memcpy(&show.about, data, sizeof(show.about));
		if (!record__is_text(show.about.tool, sizeof(show.about.tool)) ||
		    !record__is_text(show.about.version, sizeof(show.about.version)) ||
		    !record__is_text(show.about.host, sizeof(show.about.host)))
			got = fault__set(&fault, -EBADMSG, "it does not say which tool has made it");
	}
	if (got < 0)
		say("\"%s\": %s", path, fault.text);
	return got < 0 ? NULL : show.about.tool;
}

void show__close(void)
{
	record_reader__free(&show.reader);
	if (show.reader.fd > 0)
		close(show.reader.fd);
	free(show.start);
	free(show.event);
	memset(&show, 0, sizeof(show));
	show.reader.fd = -1;
}

static bool has_key(const int *keys, int key)
{
	while (keys && *keys && *keys != key)
		keys++;
	return keys && *keys;
}

bool show__takes_own(const struct tool *tool, int key)
{
	return has_key(tool->about->record ? tool->about->record->shown : NULL, key);
}

/* An option of the run: as if it stood on this command line. */
static bool take_option(struct tool *tool, const void *data, size_t size)
{
	struct argp_state state = { .input = tool };
	struct record_option option;
	char *value;

	if (size < sizeof(option))
		return false;
	memcpy(&option, data, sizeof(option));
	value = (char *)data + sizeof(option);
	if (!has_key(tool->about->record->kept, option.key) || (option.has_value && !memchr(value, 0, size - sizeof(option))))
		return false;
	/* what a tool keeps of it must stay */
	value = option.has_value ? strdup(value) : NULL;
	return !tool->about->parse(option.key, value, &state);
}

static bool take_clock(struct tool *tool, const void *data, size_t size)
{
	int64_t distance_ns;

	if (size != sizeof(distance_ns))
		return false;
	memcpy(&distance_ns, data, sizeof(distance_ns));
	wallclock__give(&tool->out.clock, distance_ns);
	return true;
}

static bool take_start(const void *data, size_t size)
{
	if (show.start || !record__is_start(data, size))
		return false;
	show.start = malloc(size);
	if (show.start)
		memcpy(show.start, data, show.start_size = size);
	return show.start;
}

void show__begin(struct tool *tool)
{
	const struct cgroup_names none = { 0 };
	struct record_chunk chunk;
	struct fault fault;
	const void *data;

	if (!tool->about->record || !record__is_layout(&show.about, tool->about->record->layout)) {
		fault__set(&fault, -EPROTO, "its events are those of another version of %s (of probelight \"%s\"; this one is \"%s\", and reads "
			   "others)", tool->about->name, record__is_printable(show.about.version, strlen(show.about.version)) ? show.about.version : "?", PROBELIGHT_VERSION);
		give_up(&fault);
	}
	cgroups__enter(0, &none);
	while (!show.start) {
		int got = record_reader__next(&show.reader, &chunk, &data, &fault);
		bool is_good = got > 0;

		if (!got)
			got = fault__set(&fault, -ENODATA, "cut off before its first event");
		if (got < 0)
			give_up(&fault);
		if (chunk.kind == RECORD_OPTION)
			is_good = take_option(tool, data, chunk.size);
		else if (chunk.kind == RECORD_CLOCK)
			is_good = take_clock(tool, data, chunk.size);
		else
			is_good = chunk.kind == RECORD_START && take_start(data, chunk.size);
		if (!is_good) {
			fault__set(&fault, -EBADMSG, "damaged before its first event");
			give_up(&fault);
		}
	}
	tool->out.header_ns = show.about.begin_ns;
}

void show__check(struct tool *tool)
{
	const struct task_filter *filter = &tool->options.filter;
	const char *why = tool->about->record->no_filter;

	if (why && (filter->pids_count || filter->tids_count || filter->by_uid || filter->by_comm))
		usage_error("-p, -t, -u and -n: not for what was recorded: %s", why);
}

void show__print_start(struct tool *tool)
{
	if (tool->out.json)
		out__line(&tool->out, show.start, show.start_size);
}

/* ---- the run */

static bool passes(const struct event_task *task)
{
	const struct task_filter *filter = &show.tool->options.filter;

	if (!filter->pids_count && !filter->tids_count && !filter->by_uid && !filter->by_comm)
		return true;
	if (task->reserved & TASK_UNKNOWN || (filter->by_uid && (task->reserved & TASK_NO_USER || task->uid != filter->uid)))
		return false;
	return task_filter__passes(filter, task);
}

/* Whether it is intact. */
static bool take_event(const void *event, size_t size)
{
	const struct record_about *record = show.tool->about->record;
	uint64_t events_max = show.tool->options.events_max;

	if (size < record->size_min || (record->is_intact && !record->is_intact(event, size)))
		return false;
	show.events++;
	memcpy(&show.task, event, sizeof(show.task));
	if (events_max && show.printed >= events_max)
		return true;
	if (!passes(event)) {
		show.filtered++;
		return true;
	}
	show.printed++;
	show.print_event(show.tool, event, size);
	out__end(&show.tool->out);
	return true;
}

/* The same for one of the task before. */
static bool take_again(const char *data, size_t size)
{
	uint64_t *const event = show.event;
	const size_t time = sizeof(uint64_t);

	if (!show.events || size < time)
		return false;
	memcpy(event, data, time);
	memcpy((char *)event + time, &show.task.pid, RECORD_TASK_SIZE);
	memcpy((char *)event + time + RECORD_TASK_SIZE, data + time, size - time);
	return take_event(event, size + RECORD_TASK_SIZE);
}

static bool take_cgroup(const void *data, size_t size)
{
	struct cgroup_names names;
	uint64_t id;

	if (!record__get_cgroup(data, size, &id, &names))
		return false;
	cgroups__enter(id, &names);
	return true;
}

static bool take_end(const void *data, size_t size)
{
	static struct record_end end;

	if (size != sizeof(end))
		return false;
	memcpy(&end, data, sizeof(end));
	show.has_end = record__tally_of(&end, &show.tally);
	return show.has_end;
}

static bool take(const struct record_chunk *chunk, const void *data)
{
	switch (chunk->kind) {
	case RECORD_EVENT:
		return take_event(data, chunk->size);
	case RECORD_AGAIN:
		return take_again(data, chunk->size);
	case RECORD_CLOCK:
		return take_clock(show.tool, data, chunk->size);
	case RECORD_CGROUP:
		return take_cgroup(data, chunk->size);
	case RECORD_END:
		return take_end(data, chunk->size);
	default:
		return false;
	}
}

/* The file ends here, for that reason; after the rows that were read. */
static int stop(int err, const char *why)
{
	show.is_over = true;
	if (!why)
		return 0;
	out__flush(&show.tool->out);
	tool__fail(show.tool, err, "\"%s\": %s; the %llu events before that are shown", show.path, why, (unsigned long long)show.events);
	return 0;
}

static int read_records(void *ctx, struct batch *batch)
{
	(void)ctx;
	while (!batch__is_over(batch) && !show.is_over) {
		struct record_chunk chunk;
		struct fault fault;
		const void *data;
		int got = record_reader__next(&show.reader, &chunk, &data, &fault);

		if (got < 0)
			return stop(got, fault.text);
		if (!got && !show.has_end)
			return stop(-ENODATA, "the run was not over, or the file is cut off");
		if (!got)
			return stop(0, NULL);
		if (show.has_end || !take(&chunk, data))
			return stop(-EBADMSG, "damaged");
		batch__add(batch, 1);
		if (show.tool->out.error)
			return stop(0, NULL);
	}
	return 0;
}

static void end(void *ctx)
{
	(void)ctx;
	show.is_over = true;
}

static bool is_enough(void *ctx)
{
	(void)ctx;
	return show.is_over || show.tool->out.error;
}

int show__run(struct tool *tool, tool_print_event print_event)
{
	static const char unknown[] = "the record has no end";
	struct source source = {
		.what = "the record", .wake_fd = -1, .read = read_records, .end = end, .is_enough = is_enough,
	};
	struct pump pump;

	show.tool = tool;
	show.print_event = print_event;
	show.event = malloc(RECORD_TASK_SIZE + RECORD_SIZE_MAX);
	if (!show.event)
		return tool__fail(tool, -ENOMEM, "no memory for the record");
	if (pump__start(&pump, tool, &source, PRIVILEGES_NONE))
		return tool->err;
	pump__run(&pump);
	if (!show.has_end) {
		show.tally.lost = count__unknown(unknown);
		show.tally.missed = count__unknown(unknown);
	}
	show.tally.filtered.value += show.filtered;
	show.tally.delivered = tool__rows_done(tool);
	tool__print_summary(tool, &show.tally);
	return tool->err;
}

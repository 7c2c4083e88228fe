/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counting.h"
#include "lib/kernel/cgroups.h"
#include "lib/kernel/hash.h"
#include "lib/print/clock.h"
#include "output_file.h"
#include "side_file.h"

#define OPTIONS_MAX 32

static struct recording recording;
static struct side_file file = { .option = "--record", .fd = -1 };
/* Cgroups whose names are in the file; the value: with their path. */
static struct hash named = { .value_size = sizeof(uint64_t), .bound = 65536 };
static struct {
	int key;
	const char *value;
} options[OPTIONS_MAX];
static size_t options_count;

void recording__keep_option(const struct tool *tool, int key, const char *value)
{
	const int *kept = tool->about->record ? tool->about->record->kept : NULL;

	while (kept && *kept && *kept != key)
		kept++;
	if (!kept || !*kept)
		return;
	if (options_count == OPTIONS_MAX)
		usage_error("--record: too many options");
	options[options_count].key = key;
	options[options_count++].value = value;
}

void recording__check(struct tool *tool)
{
	const struct tool_options *asked = &tool->options;

	if (!asked->record)
		return;
	if (tool->counting || tool->metrics)
		usage_error("--record: %s counts; `probelight show FILE --count` counts what was recorded", tool->metrics ? "--metrics" : "--count");
	if (asked->stacks_asked)
		usage_error("--record: stacks are not recorded");
	recording.has_rows = asked->output;
	tool->options.is_quiet = !recording.has_rows;
}

int recording__open(struct tool *tool)
{
	if (!tool->options.record)
		return 0;
	file.path = tool->options.record;
	recording.tool = tool;
	recording.used_of = tool->about->record->used;
	recording.buffer = malloc(RECORDING_BUFFER + sizeof(uint64_t));
	if (!recording.buffer)
		return tool__fail(tool, -ENOMEM, "--record: no memory");
	tool->recording = &recording;
	return side_file__open(&file, tool);
}

void recording__flush(struct recording *to)
{
	side_file__write(&file, to->tool, to->buffer, to->used);
	to->used = 0;
	if (side_file__is_open(&file))
		to->written = to->added;
}

/* Two parts of the data, of which the second one may be empty. */
static void put_chunk(enum record_kind kind, const void *data, size_t size, const void *more, size_t more_size)
{
	struct record_chunk chunk = { (uint32_t)(size + more_size), kind };
	size_t padded = (chunk.size + 7u) & ~(size_t)7;
	char *to;

	if (RECORDING_BUFFER - recording.used < sizeof(chunk) + padded)
		recording__flush(&recording);
	to = recording.buffer + recording.used;
	memset(to + sizeof(chunk) + chunk.size, 0, padded - chunk.size);
	memcpy(to, &chunk, sizeof(chunk));
	memcpy(to + sizeof(chunk), data, size);
	if (more_size)
		memcpy(to + sizeof(chunk) + size, more, more_size);
	recording.used += sizeof(chunk) + padded;
}

static void put_clock(void)
{
	int64_t distance_ns = wallclock__distance(&recording.tool->out.clock);

	put_chunk(RECORD_CLOCK, &distance_ns, sizeof(distance_ns), NULL, 0);
}

/* The names of a cgroup, when the first event of it comes; again where its path was not known then. */
static void put_cgroup(uint64_t id)
{
	static char text[RECORD_CGROUP_MAX];
	const struct cgroup_names *names;
	uint64_t *has_path = hash__find(&named, id);

	if (has_path && *has_path)
		return;
	names = cgroups__names(id);
	if (has_path && !names->path)
		return;
	put_chunk(RECORD_CGROUP, text, record__put_cgroup(text, id, names), NULL, 0);
	has_path = hash__get(&named, id);
	if (has_path)
		*has_path = names->path != NULL;
}

void recording__prepare(struct recording *to, const struct event_task *task, size_t size)
{
	if (!to->tool->out.clock.realtime_ns)
		put_clock();
	if (task->cgroup_id)
		put_cgroup(task->cgroup_id);
	to->task = *task;
	if (RECORDING_BUFFER - to->used < size)
		recording__flush(to);
}

void recording__begin(struct tool *tool, const char *start)
{
	struct record_head head = { .format = RECORD_FILE_FORMAT };
	struct record_about_run about = { .layout = tool->about->record->layout, .begin_ns = (uint64_t)clock__kernel_ns() };

	memcpy(head.magic, RECORD_FILE_MAGIC, sizeof(head.magic));
	snprintf(about.tool, sizeof(about.tool), "%s", tool->about->name);
	snprintf(about.version, sizeof(about.version), "%s", PROBELIGHT_VERSION);
	snprintf(about.host, sizeof(about.host), "%s", output_file__host());
	memcpy(recording.buffer, &head, sizeof(head));
	recording.used = sizeof(head);
	put_chunk(RECORD_ABOUT, &about, sizeof(about), NULL, 0);
	for (size_t i = 0; i < options_count; i++) {
		const char *value = options[i].value;
		struct record_option option = { .key = options[i].key, .has_value = value != NULL };

		put_chunk(RECORD_OPTION, &option, sizeof(option), value, value ? strlen(value) + 1 : 0);
	}
	put_clock();
	put_chunk(RECORD_START, start, strlen(start), NULL, 0);
	recording__flush(&recording);
	if (!recording.has_rows && !tool->err)
		say("recording to \"%s\"; Ctrl-C ends it", file.path);
}

void recording__end(struct tool *tool, const struct tally *tally)
{
	struct record_end end = record__end_of(tally);

	(void)tool;
	put_chunk(RECORD_END, &end, sizeof(end), NULL, 0);
	recording__flush(&recording);
	side_file__close(&file);
}

void recording__free(struct tool *tool)
{
	side_file__close(&file);
	hash__free(&named);
	free(recording.buffer);
	recording.buffer = NULL;
	tool->recording = NULL;
}

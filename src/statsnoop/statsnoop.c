/* SPDX-License-Identifier: BSD-2-Clause */
/* statsnoop: calls that ask for the attributes of files and file systems, by whom, with what result. */
#include <errno.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/layout/layout.h"
#include "lib/print/error.h"
#include "lib/probe/syscall_exits.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "lib/stacks/row_stacks.h"
#include "statsnoop.h"
#include "statsnoop.skel.h"

#define BYTES(member) OUT_BYTES(struct stat_event, member)
static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "CALL", -12, NULL, NULL, { BYTES(call) } },
	TOOL_COUNTED_ERROR_COLUMNS(BYTES(result)),
	{ "FD", 3, NULL, NULL, { BYTES(fd), BYTES(about) } },
	{ "FILE", -14, NULL, NULL },
	{ "PATH", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "FD", NULL };

static const enum syscall_id calls[] = { TRACED_CALLS(SYSCALLS_ID) SYSCALL_NONE };

static void print_path(struct out *out, const struct stat_event *event)
{
	/* so many bytes are here at most: where the kernel found the path too long, there is more of it */
	bool is_cut = event->path_size == PATH_SIZE && event->result == -ENAMETOOLONG;

	if (event->about & STAT_NO_PATH)
		out__no_path(out);
	/* since 6.11 with AT_EMPTY_PATH as good as an empty path; else an address that cannot be read */
	else if (event->about & STAT_NULL && event->result != -EFAULT)
		out__path(out, "", 1, 0);
	else
		out__path(out, event->path_size ? event->path : NULL, event->path_size, is_cut);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct stat_event *event = data;
	const char *call = syscall_exits__call_name(event->call), *file = event->path + event->room;
	struct out *out = &tool->out;

	tool__row(tool, &event->task);
	out__string(out, call, strlen(call));
	error__columns(out, -event->result);
	if (event->about & STAT_FD)
		out__int(out, event->fd);
	else
		out__none(out);
	if (!(event->about & STAT_FD) || event->about & STAT_NO_FILE)
		out__no_path(out);
	else
		out__path(out, file, event->file_size, 0);
	print_path(out, event);
}

/* What of an event says something: the room behind a short path does not. */
static size_t used(const void *data)
{
	const struct stat_event *event = data;

	return offsetof(struct stat_event, path) + (event->file_size ? (size_t)event->room + event->file_size : event->path_size);
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct stat_event *event = data;

	return record__is_result(event->result) && syscall_exits__is_call(event->call) && event->path_size <= event->room &&
	       used(event) <= size;
}

static const struct tool_about about = {
	.name = "statsnoop",
	.summary = "Shows calls that ask for attributes of files: by whom, of which path, with what result.",
	.examples = "  sudo statsnoop            every such call on the system\n"
		    "  sudo statsnoop -x         paths that are looked for and not there\n"
		    "  sudo statsnoop -p 1234    one process\n"
		    "  sudo statsnoop -j -d 10   ten seconds, as JSON\n",
	.columns = columns,
	.spare = spare,
	ROW_STACKS(ROW_STACK_USER),
	.has_result = true,
	.record_max = sizeof(struct stat_event) + 2 * PATH_SIZE,
	RECORDS(statsnoop, offsetof(struct stat_event, path), .is_intact = is_intact, .used = used),
	.metrics = METRIC_OF_ROWS("file_stats_total", "System calls that ask for what a file is like."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	bool has_types = kernel__has_btf();
	enum syscall_exits_way way;
	struct statsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = statsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->have_task_pt_regs = kernel__has_task_pt_regs();
		skel->rodata->have_types = has_types;
		way = syscall_exits__choose(skel->skeleton, &attach, calls, has_types);
		skel->rodata->refused_by = syscall_exits__see_refused(&attach, way, calls);
		if (!has_types)
			layout__leave_out(tool.layout, "files_name");
		tool__load(&tool);
		syscall_exits__attach(skel->skeleton, &attach, calls);
	}
	tool__run(&tool, skel, print_event);
	statsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

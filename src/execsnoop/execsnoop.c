/* SPDX-License-Identifier: BSD-2-Clause */
/* execsnoop: programs being executed, by whom, with which arguments and what result. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/probe/syscall_exits.h"
#include "lib/kernel/kernel.h"
#include "lib/probe/missed.h"
#include "lib/print/error.h"
#include "lib/run/argument.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "execsnoop.h"
#include "execsnoop.skel.h"

static struct {
	bool path;
	uint32_t args_max;
} opt = { .args_max = UINT32_MAX };

enum {
	KEY_MAX_ARGS = 0x200,
};

static const struct argp_option options[] = {
	{ "extended", 'e', NULL, 0, "a column with the path of the file that was executed", 0 },
	{ "max-args", KEY_MAX_ARGS, "N", 0, "print the first N arguments only, and the number of the others", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-q", "arguments are escaped, and -j prints them as a list" },
	{ "--quote", "arguments are escaped, and -j prints them as a list" },
	{ "-l", "there is no filter on arguments (execsnoop | grep LINE)" },
	{ "--line", "there is no filter on arguments (execsnoop | grep LINE)" },
	{ "-P", "there is no filter on the parent (execsnoop -j | jq 'select(.ppid == 1)')" },
	{ "--ppid", "there is no filter on the parent (execsnoop -j | jq 'select(.ppid == 1)')" },
	{ "-M", "there is no filter on the parent (-j has its number, ppid)" },
	{ "--fails", "failed calls are shown without it, and -x shows only them" },
	{ NULL, NULL },
};

static const struct out_column columns[] = {
	{ "PCOMM", -16, NULL, "comm" },
	{ "PID", -7, NULL, NULL },
	{ "PPID", -7, NULL, NULL },
	{ "TID", -7, &tool_not_shown, NULL },
	{ "UID", 6, &tool_shown_with_uid, NULL },
	TOOL_CGROUP_COLUMNS,
	TOOL_ERROR_COLUMNS,
	{ "PATH", -24, &opt.path, NULL },
	{ "ARGS", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'e':
		opt.path = true;
		return 0;
	case KEY_MAX_ARGS:
		opt.args_max = (uint32_t)argument__number("--max-args", arg, 0, UINT32_MAX);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/*
 * The path as the kernel names the file: execveat() with a descriptor gives "/dev/fd/N" or "/dev/fd/N/PATH"
 * (alloc_bprm() in fs/exec.c).  The kernel's own name has that already, a failed call's has not.
 */
static const char *name_of(const struct exec_event *event, char *name, size_t room)
{
	if (event->about & EXEC_PATH_FAULT)
		return NULL;
	if (event->dfd == AT_FDCWD || event->text[0] == '/')
		return event->text;
	snprintf(name, room, "/dev/fd/%d%s%s", event->dfd, event->text[0] ? "/" : "", event->text);
	return name;
}

/* The kernel found the path too long: there is more of it than is here. */
static bool is_cut(const struct exec_event *event)
{
	return event->result == -ENAMETOOLONG && event->path_size == PATH_SIZE;
}

/*
 * The arguments.  A failed exec never became argv[0], and a shell that goes through PATH gives the same one each time:
 * what failed is the path, so that takes its place, unless it has a column of its own.
 */
static void print_args(struct out *out, const struct exec_event *event, const char *name)
{
	static const char fault[] = "<fault>";
	char list[PATH_SIZE + 32 + ARGS_SIZE_LARGE + 66 * sizeof(fault)], *end = list;
	const char *arg = event->text + event->path_room, *args_end = arg + event->args_size, *next;
	bool name_first = event->result < 0 && !out->json && !opt.path;
	uint32_t count = 0;

	if (name_first)
		end = stpcpy(stpcpy(end, name ? name : fault), name && is_cut(event) ? " [+more]" : "") + 1;
	/* the last one may be there in part only, and is left out then */
	for (; count < opt.args_max && (next = memchr(arg, 0, (size_t)(args_end - arg))); arg = next + 1, count++)
		if (count || !name_first)
			end = stpcpy(end, count < 64 && event->faults >> count & 1 ? fault : arg) + 1;
	if (event->about & EXEC_ARGS_FAULT && !count && !name_first) {
		out__string(out, NULL, 0);
		return;
	}
	if (event->about & EXEC_ARGS_FAULT)
		end = stpcpy(end, fault) + 1;
	if (end == list && !out->json && event->argc <= count)
		out__none(out);
	else
		out__strings(out, list, (size_t)(end - list), event->argc > count ? event->argc - count : 0);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct exec_event *event = data;
	char room[PATH_SIZE + 32];
	const char *name = name_of(event, room, sizeof(room));
	struct out *out = &tool->out;

	out__row(out, event->task.ts_ns);
	out__string(out, event->task.comm, sizeof(event->task.comm));
	out__int(out, event->task.pid);
	out__int(out, event->ppid);
	out__int(out, event->task.tid);
	out__int(out, event->task.uid);
	tool__cgroup(tool, event->task.cgroup_id);
	error__columns(out, -event->result);
	out__path(out, name, name ? strlen(name) : 0, name && is_cut(event));
	print_args(out, event, name);
}

static const enum syscall_id calls[] = { SYSCALL_execve, SYSCALL_execveat, SYSCALL_NONE };

/* The hooks for what fails; and which program for what succeeds.  Both need kernel types: without them nothing loads. */
static void choose_programs(struct attach *attach, const struct execsnoop_bpf *skel)
{
	enum syscall_exits_way way = syscall_exits__choose(skel->skeleton, attach, calls, true);
	bool any_exit = way == SYSCALL_EXITS_ANY_EXIT;

	bpf_program__set_autoload(skel->progs.any_exit, any_exit && kernel__has_loop());
	bpf_program__set_autoload(skel->progs.any_exit_unrolled, any_exit && !kernel__has_loop());
	bpf_program__set_autoload(skel->progs.exec_done, !kernel__preempts_programs());
	bpf_program__set_autoload(skel->progs.exec_done_event, kernel__preempts_programs());
	skel->rodata->have_task_pt_regs = kernel__has_task_pt_regs();
	skel->rodata->refused_by = syscall_exits__see_refused(attach, way, calls);
}

/*
 * A skipped run of execve_exit_64() missed a failure, or the return of an exec that had succeeded, which is none of its
 * business.  The latter are those execs that did not return: what exec_done_event() saw, or did not, less what was seen to
 * return.
 */
static uint64_t missed_for_nothing(const struct tool *tool)
{
	struct bpf_map *map = bpf_object__find_map_by_name(*tool->skeleton->obj, ".data.counts");
	size_t size;
	const struct exec_counts *counts = bpf_map__initial_value(map, &size);
	uint64_t succeeded = counts->succeeded +
			     missed__of_program(bpf_object__find_program_by_name(*tool->skeleton->obj, "exec_done_event"));
	uint64_t skipped = missed__of_program(bpf_object__find_program_by_name(*tool->skeleton->obj, "execve_exit_64"));
	uint64_t no_return = succeeded > counts->returned ? succeeded - counts->returned : 0;

	return no_return < skipped ? no_return : skipped;
}

/* What of an event says something: the room behind few arguments does not. */
static size_t used(const void *data)
{
	const struct exec_event *event = data;

	return offsetof(struct exec_event, text) + event->path_room + event->args_size;
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct exec_event *event = data;

	return record__is_result(event->result) && event->path_room <= PATH_SIZE && event->args_size <= ARGS_SIZE_LARGE &&
	       used(event) <= size &&
	       (event->about & EXEC_PATH_FAULT || memchr(event->text, 0, event->path_room));
}

static const struct tool_about about = {
	.name = "execsnoop",
	.summary = "Shows programs being executed: by whom, with which arguments and what result.",
	.examples = "  sudo execsnoop             every exec on the system, failed ones too\n"
		    "  sudo execsnoop -x -e       what cannot be executed, and its path\n"
		    "  sudo execsnoop -T -u www   one user's, with times\n"
		    "  sudo execsnoop -j -d 10    ten seconds, as JSON\n",
	.options = options,
	.parse = parse,
	.columns = columns,
	.foreign_options = foreign_options,
	.has_result = true,
	.record_max = sizeof(struct exec_event) + PATH_SIZE + ARGS_SIZE_LARGE,
	.missed_for_nothing = missed_for_nothing,
	RECORDS(execsnoop, offsetof(struct exec_event, text), .is_intact = is_intact, .used = used,
		.shown = RECORD_KEYS('e', KEY_MAX_ARGS)),
	.metrics = METRIC_OF_ROWS("execs_total", "Programs that were executed, or failed to be."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct execsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = execsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		choose_programs(&attach, skel);
		tool__load(&tool);
		syscall_exits__attach(skel->skeleton, &attach, calls);
	}
	tool__run(&tool, skel, print_event);
	execsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

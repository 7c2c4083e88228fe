/* SPDX-License-Identifier: BSD-2-Clause */
/* opensnoop: files being opened, by whom, with what result. */
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#include "lib/probe/syscall_exits.h"
#include "lib/probe/missed.h"
#include "lib/kernel/kernel.h"
#include "lib/layout/layout.h"
#include "lib/print/dir.h"
#include "lib/print/error.h"
#include "lib/print/open_flags.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/path_filter.h"
#include "lib/stacks/row_stacks.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "lib/kernel/tracefs.h"
#include "opensnoop.h"
#include "opensnoop.skel.h"

static const struct foreign_option foreign_options[] = {
	{ "-f", "opens with certain flags are --flag FLAGS" },
	{ NULL, NULL },
};

static struct {
	bool flags;
	bool full_path;
	struct flag_filter wanted;
} opt;

enum { KEY_FLAG = 0x200 };

static const struct argp_option options[] = {
	{ "extended", 'e', NULL, 0, "columns with the flags, and in octal the mode", 0 },
	{ "extended-fields", 'e', NULL, OPTION_HIDDEN, NULL, 0 },	/* bcc's word */
	{ "flag", KEY_FLAG, "FLAGS", 0, "only opens that have this flag, or O_CREAT|O_EXCL: both (repeatable: any of them)", 0 },
	{ "flag_filter", KEY_FLAG, "FLAGS", OPTION_HIDDEN, NULL, 0 },	/* bcc's word */
	{ "full-path", 'F', NULL, 0, "relative paths with the directory that they were relative to", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

#define BYTES(member) OUT_BYTES(struct open_event, member)
static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "FD", 3, NULL, NULL, { BYTES(result) } },
	TOOL_COUNTED_ERROR_COLUMNS(BYTES(result)),
	{ "FLAGS_NUMBER", 10, &tool_not_shown, "flags", { BYTES(flags), BYTES(flags_high) } },
	{ "FLAGS", -18, &opt.flags, "flags_names", { BYTES(flags), BYTES(flags_high), BYTES(resolve) } },
	{ "RESOLVE", 0, &tool_not_shown, NULL, { BYTES(resolve) } },
	{ "MODE", -6, &opt.flags, NULL, { BYTES(mode) } },
	{ "PATH", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static void add_flags(const char *arg)
{
	if (opt.wanted.count == FLAG_FILTERS_MAX)
		usage_error("--flag: at most %d of them", FLAG_FILTERS_MAX);
	if (open_flags__parse(arg, &opt.wanted.values[opt.wanted.count], &opt.wanted.masks[opt.wanted.count]))
		usage_error("--flag \"%s\": not the flags of open(2), such as O_WRONLY or O_CREAT|O_EXCL", arg);
	opt.wanted.count++;
}

/* bcc's -f O_WRONLY. */
static void refuse_flags(const struct tool *tool, const char *arg)
{
	uint32_t flags, mask;

	if (tool->options.filter.follows && !open_flags__parse(arg, &flags, &mask))
		usage_error("-f \"%s\": -f follows the children of a process; opens with these flags: --flag %s", arg, arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'e':
		opt.flags = true;
		return 0;
	case KEY_FLAG:
		add_flags(arg);
		return 0;
	case 'F':
		opt.full_path = true;
		return 0;
	case ARGP_KEY_ARG:
		refuse_flags(state->input, arg);
		path_filter__parse(arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The path with its folder before it, in `to` (room bytes).  Returns the size, 0 where there is no room. */
static size_t join(const struct open_event *event, char *to, size_t room)
{
	return dir__join(to, room, event->path, event->path_size, event->path + event->path_room, event->dir_size,
			 event->about & OPEN_DIR_CUT);
}

/*
 * The kernel takes paths of up to PATH_SIZE bytes, and so many are here at most: where it found this one too long, there is
 * more of it.
 */
static bool is_cut(const struct open_event *event)
{
	return event->path_size == PATH_SIZE && event->result == -ENAMETOOLONG;
}

static void print_path(struct out *out, const struct open_event *event)
{
	char buffer[PATH_SIZE + DIR_ROOM];
	const char *path = event->path;
	size_t size = event->path_size;

	if (event->about & OPEN_PATH_FAULT) {
		out__path(out, NULL, 0, 0);
		return;
	}
	if (opt.full_path && size > 1 && *path != '/') {
		path = buffer;
		size = join(event, buffer, sizeof(buffer));
	}
	out__path(out, path, size, is_cut(event));
}

/* openat2's own flags, and how it is to find the file, are behind the others. */
static void print_flags(struct out *out, const struct open_event *event)
{
	char text[OPEN_FLAGS_TEXT_MAX + 2 * OPEN_FLAGS_TEXT_MAX], *end;

	out__int(out, (int64_t)((uint64_t)event->flags_high << 32 | event->flags));
	if (!opt.flags && !out->json) {
		out__none(out);
		return;
	}
	open_flags__text(event->flags, text);
	end = text + strlen(text);
	if (event->flags_high) {
		*end++ = '|';
		flags__text(openat2_flag_names, event->flags_high, end, OPEN_FLAGS_TEXT_MAX);
		end += strlen(end);
	}
	if (event->resolve) {
		*end++ = '|';
		flags__text(resolve_flag_names, event->resolve, end, OPEN_FLAGS_TEXT_MAX);
	}
	out__string(out, text, sizeof(text));
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct open_event *event = data;
	struct out *out = &tool->out;

	tool__row(tool, &event->task);
	out__int(out, event->result < 0 ? -1 : event->result);
	error__columns(out, event->result < 0 ? -event->result : 0);
	print_flags(out, event);
	out__int(out, event->resolve);
	out__octal(out, event->mode);
	print_path(out, event);
}

static const enum syscall_id calls[] = { TRACED_CALLS(SYSCALLS_ID) SYSCALL_NONE };

/* The tool goes on without them. */
static void tell_uring_unseen(const char *why)
{
	say__warning("io_uring's opens are not seen: %s", why);
	missed__tell_unseen("io_uring's opens are not seen");
}

/*
 * Leaves out the hooks for what this kernel cannot do, or cannot tell.
 * io_uring: its opens are read from kernel structs, so they take the kernel's BTF; its events tell whether it is built
 * in.  io_uring_complete is what tells the result before 5.19.
 */
static void choose_programs(struct tool *tool, const struct opensnoop_bpf *skel)
{
	enum syscall_exits_way way;
	bool btf = kernel__has_btf();
	bool uring = tracefs__has_event_since("io_uring/io_uring_complete", kernel_version(5, 1, 0));

	if (opt.full_path && !btf)
		tool__fail(tool, -EOPNOTSUPP, "-F is not possible: this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
	else if (uring && !btf)
		tell_uring_unseen("this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
	uring = uring && btf;
	/* before 5.19 an event tells the result, and from 7.0 on one tells that a thread ends */
	if (uring && !tracefs__mount_point() && (kernel__version() < kernel_version(5, 19, 0) || kernel__preempts_programs())) {
		tell_uring_unseen(tracefs__why(errno));
		uring = false;
	}
	way = syscall_exits__choose(skel->skeleton, tool->attach, calls, btf);
	skel->rodata->refused_by = syscall_exits__see_refused(tool->attach, way, calls);
	bpf_program__set_autoload(skel->progs.uring_open_entry, uring);
	bpf_program__set_autoload(skel->progs.uring_open_exit, uring);
	bpf_program__set_autoload(skel->progs.uring_thread_exit, uring && !kernel__preempts_programs());
	bpf_program__set_autoload(skel->progs.uring_thread_exit_event, uring && kernel__preempts_programs());
	bpf_program__set_autoload(skel->progs.uring_complete, uring && kernel__version() < kernel_version(5, 19, 0));
	bpf_map__set_autocreate(skel->maps.uring_opens, uring);
	/* safe in a tracing program since 6.1 (bpf_mem_alloc, fba1a1c6c912); before, the kernel warns of it in its log */
	if (kernel__version() >= kernel_version(6, 1, 0)) {
		bpf_map__set_map_flags(skel->maps.uring_opens, BPF_F_NO_PREALLOC);
		bpf_map__set_max_entries(skel->maps.uring_opens, 4096);
	}
	bpf_map__set_autocreate(skel->maps.uring_common, uring);
	if (!opt.full_path)
		layout__leave_out(tool->layout, "dir_read");
	skel->rodata->have_task_pt_regs = kernel__has_task_pt_regs();
}

/* Without probes the tool goes on: only what io_uring opens is not seen. */
static void attach_probes(struct tool *tool, struct opensnoop_bpf *skel)
{
	static const char *const uring_open[] = { "io_openat2", NULL };
	struct fault fault;

	syscall_exits__attach(skel->skeleton, tool->attach, calls);
	if (tool->attach->err || bpf_program__fd(skel->progs.uring_open_exit) < 0)
		return;
	/* the return first: an open that is seen to begin is then seen to end */
	if (attach__optional(tool->attach, skel->progs.uring_open_exit, &skel->links.uring_open_exit, uring_open, &fault) ||
	    attach__optional(tool->attach, skel->progs.uring_open_entry, &skel->links.uring_open_entry, uring_open, &fault)) {
		tell_uring_unseen(fault.text);
		tool__needs_no_link(tool, skel->progs.uring_open_exit);
		tool__needs_no_link(tool, skel->progs.uring_open_entry);
	}
}

/* What of an event says something: the room behind a short path does not. */
static size_t used(const void *data)
{
	const struct open_event *event = data;

	return offsetof(struct open_event, path) + (event->dir_size ? (size_t)event->path_room + event->dir_size : event->path_size);
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct open_event *event = data;

	return record__is_result(event->result) && event->path_size <= event->path_room && event->path_room <= PATH_SIZE &&
	       event->dir_size <= DIR_ROOM && used(event) <= size;
}

static const struct tool_about about = {
	.name = "opensnoop",
	.summary = "Shows files being opened: by whom, with what result.",
	.examples = "  sudo opensnoop             every open on the system\n"
		    "  sudo opensnoop -x -n nginx what nginx fails to open\n"
		    "  sudo opensnoop /etc/ssl    paths that contain /etc/ssl\n"
		    "  sudo opensnoop --flag O_WRONLY --flag O_RDWR   opens for writing\n"
		    "  sudo opensnoop -T -p 1234  one process, with times\n"
		    "  sudo opensnoop -f -- make  a command, and what it starts\n"
		    "  sudo opensnoop --count comm,path 5  counts, every 5 seconds\n"
		    "  sudo opensnoop -j -d 10    ten seconds, as JSON\n",
	.options = options,
	.parse = parse,
	.foreign_options = foreign_options,
	.columns = columns,
	ROW_STACKS(ROW_STACK_USER),
	.argument = "[PATH]",
	.has_result = true,
	.record_max = sizeof(struct open_event) + PATH_SIZE + DIR_ROOM,
	RECORDS(opensnoop, offsetof(struct open_event, path), .is_intact = is_intact, .used = used,
		.kept = RECORD_KEYS('F'), .shown = RECORD_KEYS('e')),
	.metrics = METRIC_OF_ROWS("file_opens_total", "System calls that open a file."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct opensnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = opensnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->full_path = opt.full_path;
		tool__set_rodata(&tool, "flag_filter", &opt.wanted, sizeof(opt.wanted));
		path_filter__use(&tool);
		tool__skip_absent_tracepoints(&tool);
		choose_programs(&tool, skel);
		tool__load(&tool);
		attach_probes(&tool, skel);
	}
	tool__run(&tool, skel, print_event);
	opensnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

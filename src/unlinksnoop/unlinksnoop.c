/* SPDX-License-Identifier: BSD-2-Clause */
/* unlinksnoop: files and directories being removed, by whom, with what result. */
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/layout/layout.h"
#include "lib/probe/attach.h"
#include "lib/probe/refusals.h"
#include "lib/print/dir.h"
#include "lib/print/error.h"
#include "lib/run/metrics.h"
#include "lib/run/path_filter.h"
#include "lib/stacks/row_stacks.h"
#include "lib/run/recording.h"
#include "lib/run/renamed.h"
#include "lib/run/tool.h"
#include "unlinksnoop.h"
#include "unlinksnoop.skel.h"

static struct {
	bool call;
	bool full_path;
	bool has_dirs;		/* the programs send them: it may be asked for when a record is shown */
	bool renames;
} opt;

enum { KEY_RENAMES = 0x200 };

static const struct argp_option options[] = {
	{ "extended", 'e', NULL, 0, "a column with the call: unlink, rmdir or rename", 0 },
	{ "full-path", 'F', NULL, 0, "relative paths with the directory that they were relative to; JSON has them always", 0 },
	{ "renames", KEY_RENAMES, NULL, 0, "also files and directories that a rename replaces", 0 },
	{ NULL, 'r', NULL, OPTION_HIDDEN, NULL, 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	TOOL_ERROR_COLUMNS,
	{ "CALL", -6, &opt.call, NULL },
	{ "DIR", 0, &tool_not_shown, NULL },
	{ "PATH", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* The first one up to 6.12, the second one on 7.2 and newer. */
static const char *const unlink_functions[] = { "do_unlinkat", "filename_unlinkat", NULL };
static const char *const rmdir_functions[] = { "do_rmdir", "filename_rmdir", NULL };
static const char *const rename_functions[] = { "do_renameat2", "filename_renameat2", NULL };
static const char *const rename_begins[] = { "vfs_rename", NULL };

static const char *const calls[UNLINK_CALLS_COUNT] = { [UNLINK] = "unlink", [UNLINK_DIR] = "rmdir", [UNLINK_RENAME] = "rename" };

static const struct renamed renamed[] = {
	{ 'r', KEY_RENAMES, "-r", "--renames", NULL },
	{ 0, 0, NULL, NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'e':
		opt.call = true;
		return 0;
	case 'F':
		opt.full_path = true;
		return 0;
	case KEY_RENAMES:
		opt.renames = true;
		return 0;
	case ARGP_KEY_ARG:
		path_filter__parse(arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The directory that a relative path starts from, for JSON: null for an absolute path, and where it is not known. */
static void print_dir(struct out *out, const struct unlink_event *event)
{
	const char *names = event->text + event->path_size;
	char path[UNLINK_TEXT_MAX];
	size_t inner, size;

	if (!out->json || event->path_size <= 1 || *event->text == '/' || (event->dir_is_cut && !event->dir_size)) {
		out__none(out);
	} else if (!event->dir_size) {
		out__string(out, "/", 1);
	} else {
		inner = strnlen(names, event->dir_size - 1u) + 1;
		size = dir__join(path, sizeof(path), names, inner, names + inner, event->dir_size - inner, event->dir_is_cut);
		out__string(out, size ? path : NULL, size);
	}
}

/*
 * A relative path with its directory.  Where the kernel has no copy of the path either, the result is what it found instead
 * (getname() in fs/namei.c): an empty one, one of PATH_SIZE bytes and more, or memory that cannot be read.
 */
static void print_path(struct out *out, const struct unlink_event *event)
{
	char joined[UNLINK_TEXT_MAX + sizeof(".../")];
	const char *path = event->text;
	size_t size = event->path_size;

	if (!size) {
		if (event->result == -ENOENT && !event->is_refused)
			out__path(out, "", 0, 0);
		else
			out__path(out, NULL, 0, event->result == -ENAMETOOLONG && !event->is_refused ? PATH_SIZE : 0);
		return;
	}
	if (opt.full_path && size > 1 && *path != '/') {
		size = dir__join(joined, sizeof(joined), path, size, event->text + size, event->dir_size, event->dir_is_cut);
		path = joined;
	}
	out__path(out, path, size, 0);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct unlink_event *event = data;
	struct out *out = &tool->out;

	tool__row(tool, &event->task);
	error__columns(out, -event->result);
	out__string(out, calls[event->call], sizeof("unlink"));
	print_dir(out, event);
	print_path(out, event);
}

/* Before load. */
static void choose_programs(struct tool *tool, struct unlinksnoop_bpf *skel)
{
	struct bpf_program *const of_renames[] = { skel->progs.rename_enter, skel->progs.rename_begin, skel->progs.rename_exit };

	for (size_t i = 0; i < sizeof(of_renames) / sizeof(*of_renames); i++)
		bpf_program__set_autoload(of_renames[i], opt.renames);
	skel->rodata->full_path = opt.has_dirs;
	skel->rodata->has_loop = kernel__has_loop();
	if (!opt.has_dirs || kernel__has_loop())
		layout__leave_out(tool->layout, "dir_read");
	if (!opt.has_dirs || !kernel__has_loop())
		layout__leave_out(tool->layout, "dir_read_by_loop");
	/* safe in a tracing program since 6.1 (bpf_mem_alloc, fba1a1c6c912) */
	if (kernel__version() >= kernel_version(6, 1, 0))
		bpf_map__set_map_flags(skel->maps.long_paths, BPF_F_NO_PREALLOC);
	if (tool->attach->wanted != ATTACH_FENTRY)
		bpf_map__set_max_entries(skel->maps.records, 1);
	skel->rodata->have_task_pt_regs = kernel__has_task_pt_regs();
	bpf_program__set_autoload(skel->progs.refused, refusals__exist());
	skel->rodata->refused_by = refusals__guess();
	refusals__choose_suppressed(skel->skeleton, true);
	attach__fentry_target(tool->attach, skel->progs.unlink_fentry, unlink_functions);
	attach__fentry_target(tool->attach, skel->progs.unlink_fexit, unlink_functions);
	attach__fentry_target(tool->attach, skel->progs.rmdir_fentry, rmdir_functions);
	attach__fentry_target(tool->attach, skel->progs.rmdir_fexit, rmdir_functions);
	if (opt.renames) {
		attach__fentry_target(tool->attach, skel->progs.rename_fentry, rename_functions);
		attach__fentry_target(tool->attach, skel->progs.rename_begin_fentry, rename_begins);
		attach__fentry_target(tool->attach, skel->progs.rename_fexit, rename_functions);
	}
}

/* The return first, and what comes last of the rest: a removal that was seen to begin is then seen to end. */
static void attach_probes(struct tool *tool, struct unlinksnoop_bpf *skel)
{
	struct attach *attach = tool->attach;

	attach__kprobe(attach, skel->progs.unlink_exit, &skel->links.unlink_exit, unlink_functions);
	attach__kprobe(attach, skel->progs.unlink_enter, &skel->links.unlink_enter, unlink_functions);
	attach__kprobe(attach, skel->progs.rmdir_exit, &skel->links.rmdir_exit, rmdir_functions);
	attach__kprobe(attach, skel->progs.rmdir_enter, &skel->links.rmdir_enter, rmdir_functions);
	attach__kprobe(attach, skel->progs.rename_exit, &skel->links.rename_exit, rename_functions);
	attach__kprobe(attach, skel->progs.rename_begin, &skel->links.rename_begin, rename_begins);
	attach__kprobe(attach, skel->progs.rename_enter, &skel->links.rename_enter, rename_functions);
	attach__fentry(attach, skel->progs.unlink_fexit, &skel->links.unlink_fexit);
	attach__fentry(attach, skel->progs.unlink_fentry, &skel->links.unlink_fentry);
	attach__fentry(attach, skel->progs.rmdir_fexit, &skel->links.rmdir_fexit);
	attach__fentry(attach, skel->progs.rmdir_fentry, &skel->links.rmdir_fentry);
	attach__fentry(attach, skel->progs.rename_fexit, &skel->links.rename_fexit);
	attach__fentry(attach, skel->progs.rename_begin_fentry, &skel->links.rename_begin_fentry);
	attach__fentry(attach, skel->progs.rename_fentry, &skel->links.rename_fentry);
	if (!refusals__attach(attach, skel->progs.refused, &skel->links.refused))
		tool__needs_no_link(tool, skel->progs.refused);
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct unlink_event *event = data;

	return record__is_result(event->result) && event->call < UNLINK_CALLS_COUNT &&
	       (size_t)event->path_size + event->dir_size <= UNLINK_TEXT_MAX &&
	       record__has(size, offsetof(struct unlink_event, text) + event->path_size, event->dir_size);
}

static const struct tool_about about = {
	.name = "unlinksnoop",
	.summary = "Shows files and directories being removed: by whom, with what result.",
	.examples = "  sudo unlinksnoop           every removal on the system\n"
		    "  sudo unlinksnoop -x        those that failed\n"
		    "  sudo unlinksnoop -e -n rm  what rm removes, and whether by unlink or rmdir\n"
		    "  sudo unlinksnoop -F --renames  whole paths, and renames over files\n"
		    "  sudo unlinksnoop /etc/     paths that contain /etc/\n"
		    "  sudo unlinksnoop -T -p 42  one process, with times\n",
	.options = options,
	.renamed = renamed,
	.parse = parse,
	.columns = columns,
	ROW_STACKS(ROW_STACK_USER),
	.argument = "[PATH]",
	.has_result = true,
	.record_max = sizeof(struct unlink_event) + UNLINK_TEXT_MAX,
	RECORDS(unlinksnoop, offsetof(struct unlink_event, text), .is_intact = is_intact, .shown = RECORD_KEYS('e', 'F')),
	.metrics = METRIC_OF_ROWS("file_removals_total", "System calls that remove a file."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct unlinksnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	opt.full_path |= tool.out.json;
	opt.has_dirs = opt.full_path || tool.options.record;
	if (opt.renames)
		tool.since = "5.12 for -r";	/* struct renamedata */
	skel = unlinksnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		path_filter__use(&tool);
		choose_programs(&tool, skel);
		tool__load(&tool);
		attach_probes(&tool, skel);
	}
	tool__run(&tool, skel, print_event);
	unlinksnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* unlinksnoop: files and directories being removed, by whom, with what result. */
#include <errno.h>

#include "lib/probe/attach.h"
#include "lib/print/error.h"
#include "lib/run/path_filter.h"
#include "lib/run/tool.h"
#include "unlinksnoop.h"
#include "unlinksnoop.skel.h"

static struct {
	bool call;
} opt;

static const struct argp_option options[] = {
	{ "extended", 'e', NULL, 0, "a column with the call: unlink or rmdir", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	TOOL_ERROR_COLUMNS,
	{ "CALL", -6, &opt.call, NULL },
	{ "PATH", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* The first one up to 6.12, the second one on 7.2 and newer. */
static const char *const unlink_functions[] = { "do_unlinkat", "filename_unlinkat", NULL };
static const char *const rmdir_functions[] = { "do_rmdir", "filename_rmdir", NULL };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'e':
		opt.call = true;
		return 0;
	case ARGP_KEY_ARG:
		path_filter__parse(arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/*
 * Where the kernel has no copy of the path either, the result is what it found instead (getname() in fs/namei.c): an empty
 * one, one of PATH_SIZE bytes and more, or memory that cannot be read.
 */
static void print_path(struct out *out, const struct unlink_event *event)
{
	if (event->path_size)
		out__path(out, event->path, event->path_size, 0);
	else if (event->result == -ENOENT)
		out__path(out, "", 0, 0);
	else
		out__path(out, NULL, 0, event->result == -ENAMETOOLONG ? PATH_SIZE : 0);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct unlink_event *event = data;
	struct out *out = &tool->out;

	tool__row(tool, &event->task);
	error__columns(out, -event->result);
	out__string(out, event->call == UNLINK_DIR ? "rmdir" : "unlink", 6);
	print_path(out, event);
}

/* The return first: a removal that was seen to begin is then seen to end. */
static void attach_probes(struct attach *attach, struct unlinksnoop_bpf *skel)
{
	attach__kprobe(attach, skel->progs.unlink_exit, &skel->links.unlink_exit, unlink_functions);
	attach__kprobe(attach, skel->progs.unlink_enter, &skel->links.unlink_enter, unlink_functions);
	attach__kprobe(attach, skel->progs.rmdir_exit, &skel->links.rmdir_exit, rmdir_functions);
	attach__kprobe(attach, skel->progs.rmdir_enter, &skel->links.rmdir_enter, rmdir_functions);
	attach__fentry(attach, skel->progs.unlink_fexit, &skel->links.unlink_fexit);
	attach__fentry(attach, skel->progs.unlink_fentry, &skel->links.unlink_fentry);
	attach__fentry(attach, skel->progs.rmdir_fexit, &skel->links.rmdir_fexit);
	attach__fentry(attach, skel->progs.rmdir_fentry, &skel->links.rmdir_fentry);
}

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = {
		.name = "unlinksnoop",
		.summary = "Shows files and directories being removed: by whom, with what result.",
		.examples = "  sudo unlinksnoop           every removal on the system\n"
			    "  sudo unlinksnoop -x        those that failed\n"
			    "  sudo unlinksnoop -e -n rm  what rm removes, and whether by unlink or rmdir\n"
			    "  sudo unlinksnoop /etc/     paths that contain /etc/\n"
			    "  sudo unlinksnoop -T -p 42  one process, with times\n",
		.options = options,
		.parse = parse,
		.columns = columns,
		.argument = "[PATH]",
		.has_result = true,
		.record_max = sizeof(struct unlink_event) + PATH_SIZE,
		.attach = &attach,
	};
	struct unlinksnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = unlinksnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		path_filter__use(&tool);
		attach__fentry_target(&attach, skel->progs.unlink_fentry, unlink_functions);
		attach__fentry_target(&attach, skel->progs.unlink_fexit, unlink_functions);
		attach__fentry_target(&attach, skel->progs.rmdir_fentry, rmdir_functions);
		attach__fentry_target(&attach, skel->progs.rmdir_fexit, rmdir_functions);
		tool__load(&tool);
		attach_probes(&attach, skel);
	}
	tool__run(&tool, skel, print_event);
	unlinksnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* filelife: files that are created and removed soon after: who did it, and how long they lived. */
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/layout/layout.h"
#include "lib/print/dir.h"
#include "lib/probe/attach.h"
#include "lib/run/argument.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "filelife.h"
#include "filelife.skel.h"

static struct {
	bool full_path;
	bool has_dirs;		/* the programs send them: it may be asked for when a record is shown */
	uint64_t max_age_ns;
} opt = { .max_age_ns = UINT64_MAX };

enum { KEY_YOUNGER = 0x200 };

static const struct argp_option options[] = {
	{ "full-path", 'F', NULL, 0, "the whole path; JSON has it always", 0 },
	{ "younger", KEY_YOUNGER, "TIME", 0, "only files that were removed at this age or before: 10ms, 2s", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "--faster", "--younger TIME: files of this age or less" },
	{ NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)state;
	switch (key) {
	case 'F':
		opt.full_path = true;
		return 0;
	case KEY_YOUNGER:
		opt.max_age_ns = argument__time("--younger", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "AGE(s)", 10, NULL, "age_ns" },
	{ "HELD(s)", 9, NULL, "held_ns" },
	{ "HOW", -6, NULL, "removed_by" },
	{ "BY_PID", -7, NULL, "creator_pid" },
	{ "BY_TID", -7, &tool_not_shown, "creator_tid" },
	{ "CREATOR", -16, NULL, "creator_comm" },
	{ "BYTES", 9, NULL, "file_bytes" },
	{ "INODE", 8, &tool_not_shown, NULL },
	{ "PATH", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static const char *const ends[] = {
	[FILELIFE_OTHER] = "other", [FILELIFE_UNLINK] = "unlink", [FILELIFE_RENAME] = "rename", [FILELIFE_CLOSE] = "close",
};

/* Seconds; JSON has nanoseconds. */
static void put_time(struct out *out, uint64_t ns)
{
	if (out->json)
		out__int(out, (int64_t)ns);
	else
		out__milliseconds(out, ns / 1000000);
}

static void print_path(struct out *out, const struct filelife_event *event)
{
	char path[FILELIFE_TEXT_MAX + sizeof(".../")];
	size_t size = event->name_size;

	if (!size) {
		out__no_path(out);
		return;
	}
	if (!opt.full_path) {
		out__path(out, event->text, size, 0);
		return;
	}
	size = dir__join(path, sizeof(path), event->text, size, event->text + DIR_NAME_SIZE, event->dir_size, event->dir_is_cut);
	out__path(out, path, size, 0);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct filelife_event *event = data;
	struct out *out = &tool->out;

	(void)size;
	tool__row(tool, &event->task);
	put_time(out, event->age_ns);
	put_time(out, event->held_ns);
	out__string(out, ends[event->how], strlen(ends[event->how]));
	out__int(out, event->creator_pid);
	out__int(out, event->creator_tid);
	out__string(out, event->creator_comm, sizeof(event->creator_comm));
	if (event->size == FILELIFE_NO_SIZE)
		out__none(out);
	else
		out__int(out, (int64_t)event->size);
	out__int(out, (int64_t)event->inode);
	print_path(out, event);
}

/* Before load. */
static void prepare(struct tool *tool, struct filelife_bpf *skel)
{
	skel->rodata->full_path = opt.has_dirs;
	skel->rodata->max_age_ns = opt.max_age_ns;
	tool__choose_loop(tool, "dir_read_at", "dir_read_at_by_loop");
	if (!opt.has_dirs) {
		layout__leave_out(tool->layout, "dir_read_at");
		layout__leave_out(tool->layout, "dir_read_at_by_loop");
	}
	/* a record that is begun is copied as a whole */
	if (!opt.has_dirs) {
		skel->rodata->text_max = DIR_NAME_SIZE;
		bpf_map__set_value_size(skel->maps.removals, FILELIFE_REMOVAL_SIZE(DIR_NAME_SIZE));
	}
	if (kernel__allocates_on_demand())
		bpf_map__set_map_flags(skel->maps.removals, BPF_F_NO_PREALLOC);
}

/* What comes last of a file's life first: a file that was seen to be born is then seen to go. */
static void attach_probes(struct tool *tool, struct filelife_bpf *skel)
{
	static const char *const frees[] = { "security_inode_free", NULL };
	static const char *const unlinks[] = { "security_path_unlink", NULL };
	static const char *const renames[] = { "security_path_rename", NULL };
	static const char *const tmpfiles[] = { "d_mark_tmpfile", "d_tmpfile", NULL };
	static const char *const instantiates[] = { "security_d_instantiate", NULL };
	static const char *const creates[] = { "security_path_mknod", NULL };
	struct attach *attach = tool->attach;

	attach__kprobe(attach, skel->progs.inode_free, &skel->links.inode_free, frees);
	attach__kprobe(attach, skel->progs.unlink, &skel->links.unlink, unlinks);
	attach__kprobe(attach, skel->progs.rename, &skel->links.rename, renames);
	attach__kprobe(attach, skel->progs.create_tmpfile, &skel->links.create_tmpfile, tmpfiles);
	attach__kprobe(attach, skel->progs.create_end, &skel->links.create_end, instantiates);
	attach__kprobe(attach, skel->progs.create_begin, &skel->links.create_begin, creates);
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct filelife_event *event = data;

	size_t text = offsetof(struct filelife_event, text);

	return event->how < sizeof(ends) / sizeof(*ends) && event->name_size <= DIR_NAME_SIZE &&
	       record__has(size, text, event->name_size) && event->dir_size <= DIR_ROOM &&
	       (!event->dir_size || record__has(size, text + DIR_NAME_SIZE, event->dir_size));
}

static const struct tool_about about = {
	.name = "filelife",
	.summary = "Shows files that are created and removed while it runs: by whom, and how long they lived.",
	.examples = "  sudo filelife                 every such file on the system\n"
		    "  sudo filelife --younger 1s    those that lived for a second at most\n"
		    "  sudo filelife -F -T -n cc1    whole paths, and times, of what cc1 removes\n"
		    "  sudo filelife --count creator_comm,comm 10  who makes how many\n",
	.options = options,
	.foreign_options = foreign_options,
	.parse = parse,
	.columns = columns,
	.record_max = sizeof(struct filelife_event) + FILELIFE_TEXT_MAX,
	RECORDS(filelife, offsetof(struct filelife_event, text), .is_intact = is_intact, .shown = RECORD_KEYS('F')),
	.metrics = METRIC_OF_ROWS("file_lives_total", "Files that were created and removed."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct filelife_bpf *skel;

	tool__parse(&tool, argc, argv);
	opt.full_path |= tool.out.json;
	opt.has_dirs = opt.full_path || tool.options.record;
	skel = filelife_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		prepare(&tool, skel);
		tool__load(&tool);
		attach_probes(&tool, skel);
	}
	tool__run(&tool, skel, print_event);
	filelife_bpf__destroy(skel);
	return tool__finish(&tool);
}

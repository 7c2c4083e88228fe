/* SPDX-License-Identifier: BSD-2-Clause */
/* syncsnoop: calls that write data back to disk, by whom, of which file, how long they take, with what result. */
#include <errno.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/kernel/tracefs.h"
#include "lib/layout/layout.h"
#include "lib/print/error.h"
#include "lib/probe/syscall_exits.h"
#include "lib/probe/missed.h"
#include "lib/probe/refusals.h"
#include "lib/run/argument.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/renamed.h"
#include "lib/run/tool.h"
#include "lib/stacks/row_stacks.h"
#include "syncsnoop.h"
#include "syncsnoop.skel.h"

static struct {
	uint64_t min_ns;
} opt;

enum { KEY_SLOWER = 0x200 };

static const struct argp_option options[] = {
	{ "slower", KEY_SLOWER, "TIME", 0, "only calls that take TIME or more: 10ms, 500us, 2s", 0 },
	{ "min-ms", 'm', "MS", OPTION_HIDDEN, NULL, 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "CALL", -18, NULL, NULL },
	TOOL_ERROR_COLUMNS,
	{ "LAT(ms)", 10, NULL, "lat_ms" },
	{ "FD", 3, NULL, NULL },
	{ "FILE", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static const enum syscall_id calls[] = { TRACED_CALLS(SYSCALLS_ID) SYSCALL_NONE };

static const struct renamed renamed[] = {
	{ 'm', KEY_SLOWER, "-m MS", "--slower TIME (--slower 10ms)", "ms" },
	{ 0, 0, NULL, NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != KEY_SLOWER)
		return ARGP_ERR_UNKNOWN;
	opt.min_ns = argument__time("--slower", arg);
	return 0;
}

static const char *call_name(unsigned int call)
{
	switch (call) {
	case SYNC_URING_FSYNC:
		return "io_uring_fsync";
	case SYNC_URING_FDATASYNC:
		return "io_uring_fdatasync";
	case SYNC_URING_RANGE:
		return "io_uring_sync_file_range";
	default:
		return syscall_exits__call_name(call);
	}
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct sync_event *event = data;
	const char *call = call_name(event->call);
	struct out *out = &tool->out;

	tool__row(tool, &event->task);
	out__string(out, call, strlen(call));
	error__columns(out, -event->result);
	if (event->is_refused)
		out__none(out);
	else	/* microseconds as milliseconds */
		out__milliseconds(out, event->latency_ns / 1000);
	if (event->fd == -1)
		out__none(out);
	else
		out__int(out, event->fd);
	if (event->file_size == SYNC_FILE_FAULT)
		out__path(out, NULL, 0, 0);
	else if (event->file_size)
		out__path(out, event->file, event->file_size, 0);
	else
		out__no_path(out);
}

/*
 * io_uring's operations have functions of their own from 5.11 on, which tell the result since 5.19.  Before, they are seen where
 * the file is written back, and where the worker tells that the request is complete.
 */
static bool has_uring_functions(void)
{
	return kernel__version() >= kernel_version(5, 19, 0);
}

/* What is read of kernel structs, and so takes the kernel's BTF: names of files, and all of io_uring. */
static void choose_programs(struct tool *tool, const struct syncsnoop_bpf *skel, bool has_types)
{
	bool uring = has_types && tracefs__has_event_since("io_uring/io_uring_complete", kernel_version(5, 1, 0));
	bool functions = has_uring_functions();

	if (uring && !functions && !tracefs__mount_point()) {
		missed__tell_unseen("io_uring's calls are not seen");
		uring = false;
	}
	syscall_exits__choose(skel->skeleton, tool->attach, calls, has_types);
	bpf_program__set_autoload(skel->progs.refused, has_types && refusals__exist());
	skel->rodata->refused_by = refusals__guess();
	bpf_program__set_autoload(skel->progs.range_synced, has_types);
	bpf_program__set_autoload(skel->progs.uring_range_synced, uring && !functions);
	bpf_program__set_autoload(skel->progs.uring_complete, uring && !functions);
	bpf_program__set_autoload(skel->progs.uring_fsync_enter, uring && functions);
	bpf_program__set_autoload(skel->progs.uring_fsync_exit, uring && functions);
	bpf_program__set_autoload(skel->progs.uring_range_enter, uring && functions);
	bpf_program__set_autoload(skel->progs.uring_range_exit, uring && functions);
	skel->rodata->uring_by_file = uring && !functions;
	skel->rodata->have_types = has_types;
	skel->rodata->have_task_pt_regs = kernel__has_task_pt_regs();
	if (!has_types) {
		layout__leave_out(tool->layout, "files_name");
		layout__leave_out(tool->layout, "name_of");
		say__warning("names of files, and io_uring's calls, are not seen: this kernel has no BTF "
		    "(CONFIG_DEBUG_INFO_BTF)");
		missed__tell_unseen("io_uring's calls are not seen");
	}
}

/* Without these probes the tool goes on. */
static bool attach_one(struct tool *tool, struct bpf_program *program, struct bpf_link **link, const char *function,
		       const char *what)
{
	const char *const functions[] = { function, NULL };
	struct fault fault;

	if (tool->attach->err || bpf_program__fd(program) < 0)
		return true;
	if (!attach__optional(tool->attach, program, link, functions, &fault))
		return true;
	say__warning("%s not seen: %s", what, fault.text);
	tool__needs_no_link(tool, program);
	return false;
}

/* The returns first: what is seen to begin is then seen to end. */
static void attach_probes(struct tool *tool, struct syncsnoop_bpf *skel)
{
	static const char uring[] = "io_uring's calls are";
	const struct bpf_program *uring_programs[] = { skel->progs.uring_fsync_exit, skel->progs.uring_fsync_enter,
						       skel->progs.uring_range_exit, skel->progs.uring_range_enter,
						       skel->progs.uring_range_synced };
	bool uring_is_seen;

	syscall_exits__attach(skel->skeleton, tool->attach, calls);
	uring_is_seen = attach_one(tool, skel->progs.uring_fsync_exit, &skel->links.uring_fsync_exit, "io_fsync", uring) &&
		attach_one(tool, skel->progs.uring_fsync_enter, &skel->links.uring_fsync_enter, "io_fsync", uring) &&
		attach_one(tool, skel->progs.uring_range_exit, &skel->links.uring_range_exit, "io_sync_file_range", uring) &&
		attach_one(tool, skel->progs.uring_range_enter, &skel->links.uring_range_enter, "io_sync_file_range", uring) &&
		attach_one(tool, skel->progs.uring_range_synced, &skel->links.uring_range_synced, "sync_file_range", uring);
	if (!uring_is_seen) {
		missed__tell_unseen("io_uring's calls are not seen");
		/* those behind the first that could not be attached have not been tried */
		for (size_t i = 0; i < sizeof(uring_programs) / sizeof(*uring_programs); i++)
			tool__needs_no_link(tool, uring_programs[i]);
	}
	if (!refusals__attach(tool->attach, skel->progs.refused, &skel->links.refused))
		tool__needs_no_link(tool, skel->progs.refused);
	attach_one(tool, skel->progs.range_synced, &skel->links.range_synced, "vfs_fsync_range", "the names of msync's files are");
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct sync_event *event = data;

	(void)size;
	return record__is_result(event->result) && (event->file_size <= FILE_NAME_SIZE || event->file_size == SYNC_FILE_FAULT) &&
	       (syscall_exits__is_call(event->call) || (event->call >= SYNC_URING && event->call <= SYNC_URING_RANGE));
}

static const struct tool_about about = {
	.name = "syncsnoop",
	.summary = "Shows calls that write data back to disk: by whom, of which file, how long they take.",
	.examples = "  sudo syncsnoop            every fsync, sync, msync and so on\n"
		    "  sudo syncsnoop --slower 10ms -T    those of 10 ms and more, with times\n"
		    "  sudo syncsnoop -x         those that fail\n"
		    "  sudo syncsnoop -p 1234    one process\n",
	.options = options,
	.renamed = renamed,
	.parse = parse,
	.columns = columns,
	ROW_STACKS(ROW_STACK_USER),
	.has_result = true,
	RECORDS(syncsnoop, sizeof(struct sync_event), .is_intact = is_intact),
	.metrics = METRIC_OF_ROWS("sync_calls_total", "System calls that write files back to disks."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct syncsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = syncsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->min_ns = opt.min_ns;
		choose_programs(&tool, skel, kernel__has_btf());
		tool__load(&tool);
		attach_probes(&tool, skel);
	}
	tool__run(&tool, skel, print_event);
	syncsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

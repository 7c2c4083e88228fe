/* SPDX-License-Identifier: BSD-2-Clause */
/* modsnoop: modules that are loaded, requested by the kernel and removed, by whom, with what result. */
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/layout/layout.h"
#include "lib/print/error.h"
#include "lib/probe/syscall_exits.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "lib/stacks/row_stacks.h"
#include "modsnoop.h"
#include "modsnoop.skel.h"

static struct {
	bool extended;
} opt;

static const struct argp_option options[] = {
	{ "extended", 'e', NULL, 0, "columns with the system call and its flags", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "EVENT", -7, NULL, "kind" },
	{ "CALL", -13, &opt.extended, NULL },
	{ "FLAGS", 6, &opt.extended, NULL },
	{ "WAIT", 4, &tool_not_shown, NULL },
	TOOL_ERROR_COLUMNS,
	{ "MODULE", -20, NULL, NULL },
	{ "FILE", -20, NULL, NULL },
	{ "PARAMS", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "FILE", NULL };

static const enum syscall_id calls[] = { TRACED_CALLS(SYSCALLS_ID) SYSCALL_NONE };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != 'e')
		return ARGP_ERR_UNKNOWN;
	opt.extended = true;
	return 0;
}

/* is_expected: the call has such a text, and where it is not here, it could not be read. */
static void print_text(struct out *out, const struct module_event *event, enum module_text text, bool is_expected)
{
	const char *at = event->texts + (size_t)text * event->room;

	if (event->sizes[text])
		out__path(out, at, event->sizes[text], 0);
	else if (is_expected)
		out__path(out, NULL, 0, 0);
	else
		out__no_path(out);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct module_event *event = data;
	const char *call = syscall_exits__call_name(event->call);
	bool is_request = event->call == SYSCALL_NONE, is_removal = event->call == SYSCALL_delete_module;
	bool known = !(event->about & MODULE_ARGS_UNKNOWN);
	struct out *out = &tool->out;

	tool__row(tool, &event->task);
	out__string(out, is_request ? "request" : is_removal ? "remove" : "load", 7);
	if (is_request) {
		out__none(out);
		out__none(out);
		out__bool(out, event->about & MODULE_WAITS);
		out__none(out);
		out__none(out);
	} else {
		out__string(out, call, strlen(call));
		if (known && event->call != SYSCALL_init_module)
			out__hex(out, event->flags);
		else
			out__none(out);
		out__none(out);
		error__columns(out, -event->result);
	}
	print_text(out, event, MODULE_NAME, is_removal && known);
	print_text(out, event, MODULE_FILE, false);
	print_text(out, event, MODULE_PARAMS, !is_request && !is_removal && known);
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct module_event *event = data;

	for (int i = 0; i < MODULE_TEXTS; i++)
		if (event->sizes[i] > event->room)
			return false;
	return record__is_result(event->result) && (event->call == SYSCALL_NONE || syscall_exits__is_call(event->call)) &&
	       record__has(size, offsetof(struct module_event, texts), (size_t)MODULE_TEXTS * event->room);
}

static const struct tool_about about = {
	.name = "modsnoop",
	.summary = "Shows kernel modules being loaded, requested and removed: by whom, with what result.",
	.examples = "  sudo modsnoop          every load, request and removal\n"
		    "  sudo modsnoop -x       modules that cannot be loaded or removed\n"
		    "  sudo modsnoop -T -U    with time and user\n",
	.options = options,
	.parse = parse,
	.columns = columns,
	.spare = spare,
	ROW_STACKS(ROW_STACK_KERNEL | ROW_STACK_USER),
	.has_result = true,
	.record_max = sizeof(struct module_event) + MODULE_TEXTS * PATH_SIZE,
	RECORDS(modsnoop, offsetof(struct module_event, texts), .is_intact = is_intact, .shown = RECORD_KEYS('e')),
	.metrics = METRIC_OF_ROWS("module_changes_total", "Modules of the kernel that were loaded or removed."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	bool has_types = kernel__has_btf();
	enum syscall_exits_way way;
	struct modsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = modsnoop_bpf__open_opts(tool__open_opts(&tool));
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
	modsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

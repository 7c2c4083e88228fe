/* SPDX-License-Identifier: BSD-2-Clause */
/* mountsnoop: file systems being mounted and unmounted, by the old calls and the new ones, by whom, with what result. */
#include <stdio.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/layout/layout.h"
#include "lib/print/error.h"
#include "lib/print/mount_flags.h"
#include "lib/probe/syscall_exits.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "lib/stacks/row_stacks.h"
#include "mountsnoop.h"
#include "mountsnoop.skel.h"

static struct {
	bool data;
} opt;

static const struct argp_option options[] = {
	{ "extended", 'e', NULL, 0, "a column with the file system's own options, which may hold passwords", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "MNT_NS", -10, NULL, "mntns" },
	{ "CALL", -13, NULL, NULL },
	TOOL_ERROR_COLUMNS,
	{ "FD", 3, NULL, NULL },
	{ "TO_FD", 5, &tool_not_shown, NULL },
	{ "NEW_FD", 6, NULL, NULL },
	{ "TYPE", -8, NULL, "fstype" },
	{ "SOURCE", -16, NULL, "mount_source" },
	{ "TARGET", -24, NULL, NULL },
	{ "FLAGS_NUMBER", 10, &tool_not_shown, "flags" },
	{ "FLAGS", -20, NULL, "flags_names" },
	{ "ATTR_SET", 10, &tool_not_shown, NULL },
	{ "ATTR_CLR", 10, &tool_not_shown, NULL },
	{ "PROPAGATION", 10, &tool_not_shown, NULL },
	{ "DATA", 0, &opt.data, NULL },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "NEW_FD", "FD", "MNT_NS", "FLAGS", "TYPE", NULL };

static const enum syscall_id calls[] = { TRACED_CALLS(SYSCALLS_ID) SYSCALL_NONE };

/* include/uapi/linux/mount.h */
static const char *const fsconfig_commands[] = {
	"FSCONFIG_SET_FLAG", "FSCONFIG_SET_STRING", "FSCONFIG_SET_BINARY", "FSCONFIG_SET_PATH", "FSCONFIG_SET_PATH_EMPTY",
	"FSCONFIG_SET_FD", "FSCONFIG_CMD_CREATE", "FSCONFIG_CMD_RECONFIGURE", "FSCONFIG_CMD_CREATE_EXCL",
};

static const struct flag_name *names_of(enum syscall_id call)
{
	switch (call) {
	case SYSCALL_mount:
		return mount_flags;
	case SYSCALL_umount:
		return umount_flags;
	case SYSCALL_open_tree:
	case SYSCALL_open_tree_attr:
	case SYSCALL_mount_setattr:
		return open_tree_flags;
	case SYSCALL_move_mount:
		return move_mount_flags;
	case SYSCALL_fsopen:
		return fsopen_flags;
	case SYSCALL_fsmount:
		return fsmount_flags;
	case SYSCALL_fspick:
		return fspick_flags;
	default:
		return NULL;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != 'e')
		return ARGP_ERR_UNKNOWN;
	opt.data = true;
	return 0;
}

static bool has_text(const struct mount_event *event, enum mount_text text)
{
	return event->about & MOUNT_HAS_TEXT << text;
}

static const char *text_of(const struct mount_event *event, enum mount_text text)
{
	return event->sizes[text] ? event->texts + (size_t)text * event->room : NULL;
}

static void print_text(struct out *out, const struct mount_event *event, enum mount_text text)
{
	if (!has_text(event, text))
		out__no_path(out);
	/* as good as an empty path, where the call takes it; else an address that cannot be read */
	else if (event->about & MOUNT_NULL << text && event->result != -EFAULT)
		out__path(out, "", 1, 0);
	else
		out__path(out, text_of(event, text), event->sizes[text], 0);
}

/* fsconfig's parameter: KEY, or KEY=VALUE. */
static void print_parameter(struct out *out, const struct mount_event *event)
{
	const char *key = text_of(event, MOUNT_DATA), *value = text_of(event, MOUNT_SOURCE);
	char text[2 * PATH_SIZE + 1];

	if (!has_text(event, MOUNT_DATA)) {
		out__no_path(out);
	} else if (!key || !has_text(event, MOUNT_SOURCE)) {
		out__path(out, key, event->sizes[MOUNT_DATA], 0);
	} else {
		snprintf(text, sizeof(text), "%.*s=%.*s", event->sizes[MOUNT_DATA], key, value ? event->sizes[MOUNT_SOURCE] : 7,
			 value ? value : "<fault>");
		out__path(out, text, sizeof(text), 0);
	}
}

static void print_flags(struct out *out, const struct mount_event *event)
{
	uint64_t flags = event->flags;
	char text[640];

	if (event->call == SYSCALL_oldumount || event->call == SYSCALL_pivot_root) {
		out__none(out);
		out__none(out);
		return;
	}
	/* a mark of old programs that means nothing (do_mount() in fs/namespace.c) */
	if (event->call == SYSCALL_mount && (flags & 0xffff0000) == 0xc0ed0000)
		flags &= 0xffff;
	if (event->call == SYSCALL_fsconfig && flags < sizeof(fsconfig_commands) / sizeof(*fsconfig_commands))
		snprintf(text, sizeof(text), "%s", fsconfig_commands[flags]);
	else
		flags__text(names_of(event->call), flags, text, sizeof(text));
	if (event->call == SYSCALL_fsmount && event->attr_set) {
		size_t used = strlen(text);

		text[used++] = '|';
		flags__text(mount_attributes, event->attr_set, text + used, sizeof(text) - used);
	}
	out__hex(out, event->flags);
	out__string(out, text, sizeof(text));
}

static void print_attributes(struct out *out, const struct mount_event *event)
{
	if (event->about & MOUNT_HAS_ATTR) {
		out__hex(out, event->attr_set);
		out__hex(out, event->attr_clr);
		out__hex(out, event->propagation);
	} else {
		out__none(out);
		out__none(out);
		out__none(out);
	}
}

/* The change that mount_setattr() and open_tree_attr() ask for: "+MOUNT_ATTR_RDONLY -MOUNT_ATTR_NODEV MS_SHARED". */
static void print_change(struct out *out, const struct mount_event *event)
{
	char set[320], clear[320], propagation[640], text[1400];

	if (!(event->about & MOUNT_HAS_ATTR)) {
		out__path(out, NULL, 0, 0);
		return;
	}
	flags__text(mount_attributes, event->attr_set, set, sizeof(set));
	flags__text(mount_attributes, event->attr_clr, clear, sizeof(clear));
	flags__text(mount_flags, event->propagation, propagation, sizeof(propagation));
	snprintf(text, sizeof(text), "%s%s%s%s%s%s", event->attr_set ? "+" : "", event->attr_set ? set : "",
		 event->attr_clr ? " -" : "", event->attr_clr ? clear : "", event->propagation ? " " : "",
		 event->propagation ? propagation : "");
	out__path(out, *text == ' ' ? text + 1 : text, sizeof(text) - 1, 0);
}

static void print_data(struct out *out, const struct mount_event *event)
{
	if (event->call == SYSCALL_fsconfig)
		print_parameter(out, event);
	else if (event->call == SYSCALL_mount_setattr || event->call == SYSCALL_open_tree_attr)
		print_change(out, event);
	else
		print_text(out, event, MOUNT_DATA);
}

static void print_number(struct out *out, bool has_number, int64_t number)
{
	if (has_number)
		out__int(out, number);
	else
		out__none(out);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct mount_event *event = data;
	const char *call = syscall_exits__call_name(event->call);
	bool makes_fd = event->call == SYSCALL_fsopen || event->call == SYSCALL_fsmount || event->call == SYSCALL_fspick ||
			event->call == SYSCALL_open_tree || event->call == SYSCALL_open_tree_attr;
	struct out *out = &tool->out;

	tool__row(tool, &event->task);
	print_number(out, event->mnt_ns, event->mnt_ns);
	out__string(out, call, strlen(call));
	error__columns(out, event->result < 0 ? -event->result : 0);
	print_number(out, event->about & MOUNT_HAS_FD, event->fd);
	print_number(out, event->about & MOUNT_HAS_TO_FD, event->to_fd);
	print_number(out, makes_fd && event->result >= 0, event->result);
	print_text(out, event, MOUNT_TYPE);
	if (event->call == SYSCALL_fsconfig)
		out__no_path(out);
	else
		print_text(out, event, MOUNT_SOURCE);
	print_text(out, event, MOUNT_TARGET);
	print_flags(out, event);
	print_attributes(out, event);
	print_data(out, event);
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct mount_event *event = data;

	for (int i = 0; i < MOUNT_TEXTS; i++)
		if (event->sizes[i] > event->room)
			return false;
	return record__is_result(event->result) && syscall_exits__is_call(event->call) && event->room <= PATH_SIZE &&
	       record__has(size, offsetof(struct mount_event, texts), (size_t)MOUNT_TEXTS * event->room);
}

static const struct tool_about about = {
	.name = "mountsnoop",
	.summary = "Shows file systems being mounted and unmounted: by whom, where, with what result.",
	.examples = "  sudo mountsnoop           every call that mounts or unmounts\n"
		    "  sudo mountsnoop -x -T     those that fail, with times\n"
		    "  sudo mountsnoop -e -n mount\n"
		    "                            what mount(8) does, with the file systems' options\n",
	.options = options,
	.parse = parse,
	.columns = columns,
	.spare = spare,
	ROW_STACKS(ROW_STACK_USER),
	.has_result = true,
	.record_max = sizeof(struct mount_event) + MOUNT_TEXTS * PATH_SIZE,
	RECORDS(mountsnoop, offsetof(struct mount_event, texts), .is_intact = is_intact, .shown = RECORD_KEYS('e')),
	.metrics = METRIC_OF_ROWS("mount_calls_total", "System calls that change mounts."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	bool has_types = kernel__has_btf();
	enum syscall_exits_way way;
	struct mountsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = mountsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->have_task_pt_regs = kernel__has_task_pt_regs();
		skel->rodata->have_types = has_types;
		way = syscall_exits__choose(skel->skeleton, &attach, calls, has_types);
		skel->rodata->refused_by = syscall_exits__see_refused(&attach, way, calls);
		if (!has_types)
			layout__leave_out(tool.layout, "mount_namespace");
		tool__load(&tool);
		syscall_exits__attach(skel->skeleton, &attach, calls);
	}
	tool__run(&tool, skel, print_event);
	mountsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

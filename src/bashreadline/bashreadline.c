/* SPDX-License-Identifier: BSD-2-Clause */
/* bashreadline: lines that are typed into bash, and into other programs that read them with GNU Readline. */
#include "bashreadline.h"

#include <errno.h>

#include "bashreadline.skel.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/privileges.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "lib/user/user_hooks.h"

/*
 * Where a line is complete.  A return probe on readline() itself misses the line of each shell that waits at its prompt when it is
 * attached: that call has begun before.  This function is called and returns when Enter is pressed.
 */
#define FUNCTION "readline_internal_teardown"

static const char *file;	/* --shared */
static struct user_hooks hooks;
static struct bashreadline_bpf *skel;

enum { KEY_SHARED = 0x200, KEY_FOLLOW };

static const struct argp_option options[] = {
	USER_HOOKS_FOLLOW_OPTION(KEY_FOLLOW),
	{ "shared", KEY_SHARED, "FILE", 0, "this program or library alone, not bash and libreadline", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "LINE", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)state;
	switch (key) {
	case KEY_FOLLOW:
		hooks.follows = true;
		return 0;
	case KEY_SHARED:
		file = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct bashreadline_event *event = data;

	(void)size;
	tool__row(tool, &event->task);
	out__path(&tool->out, event->size ? event->line : NULL, event->size, event->is_cut);
}

/* Adds the places of each file of that name: how many, or -errno with one line in fault. */
static int add_files(const char *name, struct user_places *places, struct fault *fault)
{
	const struct user_targets *targets;
	int files = user_hooks__find(&hooks, name, 0, &targets, fault);

	if (!files)
		files = user_hooks__places(targets, FUNCTION, true, places, fault);
	if (!files)
		fault__set(fault, -ENOENT, "%.256s has no function " FUNCTION " (it is stripped, or a library has it)", name);
	return files ?: -ENOENT;
}

/* bash has the functions of Readline itself, or as a library, as other programs have. */
static int find_places(struct user_places *places, struct fault *fault)
{
	struct fault second;
	int files, others;

	if (file)
		return add_files(file, places, fault);
	files = add_files("bash", places, fault);
	if (files < 0 && files != -ENOENT)
		return files;
	others = add_files("libreadline", places, &second);
	if (others < 0 && others != -ENOENT)
		*fault = second;
	return files < 0 || (others < 0 && others != -ENOENT) ? others : files;
}

static int attach(struct tool *tool)
{
	struct user_places places = { 0 };
	struct fault fault;
	int err = find_places(&places, &fault);

	if (err >= 0)
		err = user_hooks__attach(&hooks, skel->progs.line_entered, &places, &fault);
	if (err < 0)
		tool__fail(tool, err, "%s", fault.text);
	if (!tool->err) {
		tool__needs_no_link(tool, skel->progs.line_entered);
		tool__debug(tool, FUNCTION ": attached at %zu returns", places.count);
	}
	user_places__free(&places);
	return tool->err;
}

static int attach_new(const struct user_target *target, struct fault *fault)
{
	struct user_places places = { 0 };
	int has = user_hooks__places_of(target, FUNCTION, true, &places, fault);
	int err = has > 0 ? user_hooks__attach(&hooks, skel->progs.line_entered, &places, fault) : 0;

	user_places__free(&places);
	return err ? err : has;
}

static void detach(struct tool *tool)
{
	(void)tool;
	user_hooks__detach(&hooks);
}

static const struct foreign_option foreign_options[] = {
	{ "-s", "--shared FILE names a program or library" },
	{ NULL, NULL },
};

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct bashreadline_event *event = data;

	return record__has(size, offsetof(struct bashreadline_event, line), event->size);
}

static const struct tool_about about = {
	.name = "bashreadline",
	.summary = "Shows the lines that are typed into bash, and into other programs that use GNU Readline.",
	.examples = "  sudo bashreadline             every command that is typed\n"
		    "  sudo bashreadline -u postgres    those of a user\n"
		    "  sudo bashreadline --shared /opt/bash/bin/bash\n",
	.options = options,
	.parse = parse,
	.columns = columns,
	.foreign_options = foreign_options,
	RECORDS(bashreadline, offsetof(struct bashreadline_event, line), .is_intact = is_intact),
	.metrics = METRIC_OF_ROWS("lines_typed_total", "Lines that were typed into programs that use GNU Readline."),
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about, .attach_own = attach, .detach_own = detach,
			     .look_around = user_hooks__look_around };
	struct fault fault;

	tool__parse(&tool, argc, argv);
	if (user_hooks__follow(&hooks, attach_new))
		tool.keeps = PRIVILEGES_ATTACH;
	skel = bashreadline_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel))
		user_hooks__prepare(skel->progs.line_entered);
	tool__run(&tool, skel, print_event);
	if (user_hooks__check(&fault))
		tool__fail(&tool, fault.err, "%s", fault.text);
	user_hooks__free(&hooks);
	bashreadline_bpf__destroy(skel);
	return tool__finish(&tool);
}

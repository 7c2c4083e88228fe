/* SPDX-License-Identifier: BSD-2-Clause */
/* bashreadline: lines that are typed into bash, into other programs that read them with GNU Readline, and into zsh. */
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
 * attached: that call has begun before.  readline_internal_teardown() is called and returns when Enter is pressed.  zsh's zleread() is
 * probed where it returns, which also sees a call that has begun before.
 */
enum reader { READLINE, ZLE, READERS };
static const char *const functions[READERS] = { "readline_internal_teardown", "zleread" };

struct places {
	struct user_places of[READERS];
};

static const char *file;	/* --shared */
static struct user_hooks hooks;
static struct bashreadline_bpf *skel;

enum { KEY_SHARED = 0x200, KEY_FOLLOW };

static const struct argp_option options[] = {
	USER_HOOKS_FOLLOW_OPTION(KEY_FOLLOW),
	{ "shared", KEY_SHARED, "FILE", 0, "this program or library alone, not bash, libreadline and zsh", 0 },
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

/* What was typed, of a line as zsh keeps it: 0x83 (Meta, zsh.h) stands before a byte with another bit 5.  The size, with a 0 byte. */
static uint32_t unescape(const char *from, uint32_t size, char *to)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < size && from[i]; i++) {
		bool is_escaped = (unsigned char)from[i] == 0x83 && i + 1 < size && from[i + 1];

		i += is_escaped;
		to[used++] = is_escaped ? from[i] ^ 32 : from[i];
	}
	if (used && to[used - 1] == '\n')
		used--;
	to[used] = 0;
	return used + 1;
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct bashreadline_event *event = data;
	char line[PATH_SIZE + 1];
	uint32_t typed = event->size;

	(void)size;
	tool__row(tool, &event->task);
	if (event->is_zsh && event->size)
		typed = unescape(event->line, event->size, line);
	out__path(&tool->out, !event->size ? NULL : event->is_zsh ? line : event->line, typed, event->is_cut);
}

static void free_places(struct places *places)
{
	for (enum reader reader = 0; reader < READERS; reader++)
		user_places__free(&places->of[reader]);
}

/* Adds the places of a file: 1, 0 where it has none, or -errno with one line in fault. */
static int add_file(const struct user_target *target, struct places *places, struct fault *fault)
{
	int files = 0;

	for (enum reader reader = 0; reader < READERS && files >= 0; reader++) {
		int has = user_hooks__places_of(target, functions[reader], true, &places->of[reader], fault);

		files = has < 0 ? has : files | has;
	}
	return files;
}

/* Adds the places of each file of that name: how many, or -errno with one line in fault. */
static int add_files(const char *name, struct places *places, struct fault *fault)
{
	const struct user_targets *targets;
	int err = user_hooks__find(&hooks, name, 0, &targets, fault), files = 0;

	for (size_t i = 0; !err && i < targets->count; i++) {
		int has = add_file(&targets->list[i], places, fault);

		err = has < 0 ? has : 0;
		files += has;
	}
	if (!err && !files)
		err = fault__set(fault, -ENOENT, "%.256s has no function readline_internal_teardown or zleread (it is stripped, or a library has it)",
				 name);
	return err ? err : files;
}

/* bash has the functions of Readline itself, or as a library, as other programs have; zsh has its own in a module. */
static int find_places(struct places *places, struct fault *fault)
{
	static const char *const names[] = { "bash", "libreadline", "zle.so" };
	struct fault other;
	int files = 0;

	if (file)
		return add_files(file, places, fault);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int has = add_files(names[i], places, i ? &other : fault);

		if (has < 0 && has != -ENOENT)
			return i ? fault__set(fault, has, "%s", other.text) : has;
		files += has > 0 ? has : 0;
	}
	return files ? files : fault->err;
}

static struct bpf_program *program_of(enum reader reader)
{
	return reader == ZLE ? skel->progs.zsh_line_entered : skel->progs.line_entered;
}

/* Attaches to places, which are freed, unless finding them has failed (found < 0).  `found`, or -errno. */
static int attach_places(int found, struct places *places, struct fault *fault)
{
	int err = 0;

	for (enum reader reader = 0; reader < READERS; reader++)
		if (found > 0 && !err && places->of[reader].count)
			err = user_hooks__attach(&hooks, program_of(reader), &places->of[reader], fault);
	free_places(places);
	return err ? err : found;
}

static int attach(struct tool *tool)
{
	struct places places = { .of = { { 0 } } };
	struct fault fault;
	int err = find_places(&places, &fault);

	for (enum reader reader = 0; reader < READERS; reader++) {
		tool__needs_no_link(tool, program_of(reader));
		if (places.of[reader].count)
			tool__debug(tool, "%s: attached at %zu returns", functions[reader], places.of[reader].count);
	}
	err = attach_places(err, &places, &fault);
	if (err < 0)
		tool__fail(tool, err, "%s", fault.text);
	else
		user_hooks__tell_unused(&hooks, tool->options.filter.pids, tool->options.filter.pids_count, tool->command.pid);
	return tool->err;
}

static int attach_new(const struct user_target *target, struct fault *fault)
{
	struct places places = { .of = { { 0 } } };

	return attach_places(add_file(target, &places, fault), &places, fault);
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

	return event->size <= PATH_SIZE && record__has(size, offsetof(struct bashreadline_event, line), event->size);
}

static const struct tool_about about = {
	.name = "bashreadline",
	.summary = "Shows the lines that are typed into bash, zsh, and other programs that use GNU Readline.",
	.examples = "  sudo bashreadline             every command that is typed\n"
		    "  sudo bashreadline -u postgres    those of a user\n"
		    "  sudo bashreadline --shared /opt/bash/bin/bash\n",
	.options = options,
	.parse = parse,
	.columns = columns,
	.foreign_options = foreign_options,
	RECORDS(bashreadline, offsetof(struct bashreadline_event, line), .is_intact = is_intact),
	.metrics = METRIC_OF_ROWS("lines_typed_total", "Lines that were typed into zsh, and into programs that use GNU Readline."),
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
		for (enum reader reader = 0; reader < READERS; reader++)
			user_hooks__prepare(program_of(reader));
	tool__run(&tool, skel, print_event);
	if (user_hooks__check(&fault))
		tool__fail(&tool, fault.err, "%s", fault.text);
	user_hooks__free(&hooks);
	bashreadline_bpf__destroy(skel);
	return tool__finish(&tool);
}

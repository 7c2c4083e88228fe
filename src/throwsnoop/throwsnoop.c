/* SPDX-License-Identifier: BSD-2-Clause */
/* throwsnoop: C++ exceptions being thrown: by whom, of which type. */
#include "throwsnoop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/say.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/privileges.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "lib/stacks/row_stacks.h"
#include "lib/symbol/demangle.h"
#include "lib/user/user_hooks.h"
#include "throwsnoop.skel.h"

#define RATE_MAX 100000		/* as anysnoop's for functions of programs: each call costs some microseconds */

static const char *file;	/* --shared */
static struct user_hooks hooks;
static struct throwsnoop_bpf *skel;

enum { KEY_SHARED = 0x200, KEY_FOLLOW };

static const struct argp_option options[] = {
	USER_HOOKS_FOLLOW_OPTION(KEY_FOLLOW),
	{ "shared", KEY_SHARED, "FILE", 0, "this program or library alone, not all that have the functions", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-s", "--shared FILE names a program or library, and --ustack prints stacks" },
	{ NULL, NULL },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "KIND", -7, NULL, NULL },
	{ "TYPE", 0, NULL, "exception" },
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

/* As people write it, where the demangler knows how. */
static void put_type(struct out *out, const char *type, size_t size)
{
	char encoded[PATH_SIZE + 1], *readable;

	/* "*" in front: types of that name in several libraries are different ones */
	if (*type == '*') {
		type++;
		size--;
	}
	/* nothing would be no column; JSON has quotes anyway */
	if ((!size || !*type) && !out->json) {
		out__string(out, "''", 2);
		return;
	}
	/* a record may lack the 0 byte */
	snprintf(encoded, sizeof(encoded), "%.*s", (int)size, type);
	readable = demangle_type(encoded);
	if (readable)
		out__string(out, readable, strlen(readable));
	else
		out__string(out, type, size);
	free(readable);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct throw_event *event = data;
	const char *kind = event->is_rethrow ? "rethrow" : "throw";
	struct out *out = &tool->out;

	(void)size;
	tool__row(tool, &event->task);
	out__string(out, kind, strlen(kind));
	if (event->is_rethrow)
		out__none(out);
	else if (event->type_size)
		put_type(out, event->type, event->type_size);
	else
		out__string(out, NULL, 0);
}

struct places {
	struct user_places throws, rethrows;
};

/* Adds those of a file: 1, 0 where it has none, or -errno with one line in fault. */
static int add_file(const struct user_target *target, struct places *places, struct fault *fault)
{
	int has = user_hooks__places_of(target, "__cxa_throw", false, &places->throws, fault);
	int again = has > 0 ? user_hooks__places_of(target, "__cxa_rethrow", false, &places->rethrows, fault) : 0;

	return again < 0 ? again : has;
}

/* Adds those of each file: how many files, or -ENOMEM.  One that must not be probed is skipped. */
static int add_files(const struct user_targets *targets, struct places *places)
{
	int files = 0;

	for (size_t i = 0; i < targets->count; i++) {
		struct fault why;
		int has = add_file(&targets->list[i], places, &why);

		if (has == -ENOMEM)
			return has;
		if (has < 0)
			say("%.500s", why.text);
		files += has > 0;
	}
	return files;
}

/* The libraries, in containers too, and programs that carry one; or the file that was named. */
static int find(struct places *places, struct fault *fault)
{
	const char *const names[] = { file ? file : "libstdc++", file ? NULL : "libc++abi" };
	const struct user_targets *targets;
	int files = 0, has, err;

	for (int i = 0; i < 2 && names[i]; i++) {
		err = user_hooks__find(&hooks, names[i], 0, &targets, fault);
		has = err ? err : add_files(targets, places);
		if (has < 0 && (has != -ENOENT || file))
			return has;
		files += has > 0 ? has : 0;
	}
	if (!file) {
		err = user_hooks__find_programs(&hooks, "__cxa_throw", &targets, fault);
		has = err ? err : add_files(targets, places);
		if (has < 0)
			return has;
		files += has;
	}
	if (files)
		return 0;
	if (file)
		return fault__set(fault, -ENOENT, "%.256s throws no C++ exceptions itself: it has no function __cxa_throw (a library has it?)", file);
	return fault__set(fault, -ENOENT, "no process uses libstdc++ or libc++abi, and this machine has none of them (--shared FILE)");
}

/* Attaches to places, which are freed, unless finding them has failed (found < 0).  `found`, or -errno. */
static int attach_places(int found, struct places *places, struct fault *fault)
{
	int err = found < 0 || !places->throws.count ? 0 : user_hooks__attach(&hooks, skel->progs.thrown, &places->throws, fault);

	if (found >= 0 && !err && places->rethrows.count)
		err = user_hooks__attach(&hooks, skel->progs.thrown_again, &places->rethrows, fault);
	user_places__free(&places->throws);
	user_places__free(&places->rethrows);
	return err ? err : found;
}

static int attach(struct tool *tool)
{
	struct places places = { 0 };
	struct fault fault = { 0 };
	int err = attach_places(find(&places, &fault), &places, &fault);

	if (err < 0)
		tool__fail(tool, err, "%s", *fault.text ? fault.text : strerror(-err));
	else
		user_hooks__tell_unused(&hooks, tool->options.filter.pids, tool->options.filter.pids_count, tool->command.pid);
	tool__needs_no_link(tool, skel->progs.thrown);
	tool__needs_no_link(tool, skel->progs.thrown_again);
	return tool->err;
}

static int attach_new(const struct user_target *target, struct fault *fault)
{
	struct places places = { 0 };

	return attach_places(add_file(target, &places, fault), &places, fault);
}

static void detach(struct tool *tool)
{
	(void)tool;
	user_hooks__detach(&hooks);
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct throw_event *event = data;

	return event->type_size <= PATH_SIZE && record__has(size, offsetof(struct throw_event, type), event->type_size);
}

static const struct tool_about about = {
	.name = "throwsnoop",
	.summary = "Shows C++ exceptions being thrown: by whom, of which type.",
	.examples = "  sudo throwsnoop                        all, of every process\n"
		    "  sudo throwsnoop -p 1234 --ustack       of a process, with stacks\n"
		    "  sudo throwsnoop --count comm,exception  how many of each type\n",
	.options = options,
	.foreign_options = foreign_options,
	.parse = parse,
	.columns = columns,
	ROW_STACKS(ROW_STACK_USER),
	.rate_max = RATE_MAX,
	RECORDS(throwsnoop, offsetof(struct throw_event, type), .is_intact = is_intact),
	.metrics = METRIC_OF_ROWS("exceptions_thrown_total", "C++ exceptions that were thrown, or thrown again."),
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about, .attach_own = attach, .detach_own = detach,
			     .look_around = user_hooks__look_around };
	struct fault fault;

	tool__parse(&tool, argc, argv);
	if (user_hooks__follow(&hooks, attach_new))
		tool.keeps = PRIVILEGES_ATTACH;
	skel = throwsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		user_hooks__prepare(skel->progs.thrown);
		user_hooks__prepare(skel->progs.thrown_again);
	}
	tool__run(&tool, skel, print_event);
	if (user_hooks__check(&fault))
		tool__fail(&tool, fault.err, "%s", fault.text);
	user_hooks__free(&hooks);
	throwsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

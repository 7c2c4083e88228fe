/* SPDX-License-Identifier: BSD-2-Clause */
/* gethostlatency: how long programs look up hosts, by the functions of their C library. */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include "lib/print/error.h"
#include "lib/run/argument.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/privileges.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "lib/user/user_hooks.h"
#include "lib/user/user_machine.h"
#include "gethostlatency.h"
#include "gethostlatency.skel.h"

#define FUNCTIONS 3
#define RATE_MAX 100000		/* as anysnoop's for functions of programs: each call costs some microseconds */

static const char *file;	/* --shared */
static uint64_t min_ns;
static struct user_hooks hooks;
static struct gethostlatency_bpf *skel;

enum { KEY_SHARED = 0x200, KEY_SLOWER, KEY_FOLLOW };

static const struct argp_option options[] = {
	USER_HOOKS_FOLLOW_OPTION(KEY_FOLLOW),
	{ "shared", KEY_SHARED, "FILE", 0, "this program or library alone, not each libc", 0 },
	{ "slower", KEY_SLOWER, "TIME", 0, "only look-ups of TIME or more: 500us, 10ms, 2s", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "-l", "--shared FILE names a C library" },
	{ "--libc", "--shared FILE names a C library" },
	{ NULL, NULL },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "LAT(ms)", 10, NULL, "lat_ms" },
	{ "CALL", -13, NULL, NULL },
	{ "RET", -14, NULL, "failure" },
	{ "HOST", 0, NULL, "asked_host" },
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
	case KEY_SLOWER:
		min_ns = argument__time("--slower", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The name of a failure, maybe in `room`. */
static const char *failure_name(const struct gethost_event *event, char room[ERROR_NAME_MAX])
{
	static const struct {
		int number;
		const char *name;
	} failures[] = {
		{ EAI_BADFLAGS, "EAI_BADFLAGS" },
		{ EAI_NONAME, "EAI_NONAME" },
		{ EAI_AGAIN, "EAI_AGAIN" },
		{ EAI_FAIL, "EAI_FAIL" },
		{ EAI_NODATA, "EAI_NODATA" },
		{ EAI_FAMILY, "EAI_FAMILY" },
		{ EAI_SOCKTYPE, "EAI_SOCKTYPE" },
		{ EAI_SERVICE, "EAI_SERVICE" },
		{ EAI_ADDRFAMILY, "EAI_ADDRFAMILY" },
		{ EAI_MEMORY, "EAI_MEMORY" },
		{ EAI_SYSTEM, "EAI_SYSTEM" },
		{ EAI_OVERFLOW, "EAI_OVERFLOW" },
	};

	if (event->result == GETHOST_NOT_FOUND)
		return "HOST_NOT_FOUND";
	if (event->by_name)
		return error__name(-event->result, room);
	for (size_t i = 0; i < sizeof(failures) / sizeof(*failures); i++)
		if (failures[i].number == event->result)
			return failures[i].name;
	snprintf(room, ERROR_NAME_MAX, "%d", event->result);
	return room;
}

static void put_failure(struct out *out, const struct gethost_event *event)
{
	char room[ERROR_NAME_MAX];
	const char *name;

	if (!event->result) {
		out__zero(out);
		return;
	}
	name = failure_name(event, room);
	out__string(out, name, strlen(name));
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct gethost_event *event = data;
	const char *call = event->by_name ? "gethostbyname" : "getaddrinfo";
	struct out *out = &tool->out;

	(void)size;
	tool__row(tool, &event->task);
	out__milliseconds(out, event->latency_ns / 1000);
	out__string(out, call, strlen(call));
	put_failure(out, event);
	if (!event->has_name)
		out__none(out);
	else
		out__string(out, event->name_size ? event->name : NULL, event->name_size);
}

/*
 * Where look-ups of a file begin and end: how many functions, or -errno with one line in fault.  gethostbyname() and gethostbyname2() of
 * glibc and of musl call those with _r.
 */
static int find_places_of(const struct user_target *target, struct user_places begins[FUNCTIONS], struct user_places *ends,
			  struct fault *fault)
{
	static const char *const names[FUNCTIONS] = { "getaddrinfo", "gethostbyname_r", "gethostbyname2_r" };
	int all = 0;

	for (int i = 0; i < FUNCTIONS; i++) {
		int has = user_hooks__places_of(target, names[i], false, &begins[i], fault);

		if (has > 0)
			has = user_hooks__places_of(target, names[i], true, ends, fault);
		if (has < 0)
			return has;
		all += has;
	}
	return all;
}

static int find_places(const struct user_targets *targets, struct user_places begins[FUNCTIONS], struct user_places *ends,
		       struct fault *fault)
{
	int all = 0;

	for (size_t i = 0; i < targets->count; i++) {
		int functions = find_places_of(&targets->list[i], begins, ends, fault);

		if (functions < 0)
			return functions;
		all += functions;
	}
	return all;
}

/* Of every C library, or of the file that was named: how many functions, or -errno with one line in fault. */
static int find(struct user_places begins[FUNCTIONS], struct user_places *ends, struct fault *fault)
{
	const char *const names[] = { file ? file : "libc", file ? NULL : user_machine__own()->musl };
	struct fault other;
	int all = 0;

	for (int i = 0; i < 2 && names[i]; i++) {
		const struct user_targets *targets;
		int err = user_hooks__find(&hooks, names[i], 0, &targets, i ? &other : fault);

		if (!err)
			err = find_places(targets, begins, ends, i ? &other : fault);
		if (err < 0 && err != -ENOENT)
			return i ? fault__set(fault, err, "%s", other.text) : err;
		all += err > 0 ? err : 0;
		if (!err && !i)
			fault__set(fault, -ENOENT, "%.256s looks up no hosts: it has no function getaddrinfo or gethostbyname_r", names[i]);
	}
	return all ? all : -ENOENT;
}

/* The programs where look-ups begin, in the order of find_places(). */
static struct bpf_program *program_of(int function)
{
	struct bpf_program *const programs[FUNCTIONS] = {
		skel->progs.getaddrinfo_begins, skel->progs.gethostbyname_r_begins, skel->progs.gethostbyname2_r_begins,
	};

	return programs[function];
}

/* Attaches to places, which are freed, unless finding them has failed (found < 0): then that is returned.  `found`, or -errno. */
static int attach_places(int found, struct user_places begins[FUNCTIONS], struct user_places *ends, struct fault *fault)
{
	int err = found > 0 ? user_hooks__attach(&hooks, skel->progs.lookup_ends, ends, fault) : 0;

	/* what begins before its end is attached is a call under way */
	for (int i = 0; i < FUNCTIONS; i++) {
		if (found > 0 && !err)
			err = user_hooks__attach(&hooks, program_of(i), &begins[i], fault);
		user_places__free(&begins[i]);
	}
	user_places__free(ends);
	return err ? err : found;
}

static int attach(struct tool *tool)
{
	struct user_places begins[FUNCTIONS] = { 0 }, ends = { 0 };
	struct fault fault;
	int err = attach_places(find(begins, &ends, &fault), begins, &ends, &fault);

	if (err < 0)
		tool__fail(tool, err, "%s", fault.text);
	else
		user_hooks__tell_unused(&hooks, tool->options.filter.pids, tool->options.filter.pids_count, tool->command.pid);
	for (int i = 0; i < FUNCTIONS; i++)
		tool__needs_no_link(tool, program_of(i));
	tool__needs_no_link(tool, skel->progs.lookup_ends);
	return tool->err;
}

static int attach_new(const struct user_target *target, struct fault *fault)
{
	struct user_places begins[FUNCTIONS] = { 0 }, ends = { 0 };

	return attach_places(find_places_of(target, begins, &ends, fault), begins, &ends, fault);
}

static void detach(struct tool *tool)
{
	(void)tool;
	user_hooks__detach(&hooks);
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct gethost_event *event = data;

	return event->result > INT32_MIN && record__has(size, offsetof(struct gethost_event, name), event->name_size);
}

static const struct tool_about about = {
	.name = "gethostlatency",
	.summary = "Shows look-ups of hosts by the C library, and how long they took.",
	.examples = "  sudo gethostlatency                 all, of every process\n"
		    "  sudo gethostlatency --slower 100ms  slow ones\n"
		    "  sudo gethostlatency -x              those that failed\n"
		    "  sudo gethostlatency --count host 5  which hosts, every 5 s\n",
	.options = options,
	.foreign_options = foreign_options,
	.parse = parse,
	.columns = columns,
	.has_result = true,
	.rate_max = RATE_MAX,
	RECORDS(gethostlatency, offsetof(struct gethost_event, name), .is_intact = is_intact),
	.metrics = METRIC_OF_ROWS("host_lookups_total", "Look-ups of hosts by functions of the C library."),
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about, .attach_own = attach, .detach_own = detach,
			     .look_around = user_hooks__look_around };
	struct bpf_program *program;
	struct fault fault;

	tool__parse(&tool, argc, argv);
	if (user_hooks__follow(&hooks, attach_new))
		tool.keeps = PRIVILEGES_ATTACH;
	skel = gethostlatency_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->min_ns = min_ns;
		bpf_object__for_each_program(program, skel->obj)
			if (program != skel->progs.thread_exit && program != skel->progs.thread_exit_raw)
				user_hooks__prepare(program);
	}
	tool__run(&tool, skel, print_event);
	if (user_hooks__check(&fault))
		tool__fail(&tool, fault.err, "%s", fault.text);
	user_hooks__free(&hooks);
	gethostlatency_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* dslower: tasks that slept uninterruptibly for long, and where. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/kernel/ksyms.h"
#include "lib/kernel/places.h"
#include "lib/run/argument.h"
#include "lib/run/metrics.h"
#include "lib/run/renamed.h"
#include "lib/run/exit.h"
#include "lib/run/tool.h"
#include "dslower.h"
#include "dslower.skel.h"

static struct {
	bool has_min, stack;
	uint64_t min_ns;
} opt = { .min_ns = DSLOWER_MIN_MS * 1000000ull };

static struct places *places;

enum { KEY_SLOWER = 0x200, KEY_STACK };

static const struct argp_option options[] = {
	{ "slower", KEY_SLOWER, "TIME", 0, "sleeps of TIME or more: 500us, 2s (default 10ms)", 0 },
	{ "stack", KEY_STACK, NULL, 0, "the kernel stack", 0 },
	{ NULL, 's', NULL, OPTION_HIDDEN, NULL, 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "LAT(ms)", 11, NULL, "lat_ms" },
	{ "NOW", -6, NULL, NULL },
	{ "WHERE", -1, NULL, NULL },
	{ "STACK", -1, &opt.stack, NULL },
	{ NULL, 0, NULL, NULL },
};

static const struct renamed renamed[] = {
	{ 's', KEY_STACK, "-s", "--stack", NULL },
	{ 0, 0, NULL, NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case KEY_SLOWER:
		opt.min_ns = argument__time("--slower", arg);
		return 0;
	case KEY_STACK:
		opt.stack = true;
		return 0;
	case ARGP_KEY_ARG:
		if (opt.has_min)
			usage_error("\"%s\": one argument too many, after MIN_MS", arg);
		opt.min_ns = argument__milliseconds("MIN_MS", arg);
		say("MIN_MS is --slower TIME now (--slower %sms)", arg);
		opt.has_min = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Whether a place is in one of the functions of a list; one that ends in * is of all names that begin so. */
static bool is_in(const char *place, const char *const *list)
{
	size_t length = strcspn(place, " ");

	for (; *list; list++) {
		size_t size = strlen(*list);

		if ((*list)[size - 1] == '*' ? !strncmp(place, *list, size - 1) : size == length && !strncmp(place, *list, size))
			return true;
	}
	return false;
}

/* The scheduler, which every sleep is in, and what all waits for a completion go through where the compiler has not inlined it. */
static bool is_scheduler(const char *place)
{
	static const char *const list[] = {
		"__schedule*", "schedule*", "io_schedule*", "preempt_schedule*", "rt_mutex_schedule",
		"__wait_for_common", "wait_for_common", "do_wait_for_common", NULL,
	};

	return is_in(place, list);
}

/* The function alone. */
static const char *name_of(uint64_t address, char buffer[PLACE_NAME_SIZE])
{
	/* where a call returns to may be the first byte of the next function */
	const char *text = places__text(places, address - 1, buffer);
	size_t length = strcspn(text, "+");

	if (text != buffer)
		snprintf(buffer, PLACE_NAME_SIZE, "%s", text);
	if (buffer[length])
		memmove(buffer + length, buffer + length + strcspn(buffer + length, " "),
			strlen(buffer + length + strcspn(buffer + length, " ")) + 1);
	return buffer;
}

/* How many of the innermost frames are not the task's. */
static size_t count_entry(const struct dslower_event *event, size_t count)
{
	char buffer[PLACE_NAME_SIZE];
	size_t entry = 0;

	for (size_t i = 0; i < count && i < 8; i++)
		if (place__is_entry(name_of(event->frames[i], buffer)))
			entry = i + 1;
	return entry;
}

/* WHERE is the innermost function that is not the scheduler's. */
static void put_stack(struct out *out, const struct dslower_event *event)
{
	static char stack[DSLOWER_FRAMES * PLACE_NAME_SIZE];
	size_t count = event->frames_size > 0 ? (size_t)event->frames_size / sizeof(*event->frames) : 0, used = 0;
	char buffer[PLACE_NAME_SIZE], where[PLACE_NAME_SIZE] = "";

	for (size_t i = count_entry(event, count); i < count; i++) {
		const char *name = name_of(event->frames[i], buffer);

		used += (size_t)snprintf(stack + used, PLACE_NAME_SIZE, "%.*s", PLACE_NAME_SIZE - 1, name) + 1;
		if (!*where && !is_scheduler(name))
			snprintf(where, sizeof(where), "%.*s", (int)sizeof(where) - 1, name);
	}
	if (*where)
		out__string(out, where, strlen(where));
	else
		out__none(out);
	out__strings(out, stack, used, 0);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct dslower_event *event = data;
	struct out *out = &tool->out;
	const char *now = event->is_still ? "asleep" : "awake";

	tool__row(tool, &event->task);
	out__milliseconds(out, event->slept_ns / 1000);
	out__string(out, now, strlen(now));
	put_stack(out, event);
}

static const struct tool_about about = {
	.name = "dslower",
	.summary = "Shows tasks that slept uninterruptibly (state D) for 10 ms or more, and where; "
		   "also those that are still asleep.",
	.examples = "  sudo dslower            sleeps of 10 ms and more\n"
		    "  sudo dslower --slower 1s --stack    those of a second and more, with stacks\n"
		    "  sudo dslower -n nginx   of one program\n",
	.options = options,
	.parse = parse,
	.argument = "",
	.renamed = renamed,
	.columns = columns,
	.metrics = METRIC_OF_ROWS("uninterruptible_sleeps_total", "Uninterruptible sleeps that took longer than the tool's limit."),
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about };
	struct dslower_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = dslower_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		bool has_state = kernel__switch_has_state();

		skel->rodata->min_ns = opt.min_ns;
		bpf_program__set_autoload(skel->progs.sched_switch, has_state);
		bpf_program__set_autoload(skel->progs.sched_switch_by_field, !has_state);
		places = places__new(0);
		if (!places)
			tool__fail(&tool, -ENOMEM, "no memory for names of functions");
		/* it is read when the first row needs names */
		ksyms__keep_open();
	}
	tool__run(&tool, skel, print_event);
	places__free(places);
	dslower_bpf__destroy(skel);
	return tool__finish(&tool);
}

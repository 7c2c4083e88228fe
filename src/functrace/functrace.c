/* SPDX-License-Identifier: BSD-2-Clause */
/* functrace: calls of kernel functions, one by one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "functrace.h"
#include "functrace.skel.h"
#include "lib/ftrace/names.h"
#include "lib/kernel/kernel.h"
#include "lib/layout/prototype.h"
#include "lib/print/text_buffer.h"
#include "lib/probe/attach.h"
#include "lib/run/argument.h"
#include "lib/run/habits.h"
#include "lib/run/traced.h"

#define SLOWER_MAX_US 1000000000
#define ADDRESSES_KEPT 1024	/* names of addresses; a power of two */
#define ARGS_SIZE 1024

static struct attach attach = { .check_names = true };
static struct traced traced;
static struct prototypes *prototypes;
static struct names names;
static bool with_args, with_return, with_stack;
static uint64_t slower_us;
static char start_members[512];

/* Of addresses, the names that were asked for last. */
static struct {
	uint64_t address;
	char *name;
} kept[ADDRESSES_KEPT];

enum { KEY_SLOWER = 0x200 };

static const struct argp_option options[] = {
	{ "args", 'a', NULL, 0, "the arguments", 0 },
	{ "return", 'r', NULL, 0, "a line when the call returns: what it returned, and how long it took", 0 },
	{ "stack", 's', NULL, 0, "the kernel stack", 0 },
	{ "slower", KEY_SLOWER, "US", 0, "calls of at least so many microseconds only; means -r", 0 },
	TRACED_OPTIONS('m'),
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	{ "CPU", 3, NULL, NULL },
	TOOL_TASK_COLUMNS,
	{ "FUNCTION", -24, NULL, NULL },
	{ "MODULE", 0, &tool_not_shown, NULL },
	{ "CALLER", -24, NULL, NULL },
	{ "RET", 20, &with_return, NULL },
	{ "US", 12, &with_return, "lat_ns" },
	{ "ARGS", -1, &with_args, NULL },
	{ "STACK", -1, &with_stack, NULL },
	{ NULL, 0, NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)state;
	switch (key) {
	case 'a':
		with_args = true;
		return 0;
	case 'r':
		with_return = true;
		return 0;
	case 's':
		with_stack = true;
		return 0;
	case KEY_SLOWER:
		slower_us = argument__number("--slower", arg, 0, SLOWER_MAX_US);
		with_return = true;
		return 0;
	default:
		return traced__parse(&traced, key, arg, 'm', "vfs_open");
	}
}

/* ---- which functions, and how */

/* Decides how to trace, and what.  tool->err. */
static int plan(struct tool *tool)
{
	bool wants_multi = attach.wanted == ATTACH_MULTI;

	if (traced__are_few_names(&traced) && !wants_multi) {
		/* what a probe finds wrong with a name it says itself */
		traced__take_names(&traced, tool);
	} else if (!traced__match(&traced, tool)) {
		/* it was for matching only */
		traced__remove_instance(&traced);
	}
	if (tool->err || traced__deny(&traced, tool, ""))
		return tool->err;
	if (traced__choose_multi(&traced, tool, "traced"))
		return tool->err;
	snprintf(start_members, sizeof(start_members), ",\"engine\":\"bpf\",\"engine_how\":\"%s\"", traced.by_multi ?
		 "one link for all functions" : "a probe for each function");
	tool->start_members = start_members;
	return traced.by_multi ? traced__find_addresses(&traced, tool, &names) : 0;
}

/* ---- the programs */

static struct functrace_bpf *skel_of_tool;

static int attach_own(struct tool *tool)
{
	struct functrace_bpf *skel = skel_of_tool;

	/* the returns first: a call that is seen to begin is then seen to end */
	if (traced.by_multi) {
		if (!with_return || !traced__attach_multi(&traced, tool, skel->progs.end_multi, &skel->links.end_multi))
			traced__attach_multi(&traced, tool, skel->progs.begin_multi, &skel->links.begin_multi);
	} else if (!with_return || !traced__attach(&traced, tool, "end_probe")) {
		traced__attach(&traced, tool, "begin_probe");
	}
	if (!tool->err && attach.err)
		tool__fail(tool, attach.err, "%s", attach.error);
	return tool->err;
}

/* What the arguments and the result are; without BTF they are numbers without names. */
static void load_prototypes(struct tool *tool)
{
	const char **list = calloc(traced.functions.count + 1, sizeof(*list));

	if (!list) {
		tool__fail(tool, -ENOMEM, "no memory for the names of functions");
		return;
	}
	for (size_t i = 0; i < traced.functions.count; i++)
		list[i] = traced.functions.list[i].name;
	prototypes = prototypes__load(PROTOTYPES_BTF, list, traced.functions.count);
	if (!prototypes)
		say("the functions' parameters are not known: the kernel's BTF cannot be read: %s", strerror(errno));
	free(list);
}

/* Which programs are loaded. */
static void prepare(struct tool *tool, struct functrace_bpf *skel)
{
	skel_of_tool = skel;
	skel->rodata->frames_at_multi_return = kernel__version() < kernel_version(6, 14, 0);
	skel->rodata->with_return = with_return;
	skel->rodata->with_stack = with_stack;
	skel->rodata->slower_ns = slower_us * 1000;
	tool->attach_own = attach_own;
	if (with_args || with_return)
		load_prototypes(tool);
	bpf_map__set_autocreate(skel->maps.calls, with_return);
	bpf_program__set_autoload(skel->progs.hint_thread_free, with_return);
	bpf_program__set_autoload(skel->progs.begin_multi, traced.by_multi);
	bpf_program__set_autoload(skel->progs.end_multi, traced.by_multi && with_return);
	for (size_t i = 0; i < traced.functions.count && !traced.by_multi; i++) {
		bpf_program__set_autoload(traced__program(tool, "begin_probe", i), true);
		bpf_program__set_autoload(traced__program(tool, "end_probe", i), with_return);
	}
}

/* ---- rows */

static const char *name_of(uint64_t address)
{
	size_t at = (address * 0x9e3779b97f4a7c15ull >> 40) & (ADDRESSES_KEPT - 1);
	char name[NAMES_NAME_MAX];

	if (kept[at].name && kept[at].address == address)
		return kept[at].name;
	/* a call may be the last instruction of its function: what it returns to is the next one's then */
	names__of(&names, address - 1, name);
	free(kept[at].name);
	kept[at].address = address;
	kept[at].name = strdup(name);
	return kept[at].name ?: "?";
}

static void add_value(struct text_buffer *text, const struct prototype_value *value, uint64_t bits)
{
	unsigned int unused = 64 - 8 * (value->bytes ? value->bytes : 8);

	if (value->is_pointer || !value->bytes)
		text_buffer__add(text, "0x%llx", (unsigned long long)bits);
	else if (value->is_bool)
		text_buffer__add(text, bits & 0xff ? "true" : "false");
	else if (value->is_signed)
		text_buffer__add(text, "%lld", (long long)(bits << unused) >> unused);
	else
		text_buffer__add(text, "%llu", (unsigned long long)(bits << unused >> unused));
}

static void put_result(struct out *out, const struct prototype *prototype, const struct functrace_event *event)
{
	static const struct prototype_value unknown;
	char result[32];
	struct text_buffer text = text_buffer__fixed(result, sizeof(result));

	if (!with_return || (prototype && !prototype->result.bytes)) {
		out__none(out);
		return;
	}
	add_value(&text, prototype ? &prototype->result : &unknown, event->result);
	out__string(out, result, strlen(result));
}

static void put_args(struct out *out, const struct prototype *prototype, const struct functrace_event *event)
{
	char args[ARGS_SIZE];
	size_t used = 0;

	if (!with_args || !prototype) {
		out__none(out);
		return;
	}
	for (size_t i = 0; i < prototype->count; i++) {
		struct text_buffer text = text_buffer__fixed(args + used, sizeof(args) - used);

		text_buffer__add(&text, "%.128s=", prototype->params[i].name ?: "?");
		add_value(&text, &prototype->params[i], event->args[i]);
		used += strlen(args + used) + 1;
	}
	if (prototype->more && used + 4 < sizeof(args)) {
		memcpy(args + used, "...", 4);
		used += 4;
	}
	out__strings(out, args, used, 0);
}

static void put_stack(struct out *out, const struct functrace_event *event)
{
	static char stack[FUNCTRACE_FRAMES * NAMES_NAME_MAX];
	size_t used = 0;

	for (int32_t i = 0; with_stack && i < event->frames_size / (int32_t)sizeof(*event->frames); i++) {
		snprintf(stack + used, NAMES_NAME_MAX, "%s", name_of(event->frames[i]));
		used += strlen(stack + used) + 1;
	}
	out__strings(out, stack, used, 0);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct functrace_event *event = data;
	size_t number = traced__find(&traced, event->function);
	const struct function *function = number < traced.functions.count ? &traced.functions.list[number] : NULL;
	const struct prototype *prototype = prototypes && function && !function->module ? prototypes__at(prototypes, number) : NULL;
	struct out *out = &tool->out;
	const char *caller = name_of(event->caller);

	(void)size;
	if (prototype && !prototype->known)
		prototype = NULL;
	out__row(out, event->task.ts_ns);
	out__int(out, event->cpu);
	tool__task(tool, &event->task);
	traced__put(out, function);
	out__string(out, caller, strlen(caller));
	put_result(out, prototype, event);
	/* nanoseconds as microseconds, with three decimals */
	if (!with_return)
		out__none(out);
	else if (out->json)
		out__int(out, (int64_t)event->ns);
	else
		out__milliseconds(out, event->ns);
	put_args(out, prototype, event);
	put_stack(out, event);
}

int main(int argc, char **argv)
{
	struct tool tool = {
		.name = "functrace",
		.summary = "Shows calls of kernel functions, one by one.",
		.examples = "  sudo functrace vfs_open               who opens files, from where\n"
			    "  sudo functrace -ar -n nginx 'tcp_*'   arguments, results, times\n"
			    "  sudo functrace -s vfs_fsync_range     with the stack\n"
			    "  sudo functrace --slower 1000 vfs_read  calls of 1 ms and more\n",
		.options = options,
		.parse = parse,
		.argument = "[PATTERN...]",
		.columns = columns,
		.record_max = sizeof(struct functrace_event),
		.attach = &attach,
	};
	struct functrace_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = functrace_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		names__open(&names, true);
		if (!plan(&tool))
			prepare(&tool, skel);
	}
	tool__run(&tool, skel, print_event);
	functrace_bpf__destroy(skel);
	names__close(&names);
	prototypes__free(prototypes);
	for (size_t i = 0; i < ADDRESSES_KEPT; i++)
		free(kept[i].name);
	traced__free(&traced);
	return tool__finish(&tool);
}

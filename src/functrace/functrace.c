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
#include "lib/probe/attach_many.h"
#include "lib/probe/attempt.h"
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
static bool by_multi, with_args, with_return, with_stack;
static uint64_t slower_us;
static char start_members[512];

/* Of addresses, the names that were asked for last. */
static struct {
	uint64_t address;
	char *name;
} kept[ADDRESSES_KEPT];

enum { KEY_MODULE = 0x200, KEY_FORCE, KEY_SLOWER };

static const struct argp_option options[] = {
	{ "args", 'a', NULL, 0, "the arguments", 0 },
	{ "return", 'r', NULL, 0, "a line when the call returns: what it returned, and how long it took", 0 },
	{ "stack", 's', NULL, 0, "the kernel stack", 0 },
	{ "slower", KEY_SLOWER, "US", 0, "calls of at least so many microseconds only; means -r", 0 },
	{ "module", 'm', "MODULE", 0, "functions of this module only", 0 },
	{ "pattern", 'e', "PATTERN", 0, "functions, as the arguments", 0 },
	{ "force", KEY_FORCE, NULL, 0, "trace also more than 1,000 functions", 0 },
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
	case 'm':
		traced__set_module(&traced, arg);
		return 0;
	case 'e':
	case ARGP_KEY_ARG:
		traced__add_pattern(&traced, arg);
		return 0;
	case KEY_FORCE:
		traced.force = true;
		return 0;
	case ARGP_KEY_END:
		if (!traced.patterns_count)
			traced__add_pattern(&traced, "vfs_open");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- which functions, and how */

static int plan_multi(struct tool *tool)
{
	size_t unknown = functions__find_addresses(&traced.functions, &names);

	if (unknown)
		say("%zu functions have no address in /proc/kallsyms, and are left out", unknown);
	return traced.functions.count ? 0 : tool__fail(tool, -ENOENT, "no function is left to trace");
}

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
	by_multi = traced.functions.count > TRACED_FEW || wants_multi;
	if (by_multi && attach.wanted != ATTACH_AUTO && !wants_multi)
		return tool__fail(tool, -E2BIG, "%zu functions match, and --attach %s can have %d (leave --attach out, or name fewer)",
				  traced.functions.count, attach_mode__name(attach.wanted), TRACED_FEW);
	if (by_multi && !attempt__has_multi())
		return tool__fail(tool, -EOPNOTSUPP, "%zu functions match: %s, so %d can be traced at most (name fewer)",
				  traced.functions.count, attempt__lacks(ATTACH_MULTI, -EOPNOTSUPP) ?: "no kprobe.multi", TRACED_FEW);
	snprintf(start_members, sizeof(start_members), ",\"engine\":\"bpf\",\"engine_how\":\"%s\"", by_multi ?
		 "one link for all functions" : "a probe for each function");
	tool->start_members = start_members;
	return by_multi ? plan_multi(tool) : 0;
}

/* ---- the programs */

static struct functrace_bpf *skel_of_tool;

static int compare_addresses(const void *a, const void *b)
{
	const struct function *left = a, *right = b;

	return left->address < right->address ? -1 : left->address > right->address;
}

/* The number of the function that a program has told of. */
static size_t find_function(uint64_t told)
{
	struct function wanted = { .address = told }, *found;

	if (!by_multi)
		return told;
	found = bsearch(&wanted, traced.functions.list, traced.functions.count, sizeof(wanted), compare_addresses);
	return found ? (size_t)(found - traced.functions.list) : SIZE_MAX;
}

static void attach_multi(struct tool *tool)
{
	uint64_t *addresses = calloc(traced.functions.count, sizeof(*addresses));

	if (!addresses) {
		tool__fail(tool, -ENOMEM, "no memory for the addresses of functions");
		return;
	}
	for (size_t i = 0; i < traced.functions.count; i++)
		addresses[i] = traced.functions.list[i].address;
	/* the returns first: a call that is seen to begin is then seen to end */
	if (with_return)
		attach__many(&attach, skel_of_tool->progs.end_multi, &skel_of_tool->links.end_multi, addresses, traced.functions.count);
	attach__many(&attach, skel_of_tool->progs.begin_multi, &skel_of_tool->links.begin_multi, addresses, traced.functions.count);
	free(addresses);
}

static int attach_own(struct tool *tool)
{
	if (by_multi)
		attach_multi(tool);
	else if (!with_return || !traced__attach(&traced, tool, "end_probe"))
		traced__attach(&traced, tool, "begin_probe");
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
	prototypes = prototypes__load(list, traced.functions.count);
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
	if (by_multi)
		qsort(traced.functions.list, traced.functions.count, sizeof(*traced.functions.list), compare_addresses);
	if (with_args || with_return)
		load_prototypes(tool);
	bpf_map__set_autocreate(skel->maps.calls, with_return);
	bpf_program__set_autoload(skel->progs.hint_thread_free, with_return);
	bpf_program__set_autoload(skel->progs.begin_multi, by_multi);
	bpf_program__set_autoload(skel->progs.end_multi, by_multi && with_return);
	for (size_t i = 0; i < traced.functions.count && !by_multi; i++) {
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
	size_t number = find_function(event->function);
	const struct function *function = number < traced.functions.count ? &traced.functions.list[number] : NULL;
	const struct prototype *prototype = prototypes && function && !function->module ? prototypes__at(prototypes, number) : NULL;
	struct out *out = &tool->out;
	const char *caller = name_of(event->caller);

	(void)size;
	if (prototype && !prototype->known)
		prototype = NULL;
	out__row(out, event->task.ts_ns);
	out__int(out, event->cpu);
	out__int(out, event->task.pid);
	out__int(out, event->task.tid);
	out__int(out, event->task.uid);
	out__string(out, event->task.comm, sizeof(event->task.comm));
	tool__cgroup(tool, event->task.cgroup_id);
	out__string(out, function ? function->name : "?", function ? strlen(function->name) : 1);
	if (function && function->module)
		out__string(out, function->module, strlen(function->module));
	else
		out__none(out);
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

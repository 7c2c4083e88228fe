/* SPDX-License-Identifier: BSD-2-Clause */
/* capable: capabilities being checked: which, in which user namespace, with what verdict. */
#include "capable.h"
#include "capable.skel.h"
#include "lib/print/capabilities.h"
#include "lib/probe/attach.h"
#include "lib/run/exit.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "lib/stacks/row_stacks.h"

enum {
	KEY_UNIQUE = 0x200,
	KEY_CAP,
};

static struct {
	bool unique, audited;
	int capability;
} opt = { .capability = -1 };

static const struct argp_option options[] = {
	{ "unique", KEY_UNIQUE, NULL, 0, "each check of a process once: capability, namespace, kind and verdict", 0 },
	{ "audited", 'a', NULL, 0, "leave out questions, whose denial the kernel does not log", 0 },
	{ "cap", KEY_CAP, "CAPABILITY", 0, "this capability only, by name (net_admin) or number", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

#define BYTES(member) OUT_BYTES(struct capable_event, member)
static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "CAP", -22, NULL, "cap_name", { BYTES(capability) } },
	{ "CAP_NUMBER", 3, &tool_not_shown, "cap", { BYTES(capability) } },
	{ "USERNS", -10, NULL, NULL, { BYTES(user_ns) } },
	{ "KIND", -8, NULL, NULL, { BYTES(is_question) } },
	{ "IN_SETID", 3, &tool_not_shown, NULL, { BYTES(in_setid) } },
	{ "VERDICT", 0, NULL, NULL, { BYTES(result) } },
	{ NULL, 0, NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case KEY_UNIQUE:
		opt.unique = true;
		return 0;
	case 'a':
		opt.audited = true;
		return 0;
	case KEY_CAP:
		opt.capability = capability__parse(arg);
		if (opt.capability < 0)
			usage_error("--cap \"%s\": no such capability (a name such as net_admin, or a number)", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct capable_event *event = data;
	char name[CAPABILITY_NAME_MAX];
	struct out *out = &tool->out;

	tool__row(tool, &event->task);
	out__string(out, capability__name(event->capability, name), sizeof(name));
	out__int(out, event->capability);
	out__int(out, event->user_ns);
	out__string(out, event->is_question ? "question" : "audit", sizeof("question"));
	out__bool(out, event->in_setid);
	out__string(out, event->result ? "denied" : "allowed", sizeof("allowed"));
}

static const struct tool_about about = {
	.name = "capable",
	.summary = "Shows capabilities being checked: whose, which, in which user namespace, with what verdict.",
	.examples = "  sudo capable -x                   what is denied\n"
		    "  sudo capable --unique -a -p 1234  which capabilities a process needs\n"
		    "  sudo capable --cap net_admin -T   one capability, with times\n",
	.options = options,
	.parse = parse,
	.columns = columns,
	ROW_STACKS(ROW_STACK_KERNEL | ROW_STACK_USER),
	.has_result = true,
	RECORDS(capable, sizeof(struct capable_event)),
	.metrics = METRIC_OF_ROWS("capability_checks_total", "Checks of capabilities."),
};

int main(int argc, char **argv)
{
	const char *const functions[] = { "security_capable", NULL };
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct capable_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = capable_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->unique = opt.unique;
		skel->rodata->audited = opt.audited;
		skel->rodata->wanted = opt.capability;
		bpf_map__set_autocreate(skel->maps.shown, opt.unique);
		tool__load(&tool);
		/* the return first: a check that was seen to begin is then seen to end */
		attach__kprobe(&attach, skel->progs.capable_exit, &skel->links.capable_exit, functions);
		attach__kprobe(&attach, skel->progs.capable_enter, &skel->links.capable_enter, functions);
	}
	tool__run(&tool, skel, print_event);
	capable_bpf__destroy(skel);
	return tool__finish(&tool);
}

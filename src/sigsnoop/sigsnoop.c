/* SPDX-License-Identifier: BSD-2-Clause */
/* sigsnoop: signals sent in any way, the kernel's own included, and what became of them. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "lib/print/say.h"
#include "lib/print/signals.h"
#include "lib/run/argument.h"
#include "lib/run/ended.h"
#include "lib/run/exit.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "lib/stacks/row_stacks.h"
#include "sigsnoop.h"
#include "sigsnoop.skel.h"

enum { KEY_TARGET = 0x200 };

static struct {
	int signal;
	uint32_t target;
} opt;

static const struct argp_option options[] = {
	{ "signal", 's', "SIGNAL", 0, "this signal only, by name or number", 0 },
	{ "target", KEY_TARGET, "PID", 0, "only signals to this process or one of its threads", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "SIG", -11, NULL, "signal_name" },
	{ "NUMBER", 3, &tool_not_shown, "signal" },
	{ "CODE", -13, NULL, "code_name" },
	{ "CODE_NUMBER", 3, &tool_not_shown, "code" },
	{ "TPID", -7, NULL, NULL },
	{ "TTID", -7, &tool_not_shown, NULL },
	{ "TO_PROCESS", 3, &tool_not_shown, NULL },
	{ "TCOMM", -16, NULL, NULL },
	{ "RESULT", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "CODE", "TPID", NULL };

static const char *const verdicts[VERDICTS_COUNT] = {
	[VERDICT_DELIVERED] = "delivered",
	[VERDICT_IGNORED] = "ignored",
	[VERDICT_ALREADY_PENDING] = "already_pending",
	[VERDICT_OVERFLOW_FAIL] = "overflow_fail",
	[VERDICT_LOSE_INFO] = "lose_info",
	[VERDICT_CONTINUED] = "continued",
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 's':
		opt.signal = signal__parse(arg);
		/* 0 only asks: it is never sent */
		if (opt.signal <= 0)
			usage_error("-s \"%s\": no such signal (a name such as TERM, or a number)", arg);
		return 0;
	case KEY_TARGET:
		opt.target = (uint32_t)argument__number("--target", arg, 1, ARGUMENT_PID_MAX);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The columns of the sender; a signal of the kernel's own has none. */
static void print_sender(struct tool *tool, const struct signal_event *event)
{
	if (event->by_kernel)
		tool__row_without_task(tool, event->task.ts_ns);
	else
		tool__row(tool, &event->task);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct signal_event *event = data;
	char name[SIGNAL_NAME_MAX], code[SIGNAL_CODE_MAX];
	struct out *out = &tool->out;

	print_sender(tool, event);
	out__string(out, signal__name(event->signal, name), sizeof(name));
	out__int(out, event->signal);
	out__string(out, signal__code(event->signal, event->code, code), sizeof(code));
	out__int(out, event->code);
	out__int(out, event->target_pid);
	out__int(out, event->target_tid);
	out__bool(out, event->to_process);
	out__string(out, event->target_comm, sizeof(event->target_comm));
	if (event->verdict < VERDICTS_COUNT)
		out__string(out, verdicts[event->verdict], sizeof("already_pending"));
	else
		out__int(out, event->verdict);
}

static const struct tool_about about = {
	.name = "sigsnoop",
	.summary = "Shows signals sent in any way, those of the kernel too: by whom, to whom, why, and with what result.",
	.examples = "  sudo sigsnoop                every signal on the system\n"
		    "  sudo sigsnoop --target 1234  what one process gets\n"
		    "  sudo sigsnoop -s KILL -T     who kills, with times\n"
		    "  sudo sigsnoop -x             ignored, merged or refused\n",
	.options = options,
	.parse = parse,
	.columns = columns,
	.spare = spare,
	ROW_STACKS(ROW_STACK_KERNEL | ROW_STACK_USER),
	.has_result = true,
	RECORDS(sigsnoop, sizeof(struct signal_event), .no_filter = "signals of the kernel's own have no sender"),
	.metrics = METRIC_OF_ROWS("signals_total", "Signals that were generated."),
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about };
	struct sigsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	/* a signal needs a task, unlike a call that sends one: who asks for none would wait in vain, as with -p */
	if (opt.target && kill((pid_t)opt.target, 0) && errno == ESRCH) {
		say("--target %u: no such process or thread (it may have ended)", opt.target);
		return TOOL_EXIT_FAILED;
	}
	if (opt.target)
		ended__watch((uint32_t)opt.target, "--target");
	skel = sigsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->wanted_signal = opt.signal;
		skel->rodata->target = opt.target;
	}
	tool__run(&tool, skel, print_event);
	sigsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* killsnoop: signals being sent by system calls, by whom, to whom, with what result. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/probe/syscall_exits.h"
#include "lib/kernel/kernel.h"
#include "lib/layout/layout.h"
#include "lib/print/error.h"
#include "lib/print/flags.h"
#include "lib/print/signals.h"
#include "lib/run/argument.h"
#include "lib/run/ended.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/stacks/row_stacks.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "killsnoop.h"
#include "killsnoop.skel.h"

static struct {
	bool call;
	int signal;
	int target;
} opt = { .signal = -1 };

enum { KEY_TARGET = 0x200 };

static const struct argp_option options[] = {
	{ "signal", 's', "SIGNAL", 0, "this signal only, by name or number (0 asks whether a process exists)", 0 },
	{ "extended", 'e', NULL, 0, "a column with the system call", 0 },
	{ "target", KEY_TARGET, "PID", 0, "signals to this process or thread only, as TPID shows it", 0 },
	{ "tpid", KEY_TARGET, "PID", OPTION_HIDDEN, NULL, 0 },	/* bcc's word */
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "", "-T prints the time, and --target PID shows the signals to a process" },
	{ "-n", "signals have their names without it" },
	{ "-k", "all calls that send signals are shown, and -e prints which" },
	{ "--kill", "all calls that send signals are shown, and -e prints which" },
	{ NULL, NULL },
};

#define BYTES(member) OUT_BYTES(struct kill_event, member)
static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "CALL", -17, &opt.call, NULL, { BYTES(call) } },
	{ "SIG", -11, NULL, "signal_name", { BYTES(signal), BYTES(about) } },
	{ "NUMBER", 3, &tool_not_shown, "signal", { BYTES(signal), BYTES(about) } },
	{ "TPID", -7, NULL, NULL, { BYTES(target), BYTES(about) } },
	{ "PROCESS", -7, &tool_not_shown, "target_process", { BYTES(target_pid), BYTES(call), BYTES(about) } },
	{ "FLAGS_NUMBER", 10, &tool_not_shown, "flags", { BYTES(flags), BYTES(call), BYTES(about) } },
	{ "FLAGS", -18, &tool_not_shown, "flags_names", { BYTES(flags), BYTES(call), BYTES(about) } },
	TOOL_COUNTED_ERROR_COLUMNS(BYTES(result)),
	{ NULL, 0, NULL, NULL },
};

static const enum syscall_id calls[] = { TRACED_CALLS(SYSCALLS_ID) SYSCALL_NONE };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 's':
		opt.signal = signal__parse(arg);
		if (opt.signal < 0)
			usage_error("-s \"%s\": no such signal (a name such as TERM, or a number)", arg);
		return 0;
	case KEY_TARGET:
		opt.target = (int)argument__number("--target", arg, 1, INT_MAX);
		return 0;
	case 'e':
		opt.call = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct kill_event *event = data;
	const char *call = syscall_exits__call_name(event->call);
	bool known = !(event->about & KILL_ARGS_UNKNOWN);
	char name[SIGNAL_NAME_MAX], flags[96];
	struct out *out = &tool->out;

	tool__row(tool, &event->task);
	out__string(out, call, strlen(call));
	if (known) {
		out__string(out, signal__name(event->signal, name), sizeof(name));
		out__int(out, event->signal);
	} else {
		out__none(out);
		out__none(out);
	}
	if (known && !(event->about & (KILL_TARGET_NONE | KILL_TARGET_UNKNOWN)))
		out__int(out, event->target);
	else
		out__none(out);
	if (known && (event->call == SYSCALL_tgkill || event->call == SYSCALL_rt_tgsigqueueinfo))
		out__int(out, event->target_pid);
	else
		out__none(out);
	if (known && event->call == SYSCALL_pidfd_send_signal) {
		out__hex(out, event->flags);
		out__string(out, flags__text(pidfd_signal_flags, event->flags, flags, sizeof(flags)), sizeof(flags));
	} else {
		out__none(out);
		out__none(out);
	}
	error__columns(out, -event->result);
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct kill_event *event = data;

	(void)size;
	return record__is_result(event->result) && syscall_exits__is_call(event->call);
}

static const struct tool_about about = {
	.name = "killsnoop",
	.summary = "Shows signals being sent by system calls: by whom, to whom, with what result.",
	.examples = "  sudo killsnoop            every signal on the system\n"
		    "  sudo killsnoop -x         those that could not be sent\n"
		    "  sudo killsnoop -s KILL    who kills\n"
		    "  sudo killsnoop -j -d 10   ten seconds, as JSON\n",
	.options = options,
	.parse = parse,
	.columns = columns,
	ROW_STACKS(ROW_STACK_USER),
	.foreign_options = foreign_options,
	.has_result = true,
	RECORDS(killsnoop, sizeof(struct kill_event), .is_intact = is_intact, .shown = RECORD_KEYS('e')),
	.metrics = METRIC_OF_ROWS("kill_calls_total", "System calls that send a signal."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct killsnoop_bpf *skel;
	enum syscall_exits_way way;

	tool__parse(&tool, argc, argv);
	if (opt.target)
		ended__watch((uint32_t)opt.target, "--target");
	skel = killsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->signal = opt.signal;
		skel->rodata->target = opt.target;
		skel->rodata->have_task_pt_regs = kernel__has_task_pt_regs();
		way = syscall_exits__choose(skel->skeleton, &attach, calls, kernel__has_btf());
		skel->rodata->refused_by = syscall_exits__see_refused(&attach, way, calls);
		if (!kernel__has_btf()) {
			layout__leave_out(tool.layout, "pidfd_process");
			layout__leave_out(tool.layout, "pidfd_process_static");
		}
		tool__load(&tool);
		syscall_exits__attach(skel->skeleton, &attach, calls);
	}
	tool__run(&tool, skel, print_event);
	killsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

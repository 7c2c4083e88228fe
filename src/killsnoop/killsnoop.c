/* SPDX-License-Identifier: BSD-2-Clause */
/* killsnoop: signals being sent by system calls, by whom, to whom, with what result. */

#include "lib/probe/attach.h"
#include "lib/kernel/kernel.h"
#include "lib/print/signals.h"
#include "lib/run/tool.h"
#include "killsnoop.h"
#include "killsnoop.skel.h"

static struct {
	bool call;
	int signal;
} opt = { .signal = -1 };

static const struct argp_option options[] = {
	{ "signal", 's', "SIGNAL", 0, "this signal only, by name or number (0 asks whether a process exists)", 0 },
	{ "extended", 'e', NULL, 0, "a column with the call: kill, tkill or tgkill", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "CALL", -6, &opt.call, NULL },
	{ "SIG", -11, NULL, NULL },
	{ "NUMBER", 3, &tool_not_shown, "sig_number" },
	{ "TPID", -7, NULL, NULL },
	{ "PROCESS", -7, &tool_not_shown, "target_process" },
	{ "RESULT", 6, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

static const char *const call_names[] = { [CALL_KILL] = "kill", [CALL_TKILL] = "tkill", [CALL_TGKILL] = "tgkill" };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 's':
		opt.signal = signal__parse(arg);
		if (opt.signal < 0) {
			say("-s \"%s\": no such signal (a name such as TERM, or a number)", arg);
			exit(TOOL_EXIT_USAGE);
		}
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
	char name[SIGNAL_NAME_MAX];
	struct out *out = &tool->out;

	tool__row(tool, &event->task);
	out__string(out, call_names[event->call], sizeof("tgkill"));
	out__string(out, signal__name(event->signal, name), sizeof(name));
	out__int(out, event->signal);
	out__int(out, event->target);
	if (event->call == CALL_TGKILL)
		out__int(out, event->target_pid);
	else
		out__none(out);
	out__int(out, event->result);
}

/* 32-bit calls only where there are such. */
static void choose_programs(const struct killsnoop_bpf *skel)
{
	bool compat = kernel__has_compat();

	bpf_program__set_autoload(skel->progs.kill_exit_32, compat);
	bpf_program__set_autoload(skel->progs.tkill_exit_32, compat);
	bpf_program__set_autoload(skel->progs.tgkill_exit_32, compat);
	skel->rodata->have_task_pt_regs = kernel__has_task_pt_regs();
}

static void attach_compat(struct attach *attach, struct bpf_program *program, struct bpf_link **link, const char *function)
{
	attach__kprobe(attach, program, link, (const char *const[]){ function, NULL });
}

/* The return first: a call that was seen to begin is then seen to end. */
static void attach_probes(struct attach *attach, struct killsnoop_bpf *skel)
{
	attach__ksyscall(attach, skel->progs.kill_exit, &skel->links.kill_exit, "kill");
	attach__ksyscall(attach, skel->progs.kill_enter, &skel->links.kill_enter, "kill");
	attach__ksyscall(attach, skel->progs.tkill_exit, &skel->links.tkill_exit, "tkill");
	attach__ksyscall(attach, skel->progs.tkill_enter, &skel->links.tkill_enter, "tkill");
	attach__ksyscall(attach, skel->progs.tgkill_exit, &skel->links.tgkill_exit, "tgkill");
	attach__ksyscall(attach, skel->progs.tgkill_enter, &skel->links.tgkill_enter, "tgkill");
	attach_compat(attach, skel->progs.kill_exit_32, &skel->links.kill_exit_32, "__ia32_sys_kill");
	attach_compat(attach, skel->progs.tkill_exit_32, &skel->links.tkill_exit_32, "__ia32_sys_tkill");
	attach_compat(attach, skel->progs.tgkill_exit_32, &skel->links.tgkill_exit_32, "__ia32_sys_tgkill");
}

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = {
		.name = "killsnoop",
		.summary = "Shows signals being sent with kill, tkill and tgkill: by whom, to whom, with what result.",
		.examples = "  sudo killsnoop            every signal on the system\n"
			    "  sudo killsnoop -x         those that could not be sent\n"
			    "  sudo killsnoop -s KILL    who kills\n"
			    "  sudo killsnoop -j -d 10   ten seconds, as JSON\n",
		.options = options,
		.parse = parse,
		.columns = columns,
		.has_result = true,
		.attach = &attach,
	};
	struct killsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = killsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->signal = opt.signal;
		choose_programs(skel);
		tool__load(&tool);
		attach_probes(&attach, skel);
	}
	tool__run(&tool, skel, print_event);
	killsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* exitsnoop: processes or threads that end, how old they were, and how they ended. */
#include <stdio.h>
#include <sys/wait.h>

#include "lib/print/signals.h"
#include "lib/kernel/kernel.h"
#include "lib/run/foreign_options.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "exitsnoop.h"
#include "exitsnoop.skel.h"

static struct {
	bool threads;
} opt;

enum {
	KEY_THREADS = 0x200,
};

static const struct argp_option options[] = {
	{ "threads", KEY_THREADS, NULL, 0, "a row for each thread, not only when the last thread of a process ends", 0 },
	{ "per-thread", KEY_THREADS, NULL, OPTION_HIDDEN, NULL, 0 },	/* bcc's and libbpf-tools' word */
	{ "processes", 'P', NULL, OPTION_HIDDEN, NULL, 0 },		/* the default, which it was not in 0.1 */
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "--label", "sed or jq can add a label to each row" },
	{ NULL, NULL },
};

static const struct out_column columns[] = {
	{ "PCOMM", -16, NULL, "comm" },
	{ "PID", -7, NULL, NULL },
	{ "PPID", -7, NULL, NULL },
	{ "TID", -7, NULL, NULL },
	{ "UID", 6, &tool_shown_with_uid, NULL },
	TOOL_CGROUP_COLUMNS,
	{ "AGE(s)", 9, NULL, "age_s" },
	{ "EXIT_CODE", 0, NULL, NULL },
	{ "SIGNAL", 0, &tool_not_shown, NULL },
	{ "SIGNAL_NAME", 0, &tool_not_shown, NULL },
	{ "CORE_DUMPED", 0, &tool_not_shown, NULL },
	{ NULL, 0, NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != KEY_THREADS && key != 'P')
		return ARGP_ERR_UNKNOWN;
	opt.threads = key == KEY_THREADS;
	return 0;
}

/* In text all of it is one column: "0", "signal 9 (SIGKILL)", "signal 11 (SIGSEGV), core dumped". */
static void print_status_text(struct out *out, int status)
{
	char name[SIGNAL_NAME_MAX], text[80];

	if (WTERMSIG(status)) {
		snprintf(text, sizeof(text), "signal %d (%s)%s", WTERMSIG(status), signal__name(WTERMSIG(status), name),
			 WCOREDUMP(status) ? ", core dumped" : "");
		out__string(out, text, sizeof(text));
	} else {
		out__int(out, WEXITSTATUS(status));
	}
	out__none(out);
	out__none(out);
	out__none(out);
}

static void print_status_json(struct out *out, int status)
{
	char name[SIGNAL_NAME_MAX];

	if (WTERMSIG(status)) {
		out__none(out);
		out__int(out, WTERMSIG(status));
		out__string(out, signal__name(WTERMSIG(status), name), sizeof(name));
	} else {
		out__int(out, WEXITSTATUS(status));
		out__none(out);
		out__none(out);
	}
	out__bool(out, WTERMSIG(status) && WCOREDUMP(status));
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct exit_event *event = data;
	struct out *out = &tool->out;

	out__row(out, event->task.ts_ns);
	out__string(out, event->task.comm, sizeof(event->task.comm));
	out__int(out, event->task.pid);
	out__int(out, event->ppid);
	out__int(out, event->task.tid);
	out__int(out, event->task.uid);
	tool__cgroup(tool, event->task.cgroup_id);
	out__milliseconds(out, event->age_ns / 1000000);
	if (out->json)
		print_status_json(out, (int)event->status);
	else
		print_status_text(out, (int)event->status);
}

static void choose_program(const struct tool *tool, const struct exitsnoop_bpf *skel)
{
	bool select = !opt.threads || tool->options.filter.active || tool->options.filter.failed_only || tool->options.filter.pidns_ino;

	bool preempted = kernel__preempts_programs();

	bpf_program__set_autoload(skel->progs.task_exit, preempted);
	bpf_program__set_autoload(skel->progs.process_exit, select && !preempted);
	bpf_program__set_autoload(skel->progs.thread_exit, !select && !preempted);
	bpf_map__set_autocreate(skel->maps.ended, !opt.threads);
}

static const struct tool_about about = {
	.name = "exitsnoop",
	.summary = "Shows processes that end, or threads: how old they were, and how they ended.",
	.examples = "  sudo exitsnoop             every process that ends\n"
		    "  sudo exitsnoop -x -T       those that fail or are killed, with times\n"
		    "  sudo exitsnoop --threads   every thread that ends\n"
		    "  sudo exitsnoop -j -d 10    ten seconds, as JSON\n",
	.foreign_options = foreign_options,
	.options = options,
	.parse = parse,
	.columns = columns,
	.has_result = true,
	RECORDS(exitsnoop, sizeof(struct exit_event)),
	.metrics = METRIC_OF_ROWS("process_exits_total", "Processes that ended."),
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about };
	struct exitsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = exitsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->processes = !opt.threads;
		choose_program(&tool, skel);
		tool__load(&tool);
	}
	tool__run(&tool, skel, print_event);
	exitsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

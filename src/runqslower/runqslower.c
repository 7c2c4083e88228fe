/* SPDX-License-Identifier: BSD-2-Clause */
/* runqslower: tasks that waited long for a CPU, and which task had it. */
#include <errno.h>

#include "lib/probe/tracing.h"
#include "lib/run/argument.h"
#include "lib/run/exit.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "lib/run/waits.h"
#include "runqslower.h"
#include "runqslower.skel.h"

static struct {
	bool has_min;		/* the argument */
	bool has_slower;
	bool wakeups, rt, longest;
	uint64_t min_us;
} opt = { .min_us = RUNQSLOWER_MIN_US };

enum { KEY_SLOWER = 0x200, KEY_WAKEUPS, KEY_RT, KEY_LONGEST };

static const struct argp_option options[] = {
	{ "slower", KEY_SLOWER, "TIME", 0, "waits of TIME or more: 500us, 2s (default 10ms)", 0 },
	{ "wakeups", KEY_WAKEUPS, NULL, 0, "only waits after a wake-up, none after losing the CPU", 0 },
	{ "rt", KEY_RT, NULL, 0, "only those of real-time and deadline tasks", 0 },
	{ "longest", KEY_LONGEST, NULL, 0, "each that is longer than all before on its CPU, without a limit", 0 },
	/* libbpf-tools: the columns of the task before, which are always there */
	{ "previous", 'P', NULL, OPTION_HIDDEN, NULL, 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "CPU", 3, &tool_not_shown, NULL },
	{ "LAT(us)", 13, NULL, "lat_ms" },
	{ "PREVCOMM", -16, NULL, "prev_comm" },
	{ "PREVPID", -7, NULL, "prev_pid" },
	{ "PREVTID", -7, &tool_not_shown, "prev_tid" },
	{ "PRIO", 4, &opt.rt, NULL },
	{ "PREVPRIO", 8, &opt.rt, "prev_prio" },
	{ NULL, 0, NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case KEY_SLOWER:
		opt.min_us = argument__time("--slower", arg) / 1000;
		opt.has_slower = true;
		return 0;
	case KEY_WAKEUPS:
		opt.wakeups = true;
		return 0;
	case KEY_RT:
		opt.rt = true;
		return 0;
	case KEY_LONGEST:
		opt.longest = true;
		return 0;
	case 'P':
		return 0;
	case ARGP_KEY_ARG:
		if (opt.has_min)
			usage_error("\"%s\": one argument too many, after MIN_US", arg);
		opt.min_us = argument__number("MIN_US", arg, 0, UINT64_MAX / 1000);
		say("MIN_US is --slower TIME now (--slower %sus)", arg);
		opt.has_min = true;
		return 0;
	case ARGP_KEY_END:
		if (opt.longest && !opt.has_min && !opt.has_slower)
			opt.min_us = 0;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct runqslower_event *event = data;
	struct out *out = &tool->out;

	tool__row(tool, &event->task);
	out__int(out, event->cpu);
	/* nanoseconds as microseconds; in JSON microseconds as milliseconds, as all tools have it */
	out__milliseconds(out, out->json ? event->wait_ns / 1000 : event->wait_ns);
	out__string(out, event->prev_comm, sizeof(event->prev_comm));
	out__int(out, event->prev_pid);
	out__int(out, event->prev_tid);
	out__int(out, event->prio);
	out__int(out, event->prev_prio);
}

static const struct tool_about about = {
	.name = "runqslower",
	.summary = "Shows tasks that waited for a CPU for 10 ms or more, and which task had it. "
		   "The filters are for the task that waited.",
	.examples = "  sudo runqslower               waits of 10 ms and more\n"
		    "  sudo runqslower -T --slower 1ms    those of 1 ms and more, with times\n"
		    "  sudo runqslower -n nginx --slower 500us  of one program\n"
		    "  sudo runqslower --wakeups --rt  real-time tasks, after they were woken\n",
	.options = options,
	.parse = parse,
	.argument = "",
	.columns = columns,
	RECORDS(runqslower, sizeof(struct runqslower_event)),
	.metrics = METRIC_OF_ROWS("long_run_queue_waits_total", "Waits for a CPU that took longer than the tool's limit."),
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about, .attach_own = waits__enter_tasks };
	struct runqslower_bpf *skel;

	tool__parse(&tool, argc, argv);
	if (tracing__register())
		tool__fail(&tool, -ENOMEM, "no memory");
	skel = runqslower_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->min_ns = opt.min_us * 1000;
		skel->rodata->wakeups = opt.wakeups;
		skel->rodata->rt = opt.rt;
		skel->rodata->longest = opt.longest;
		waits__prepare(&tool);
	}
	tool__run(&tool, skel, print_event);
	runqslower_bpf__destroy(skel);
	return tool__finish(&tool);
}

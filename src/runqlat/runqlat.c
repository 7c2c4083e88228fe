/* SPDX-License-Identifier: BSD-2-Clause */
/* runqlat: how long tasks that could run wait for a CPU. */
#include <errno.h>

#include "lib/probe/tracing.h"
#include "lib/run/foreign_options.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/task_keys.h"
#include "lib/run/waits.h"
#include "runqlat.h"
#include "runqlat.skel.h"

enum { KEY_PIDNSS = 0x200 };

static const struct argp_option options[] = {
	{ "processes", 'P', NULL, 0, "a histogram for each process", 0 },
	{ "threads", 'L', NULL, 0, "a histogram for each thread", 0 },
	{ "pidnss", KEY_PIDNSS, NULL, 0, "a histogram for each pid namespace", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct by_word by[] = { { "pidns", KEY_PIDNSS }, { NULL, 0 } };

static const struct foreign_option foreign_options[] = {
	{ "--count", "-P is by process, -L by thread; runqslower --slower 0 --count COLUMN,... counts waits by any columns" },
	{ "--hist", "it prints histograms; -P is by process, -L by thread" },
	{ NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	(void)state;
	switch (key) {
	case 'P':
		task_keys__set(TASK_KEY_PROCESS, "-P");
		return 0;
	case 'L':
		task_keys__set(TASK_KEY_THREAD, "-L");
		return 0;
	case KEY_PIDNSS:
		task_keys__set(TASK_KEY_PIDNS, "--pidnss");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct runqlat_counts *counts = interval->cells;
	struct hist_view waits = hist_view__of(tool->shape, &counts->waits);

	if (task_keys__kind())
		return interval__hists(tool, interval, &counts->others, task_keys__describe);
	interval__hist(tool, interval, &waits, NULL, NULL);
	return hist_view__count(&waits);
}

static const struct metric metrics[] = {
	{ "run_queue_wait_seconds", "How long tasks that could run waited for a CPU.", METRIC_HIST, NULL, TASK_KEY_LABELS },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "runqlat",
	.summary = "Counts how long tasks that could run wait for a CPU.",
	.examples = "  sudo runqlat            until Ctrl-C\n"
		    "  sudo runqlat -T 1 10    each second, ten times\n"
		    "  sudo runqlat -P 5       by process, each five seconds\n"
		    "  sudo runqlat -n nginx   the waits of one program\n",
	.options = options,
	.parse = parse,
	.foreign_options = foreign_options,
	.ready = "Counting waits for a CPU. Ctrl-C ends it.",
	.counts = true,
	.by_task = true,
	.by = by,
	.keys_max = RUNQLAT_KEYS,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	struct hist_shape shape = hist_shape__of(HIST_USECS);
	struct tool tool = { .about = &about, .shape = &shape, .attach_own = waits__enter_tasks };
	struct runqlat_bpf *skel;

	tool__parse(&tool, argc, argv);
	if (tracing__register())
		tool__fail(&tool, -ENOMEM, "no memory");
	skel = runqlat_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->task_key_kind = task_keys__kind();
		bpf_program__set_autoload(skel->progs.sched_switch, task_keys__kind() != TASK_KEY_PIDNS);
		bpf_program__set_autoload(skel->progs.sched_switch_pidns, task_keys__kind() == TASK_KEY_PIDNS);
		if (!task_keys__kind())
			table__leave_out(skel->obj);
		waits__prepare(&tool);
	}
	tool__run_intervals(&tool, skel, print_interval);
	runqlat_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* runqlat: how long tasks that could run wait for a CPU. */
#include <errno.h>

#include "lib/probe/tracing.h"
#include "lib/run/foreign_options.h"
#include "lib/run/intervals.h"
#include "lib/run/waits.h"
#include "runqlat.h"
#include "runqlat.skel.h"

enum { KEY_PIDNSS = 0x200 };

static bool by_process, by_thread, by_pidns;

static const struct argp_option options[] = {
	{ "processes", 'P', NULL, 0, "a histogram for each process", 0 },
	{ "threads", 'L', NULL, 0, "a histogram for each thread", 0 },
	{ "pidnss", KEY_PIDNSS, NULL, 0, "a histogram for each pid namespace", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct foreign_option foreign_options[] = {
	{ "--count", "-P is by process, -L by thread; runqslower --slower 0 --count COLUMN,... counts waits by any columns" },
	{ "--hist", "it prints histograms; -P is by process, -L by thread" },
	{ NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct tool *tool = state->input;

	(void)arg;
	switch (key) {
	case 'P':
		by_process = true;
		return 0;
	case 'L':
		by_thread = true;
		return 0;
	case KEY_PIDNSS:
		by_pidns = true;
		return 0;
	case ARGP_KEY_END:
		if (by_process + by_thread + by_pidns > 1)
			usage_error("-P and -L and --pidnss exclude each other");
		if ((by_process || by_thread || by_pidns) && tool->shape->linear_count)
			usage_error("--linear and -P, -L or --pidnss exclude each other");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void describe_key(const struct tool *tool, const void *data, struct interval_key *to)
{
	const struct runqlat_key *key = data;

	if (!by_pidns) {
		interval_key__task(to, key->pid, key->tid, key->comm);
		return;
	}
	snprintf(to->text, sizeof(to->text), "pidns = %u", key->pidns);
	snprintf(to->json, sizeof(to->json), "{\"pidns\":%u}", key->pidns);
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct runqlat_counts *counts = interval->cells;
	struct hist_view waits = hist_view__of(tool->shape, &counts->waits);

	if (by_process || by_thread || by_pidns)
		return interval__hists(tool, interval, &counts->others, describe_key);
	interval__hist(tool, interval, &waits, NULL, NULL);
	return hist_view__count(&waits);
}

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
	.keys_max = RUNQLAT_KEYS,
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
		skel->rodata->by_process = by_process;
		skel->rodata->by_thread = by_thread;
		bpf_program__set_autoload(skel->progs.sched_switch, !by_pidns);
		bpf_program__set_autoload(skel->progs.sched_switch_pidns, by_pidns);
		if (!by_process && !by_thread && !by_pidns)
			table__leave_out(skel->obj);
		waits__prepare(&tool);
	}
	tool__run_intervals(&tool, skel, print_interval);
	runqlat_bpf__destroy(skel);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* cputhrottle: cgroups that used up their CPU quota: for how long a CPU did not run them, and who waited. */
#include <stdio.h>

#include "lib/layout/layout.h"
#include "lib/print/dir.h"
#include "lib/probe/attach.h"
#include "lib/run/argument.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "cputhrottle.h"
#include "cputhrottle.skel.h"

static uint64_t min_ns;
static bool shows_waiters, shows_periods;

enum { KEY_SLOWER = 0x200, KEY_WAITERS, KEY_PERIODS };

static const struct argp_option options[] = {
	{ "slower", KEY_SLOWER, "TIME", 0, "only what was throttled for TIME or more: 20ms, 500us, 2s", 0 },
	{ "waiters", KEY_WAITERS, NULL, 0, "the threads that waited", 0 },
	{ "periods", KEY_PERIODS, NULL, 0, "how many periods it was throttled in so far, as cpu.stat counts", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "CPU", 3, NULL, NULL },
	{ "THROTTLED(us)", 13, NULL, "throttled_ns" },
	{ "WAITED", 6, NULL, NULL },
	{ "PERIODS", 7, &shows_periods, "nr_throttled" },
	{ "QUOTA(us)", 9, NULL, "quota_us" },
	{ "PERIOD(us)", 10, NULL, "period_us" },
	{ "GROUP", 0, NULL, "throttled_cgroup" },
	{ "WAITERS", -1, &shows_waiters, NULL },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "PERIOD(us)", "QUOTA(us)", "CPU", NULL };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case KEY_SLOWER:
		min_ns = argument__time("--slower", arg);
		return 0;
	case KEY_WAITERS:
		shows_waiters = true;
		return 0;
	case KEY_PERIODS:
		shows_periods = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* "spin/4711" of each. */
static void put_waiters(struct out *out, const struct cputhrottle_event *event)
{
	char text[WAITERS_MAX * (TASK_COMM_LEN + 12)];
	size_t used = 0;
	uint32_t i;

	for (i = 0; i < event->waiters_count && i < WAITERS_MAX; i++) {
		const struct cputhrottle_waiter *waiter = &event->waiters[i];

		used += (size_t)snprintf(text + used, TASK_COMM_LEN + 12, "%.*s/%u", TASK_COMM_LEN, waiter->comm, waiter->tid) + 1;
	}
	out__strings(out, text, used, event->waiters_count - i);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct cputhrottle_event *event = data;
	struct out *out = &tool->out;

	if (event->task.tid)
		tool__row(tool, &event->task);
	else
		tool__row_without_task(tool, event->task.ts_ns);
	out__int(out, event->cpu);
	out__latency(out, event->throttled_ns);
	out__int(out, event->waiters_count);
	out__int(out, event->nr_throttled);
	if (event->quota_ns == UINT64_MAX)
		out__none(out);
	else
		out__int(out, (int64_t)(event->quota_ns / 1000));
	out__int(out, (int64_t)(event->period_ns / 1000));
	dir__put_names(out, event->names, event->names_size, event->names_are_cut);
	put_waiters(out, event);
}

static void attach_probes(struct attach *attach, struct cputhrottle_bpf *skel)
{
	static const char *const unthrottle[] = { "unthrottle_cfs_rq", NULL };

	/* the return first, so that no begin is without its end */
	attach__kprobe(attach, skel->progs.release_ends, &skel->links.release_ends, unthrottle);
	if (bpf_program__autoload(skel->progs.group_is_released))
		attach__kprobe(attach, skel->progs.group_is_released, &skel->links.group_is_released,
			       (const char *const[]){ "tg_unthrottle_up", NULL });
	attach__kprobe(attach, skel->progs.release_begins, &skel->links.release_begins, unthrottle);
}

/* Of a record, which may be hostile. */
static bool is_intact(const void *data, size_t size)
{
	const struct cputhrottle_event *event = data;

	(void)size;
	return event->names_size <= sizeof(event->names);
}

static const struct tool_about about = {
	.name = "cputhrottle",
	.summary = "Shows cgroups that used up their CPU quota: for how long a CPU did not run their tasks, and who waited.",
	.examples = "  sudo cputhrottle              each time that a CPU runs a cgroup again\n"
		    "  sudo cputhrottle --waiters    with the threads that waited\n"
		    "  sudo cputhrottle -c system.slice/db.service --slower 50ms\n"
		    "  sudo cputhrottle --count group 10   how often, every ten seconds\n",
	.options = options,
	.parse = parse,
	.columns = columns,
	.spare = spare,
	.record_max = sizeof(struct cputhrottle_event),
	RECORDS(cputhrottle, sizeof(struct cputhrottle_event), .is_intact = is_intact, .kept = RECORD_KEYS(KEY_WAITERS, KEY_PERIODS)),
	.metrics = METRIC_OF_ROWS("cpu_throttles_total", "Times that a CPU ran a cgroup's tasks again whose quota had been used up."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct cputhrottle_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = cputhrottle_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->min_ns = min_ns;
		tool__choose_loop(&tool, "add_queued_in_place", "add_queued_by_loop");
		tool__lay_out(&tool);
		/* before 6.18 it has nothing to see */
		bpf_program__set_autoload(skel->progs.group_is_released, layout__has_member(tool.layout, "cfs_rq", "throttled_limbo_list"));
		tool__load(&tool);
		attach_probes(&attach, skel);
	}
	tool__run(&tool, skel, print_event);
	cputhrottle_bpf__destroy(skel);
	return tool__finish(&tool);
}

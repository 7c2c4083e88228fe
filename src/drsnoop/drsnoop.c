/* SPDX-License-Identifier: BSD-2-Clause */
/* drsnoop: tasks that wait because they must reclaim memory first: how long, how much, for whose limit. */

#include "drsnoop.h"
#include "drsnoop.skel.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/tracefs.h"
#include "lib/layout/layout.h"
#include "lib/printfmt/value_names.h"
#include "lib/run/argument.h"
#include "lib/run/metrics.h"
#include "lib/run/renamed.h"
#include "lib/run/tool.h"
#include "lib/stacks/row_stacks.h"

static struct {
	uint64_t min_ns;
} opt;

enum { KEY_SLOWER = 0x200 };

static const struct argp_option options[] = {
	{ "slower", KEY_SLOWER, "TIME", 0, "only waits that take TIME or more: 10ms, 500us, 2s", 0 },
	{ "min-ms", 'm', "MS", OPTION_HIDDEN, NULL, 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct out_column columns[] = {
	TOOL_TASK_COLUMNS,
	{ "LIMIT", -7, NULL, NULL },
	{ "ORDER", 5, NULL, NULL },
	{ "PAGES", 7, NULL, NULL },
	{ "LAT(ms)", 10, NULL, "lat_ms" },
	{ "GFP", 0, NULL, "gfp_names" },
	{ "GFP_NUMBER", 0, &tool_not_shown, "gfp" },
	{ NULL, 0, NULL, NULL },
};

static const char begin_event[] = "vmscan/mm_vmscan_direct_reclaim_begin";

/* NULL: flags are a number. */
static struct value_names *gfp_names;

static const char *const kinds[] = { [RECLAIM_MACHINE] = "machine", [RECLAIM_CGROUP] = "cgroup" };

static const struct renamed renamed[] = {
	{ 'm', KEY_SLOWER, "-m MS", "--slower TIME (--slower 10ms)", "ms" },
	{ 0, 0, NULL, NULL, NULL },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != KEY_SLOWER)
		return ARGP_ERR_UNKNOWN;
	opt.min_ns = argument__time("--slower", arg);
	return 0;
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct reclaim_event *event = data;
	struct out *out = &tool->out;
	char flags[256];

	tool__row(tool, &event->task);
	out__string(out, kinds[event->kind == RECLAIM_CGROUP], sizeof("machine"));
	out__int(out, event->order);
	out__int(out, (int64_t)event->reclaimed);
	out__milliseconds(out, event->latency_ns / 1000);
	out__string(out, flags, value_names__flags(gfp_names, event->gfp, flags, sizeof(flags)));
	out__hex(out, event->gfp);
}

/* Two programs for all events, or one for each.  have_cgroups: not on a kernel without CONFIG_MEMCG. */
static void choose_programs(const struct drsnoop_bpf *skel, bool have_cookies, bool have_cgroups)
{
	bpf_program__set_autoload(skel->progs.begin_any, have_cookies);
	bpf_program__set_autoload(skel->progs.end_any, have_cookies);
	bpf_program__set_autoload(skel->progs.begin_direct, !have_cookies);
	bpf_program__set_autoload(skel->progs.end_direct, !have_cookies);
	bpf_program__set_autoload(skel->progs.begin_memcg, !have_cookies && have_cgroups);
	bpf_program__set_autoload(skel->progs.end_memcg, !have_cookies && have_cgroups);
}

/*
 * Two programs for all events, or one for each.  The links of the two beyond their first are kept where programs that are not loaded have
 * theirs.  The ends first: what is seen to begin is then seen to end.
 */
static void attach(struct tool *tool, struct drsnoop_bpf *skel, bool have_cookies, bool have_cgroups)
{
	const struct {
		const struct bpf_program *program, *of_two;
		struct bpf_link **link, **link_of_two;
		const char *event;
		enum reclaim_kind kind;
	} hooks[] = {
		{ skel->progs.end_direct, skel->progs.end_any, &skel->links.end_direct, &skel->links.end_any,
		  "vmscan/mm_vmscan_direct_reclaim_end", RECLAIM_MACHINE },
		{ skel->progs.begin_direct, skel->progs.begin_any, &skel->links.begin_direct, &skel->links.begin_any,
		  begin_event, RECLAIM_MACHINE },
		{ skel->progs.end_memcg, skel->progs.end_any, &skel->links.end_memcg, &skel->links.end_memcg,
		  "vmscan/mm_vmscan_memcg_reclaim_end", RECLAIM_CGROUP },
		{ skel->progs.begin_memcg, skel->progs.begin_any, &skel->links.begin_memcg, &skel->links.begin_memcg,
		  "vmscan/mm_vmscan_memcg_reclaim_begin", RECLAIM_CGROUP },
	};

	for (size_t i = 0; i < sizeof(hooks) / sizeof(*hooks); i++) {
		if (hooks[i].kind == RECLAIM_CGROUP && !have_cgroups)
			continue;
		if (tool__attach_tracepoint(tool, have_cookies ? hooks[i].of_two : hooks[i].program,
					    have_cookies ? hooks[i].link_of_two : hooks[i].link, hooks[i].event,
					    have_cookies ? hooks[i].kind : 0))
			return;
	}
}

static const struct tool_about about = {
	.name = "drsnoop",
	.summary = "Shows tasks that must reclaim memory before they get some: how long they wait, and for whose limit.",
	.examples = "  sudo drsnoop           every such wait\n"
		    "  sudo drsnoop --slower 10ms -T    those of 10 ms and more, with times\n"
		    "  sudo drsnoop -c system.slice/db.service\n",
	.options = options,
	.renamed = renamed,
	.parse = parse,
	.columns = columns,
	ROW_STACKS(ROW_STACK_KERNEL | ROW_STACK_USER),
	.metrics = METRIC_OF_ROWS("direct_reclaims_total", "Times that a task had to free memory before it got some."),
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about };
	bool have_cookies = kernel__has_attach_cookie(), have_cgroups;
	struct drsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = drsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->min_ns = opt.min_ns;
		have_cgroups = tracefs__has_event("vmscan/mm_vmscan_memcg_reclaim_begin");
		choose_programs(skel, have_cookies, have_cgroups);
		if (!tool.options.filter.active)
			layout__leave_out(tool.layout, "filtered_out");
		if (!tool__load(&tool)) {
			value_names__of_format(&gfp_names, layout__format(tool.layout, begin_event), "gfp_flags");
			attach(&tool, skel, have_cookies, have_cgroups);
		}
	}
	tool__run(&tool, skel, print_event);
	drsnoop_bpf__destroy(skel);
	value_names__free(gfp_names);
	return tool__finish(&tool);
}

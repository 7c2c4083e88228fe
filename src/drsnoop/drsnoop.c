/* SPDX-License-Identifier: BSD-2-Clause */
/* drsnoop: tasks that wait because they must reclaim memory first: how long, how much, for whose limit. */

#include <errno.h>
#include <string.h>

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
#include "share.h"

static struct {
	uint64_t min_ns;
	bool shows_kswapd;
} opt;

enum { KEY_SLOWER = 0x200, KEY_KSWAPD };

static const struct argp_option options[] = {
	{ "slower", KEY_SLOWER, "TIME", 0, "only waits that take TIME or more: 10ms, 500us, 2s", 0 },
	{ "kswapd", KEY_KSWAPD, NULL, 0, "at the end a line: pages that kswapd and waiting tasks scanned and freed", 0 },
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
	if (key == KEY_KSWAPD) {
		opt.shows_kswapd = true;
		return 0;
	}
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

/* How the programs are attached: the raw tracepoints, or the events with two programs for all, or with one for each. */
enum way { WAY_RAW, WAY_COOKIES, WAY_EVENTS };

static enum way choose_way(void)
{
	if (!kernel__preempts_programs())
		return WAY_RAW;
	return kernel__has_attach_cookie() ? WAY_COOKIES : WAY_EVENTS;
}

/* have_cgroups, of events: not on a kernel without CONFIG_MEMCG. */
static void choose_programs(const struct drsnoop_bpf *skel, enum way way, bool have_cgroups)
{
	bpf_program__set_autoload(skel->progs.begin_raw, way == WAY_RAW);
	bpf_program__set_autoload(skel->progs.mark_raw_memcg, way == WAY_RAW);
	bpf_program__set_autoload(skel->progs.end_raw, way == WAY_RAW);
	bpf_program__set_autoload(skel->progs.begin_any, way == WAY_COOKIES);
	bpf_program__set_autoload(skel->progs.end_any, way == WAY_COOKIES);
	bpf_program__set_autoload(skel->progs.begin_direct, way == WAY_EVENTS);
	bpf_program__set_autoload(skel->progs.end_direct, way == WAY_EVENTS);
	bpf_program__set_autoload(skel->progs.begin_memcg, way == WAY_EVENTS && have_cgroups);
	bpf_program__set_autoload(skel->progs.end_memcg, way == WAY_EVENTS && have_cgroups);
}

/*
 * The ends first: what is seen to begin is then seen to end.  Of two programs on a tracepoint the one that was attached first runs first.
 * The second links of programs are kept where a program that is not loaded has its own.  A kernel without CONFIG_MEMCG has no tracepoints
 * of cgroups.
 */
static void attach_raw(struct tool *tool, struct drsnoop_bpf *skel)
{
	const struct {
		const struct bpf_program *program;
		struct bpf_link **link;
		const char *name;
		bool may_lack;
	} hooks[] = {
		{ skel->progs.end_raw, &skel->links.end_raw, "mm_vmscan_direct_reclaim_end", false },
		{ skel->progs.mark_raw_memcg, &skel->links.mark_raw_memcg, "mm_vmscan_memcg_reclaim_end", true },
		{ skel->progs.end_raw, &skel->links.end_memcg, "mm_vmscan_memcg_reclaim_end", true },
		{ skel->progs.begin_raw, &skel->links.begin_raw, "mm_vmscan_direct_reclaim_begin", false },
		{ skel->progs.begin_raw, &skel->links.begin_memcg, "mm_vmscan_memcg_reclaim_begin", true },
	};

	for (size_t i = 0; i < sizeof(hooks) / sizeof(*hooks) && !tool->err; i++) {
		*hooks[i].link = bpf_program__attach_raw_tracepoint(hooks[i].program, hooks[i].name);
		if (*hooks[i].link)
			tool__note_attached(hooks[i].program, hooks[i].name);
		else if (hooks[i].may_lack && errno == ENOENT)
			tool__needs_no_link(tool, hooks[i].program);
		else
			tool__fail_to_attach(tool, -errno, hooks[i].name);
	}
}

/*
 * Two programs for all events, or one for each.  The links of the two beyond their first are kept where programs that are not loaded have
 * theirs.  The ends first: what is seen to begin is then seen to end.
 */
static void attach_events(struct tool *tool, struct drsnoop_bpf *skel, bool have_cookies, bool have_cgroups)
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

static void tell_share(const struct tool *tool)
{
	char text[SHARE_TEXT_SIZE];
	int err = share__tell(text);

	(void)tool;
	if (err)
		say("what kswapd has done is not known: /proc/vmstat: %s", strerror(-err));
	else
		say("%s", text);
}

static void begin_share(struct tool *tool)
{
	int err = share__begin();

	if (err)
		tool__fail(tool, err, "--kswapd: /proc/vmstat cannot be read: %s", strerror(-err));
	tool->before_summary = tell_share;
}

static const struct tool_about about = {
	.name = "drsnoop",
	.summary = "Shows tasks that must reclaim memory before they get some: how long they wait, and for whose limit.",
	.examples = "  sudo drsnoop           every such wait\n"
		    "  sudo drsnoop --slower 10ms -T    those of 10 ms and more, with times\n"
		    "  sudo drsnoop --kswapd  and how much kswapd has freed\n"
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
	enum way way = choose_way();
	bool have_cgroups = false;
	struct drsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = drsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->min_ns = opt.min_ns;
		if (way != WAY_RAW)
			have_cgroups = tracefs__has_event("vmscan/mm_vmscan_memcg_reclaim_begin");
		choose_programs(skel, way, have_cgroups);
		if (!tool.options.filter.active)
			layout__leave_out(tool.layout, "filtered_out");
		if (!tool__load(&tool) && way == WAY_RAW) {
			value_names__load(&gfp_names, begin_event, "gfp_flags");
			attach_raw(&tool, skel);
		} else if (!tool.err) {
			value_names__of_format(&gfp_names, layout__format(tool.layout, begin_event), "gfp_flags");
			attach_events(&tool, skel, way == WAY_COOKIES, have_cgroups);
		}
	}
	if (!tool.err && opt.shows_kswapd)
		begin_share(&tool);
	tool__run(&tool, skel, print_event);
	drsnoop_bpf__destroy(skel);
	value_names__free(gfp_names);
	return tool__finish(&tool);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* oomkill: processes killed because memory ran out: which, at whose request, against which limit. */
#include <unistd.h>

#include "lib/print/dir.h"
#include "lib/printfmt/value_names.h"
#include "lib/probe/attach.h"
#include "lib/run/metrics.h"
#include "lib/run/tool.h"
#include "oomkill.h"
#include "oomkill.skel.h"

static const struct out_column columns[] = {
	{ "PID", -7, NULL, NULL },
	{ "UID", 6, &tool_shown_with_uid, NULL },
	{ "COMM", -16, NULL, NULL },
	TOOL_CGROUP_COLUMNS,
	{ "RSS(kB)", 9, NULL, "rss_kb" },
	{ "VM(kB)", 9, &tool_not_shown, "vm_kb" },
	{ "ANON(kB)", 9, &tool_not_shown, "anon_kb" },
	{ "FILE(kB)", 9, &tool_not_shown, "file_kb" },
	{ "SHMEM(kB)", 9, &tool_not_shown, "shmem_kb" },
	{ "SWAP(kB)", 9, &tool_not_shown, "swap_kb" },
	{ "PGTABLES(kB)", 9, &tool_not_shown, "pgtables_kb" },
	{ "ADJ", 5, NULL, "oom_score_adj" },
	{ "BY_PID", -7, NULL, NULL },
	{ "BY_COMM", -16, NULL, NULL },
	{ "ORDER", 5, NULL, NULL },
	{ "GFP", 0, &tool_not_shown, "gfp_names" },
	{ "GFP_NUMBER", 0, &tool_not_shown, "gfp" },
	{ "TOTAL(kB)", 9, NULL, "total_kb" },
	{ "LIMIT", -9, NULL, NULL },
	{ "LIMIT_CGROUP", 0, NULL, NULL },
	{ NULL, 0, NULL, NULL },
};

/* What a terminal that is too narrow does without. */
static const char *const spare[] = { "ORDER", "BY_PID", "ADJ", "TOTAL(kB)", "BY_COMM", NULL };

/* NULL: flags are a number. */
static struct value_names *gfp_names;

static const char *const limits[OOM_LIMITS_COUNT] = {
	[OOM_MACHINE] = "machine",
	[OOM_CPUSET] = "cpuset",
	[OOM_MEMPOLICY] = "mempolicy",
	[OOM_CGROUP] = "cgroup",
	[OOM_SYSRQ] = "sysrq",
};

static uint64_t kb(uint64_t pages)
{
	return pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

/* Only the limit of a cgroup has one. */
static void print_cgroup(struct out *out, const struct oom_event *event)
{
	if (event->limit == OOM_CGROUP)
		dir__put_names(out, event->names, event->names_size, event->names_are_cut);
	else
		out__none(out);
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct oom_event *event = data;
	struct out *out = &tool->out;
	char flags[256];

	out__row(out, event->task.ts_ns);
	out__int(out, event->pid);
	out__int(out, event->uid);
	out__string(out, event->comm, sizeof(event->comm));
	tool__cgroup(tool, event->cgroup_id);
	out__int(out, (int64_t)kb(event->anon_pages + event->file_pages + event->shmem_pages));
	out__int(out, (int64_t)kb(event->vm_pages));
	out__int(out, (int64_t)kb(event->anon_pages));
	out__int(out, (int64_t)kb(event->file_pages));
	out__int(out, (int64_t)kb(event->shmem_pages));
	out__int(out, (int64_t)kb(event->swap_pages));
	out__int(out, (int64_t)(event->pgtables_bytes / 1024));
	out__int(out, event->adj);
	out__int(out, event->task.pid);
	out__string(out, event->task.comm, sizeof(event->task.comm));
	if (event->order < 0)
		out__none(out);
	else
		out__int(out, event->order);
	out__string(out, flags, value_names__flags(gfp_names, event->gfp, flags, sizeof(flags)));
	out__hex(out, event->gfp);
	out__int(out, (int64_t)kb(event->total_pages));
	if (event->limit < OOM_LIMITS_COUNT)
		out__string(out, limits[event->limit], sizeof("mempolicy"));
	else
		out__int(out, event->limit);
	print_cgroup(out, event);
}

/* The mark last: what it needs of the others has been seen then. */
static void attach_probes(struct attach *attach, struct oomkill_bpf *skel)
{
	attach__kprobe(attach, skel->progs.oom_kill_process, &skel->links.oom_kill_process,
		       (const char *const[]){ "oom_kill_process", NULL });
	attach__kprobe(attach, skel->progs.kill_victim, &skel->links.kill_victim,
		       (const char *const[]){ "__oom_kill_process", NULL });
	attach__kprobe(attach, skel->progs.mark_victim, &skel->links.mark_victim,
		       (const char *const[]){ "mark_oom_victim", NULL });
}

static const struct tool_about about = {
	.name = "oomkill",
	.summary = "Shows processes killed because memory ran out: their size, who asked for more, and which limit was reached.",
	.examples = "  sudo oomkill -T     every kill, with its time\n"
		    "  sudo oomkill -j     as JSON, with all the figures\n"
		    "  sudo oomkill -c system.slice/db.service\n",
	.columns = columns,
	.spare = spare,
	.record_max = sizeof(struct oom_event),
	.metrics = METRIC_OF_ROWS("oom_kills_total", "Processes that the kernel killed as memory had run out."),
};

int main(int argc, char **argv)
{
	struct attach attach = { 0 };
	struct tool tool = { .about = &about, .attach = &attach };
	struct oomkill_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = oomkill_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		/* any event that has such flags */
		value_names__load(&gfp_names, "vmscan/mm_vmscan_direct_reclaim_begin", "gfp_flags");
		tool__load(&tool);
		attach_probes(&attach, skel);
	}
	tool__run(&tool, skel, print_event);
	oomkill_bpf__destroy(skel);
	value_names__free(gfp_names);
	return tool__finish(&tool);
}

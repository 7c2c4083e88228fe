/* SPDX-License-Identifier: BSD-2-Clause */
/* schedsnoop: CPUs switching from one task to another. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


#include <bpf/bpf.h>

#include "cpu_timeline.h"
#include "lib/run/metrics.h"
#include "lib/run/recording.h"
#include "lib/run/tool.h"
#include "schedsnoop.h"
#include "schedsnoop.skel.h"

enum { KEY_TRACE = 0x200 };

static const struct argp_option options[] = {
	{ "trace", KEY_TRACE, "FILE", 0, "also write a timeline, for Perfetto and Chromium", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static struct cpu_timeline timeline = CPU_TIMELINE("--trace");

/* A row fits into 80 columns. */
static const struct out_column columns[] = {
	{ "CPU", 3, NULL, NULL },
	{ "UID", 6, &tool_shown_with_uid, NULL },
	{ "PREV_COMM", -16, NULL, NULL },
	{ "PREV_PID", -8, NULL, "prev_tid" },
	TOOL_CGROUP_COLUMNS,
	{ "PRIO", 4, NULL, "prev_prio" },
	{ "STATE", -5, NULL, "prev_state" },
	{ "NEXT_COMM", -16, NULL, NULL },
	{ "NEXT_PID", -8, NULL, "next_tid" },
	{ "PRIO", 4, NULL, "next_prio" },
	{ NULL, 0, NULL, NULL },
};

/*
 * The letters of the record's print fmt: one for each bit of TASK_REPORT and TASK_REPORT_IDLE, the same since 4.14;
 * the bit behind them says that the task was preempted.
 */
static const char state_letters[] = "SDTtXZPI";
#define STATE_PREEMPTED 0x100

#define STATE_TEXT_SIZE (2 * sizeof(state_letters) + 1)

static const char *state_text(int64_t state, char *text)
{
	char *end = text;

	for (size_t i = 0; i < sizeof(state_letters) - 1; i++) {
		if (!(state >> i & 1))
			continue;
		if (end != text)
			*end++ = '|';
		*end++ = state_letters[i];
	}
	if (end == text)
		*end++ = 'R';
	if (state & STATE_PREEMPTED)
		*end++ = '+';
	*end = 0;
	return text;
}

static void print_event(struct tool *tool, const void *data, size_t size)
{
	const struct sched_event *event = data;
	char state[STATE_TEXT_SIZE];
	struct out *out = &tool->out;

	out__row(out, event->task.ts_ns);
	out__int(out, event->cpu);
	out__int(out, event->task.uid);
	out__string(out, event->task.comm, sizeof(event->task.comm));
	out__int(out, event->task.tid);
	tool__cgroup(tool, event->task.cgroup_id);
	out__int(out, event->prev_prio);
	out__string(out, state_text(event->prev_state, state), sizeof(state));
	out__string(out, event->next_comm, sizeof(event->next_comm));
	out__int(out, event->next_tid);
	out__int(out, event->next_prio);
	if (cpu_timeline__is_open(&timeline))
		cpu_timeline__add(&timeline, &(struct cpu_switch){
			.cpu = event->cpu, .ts_ns = event->task.ts_ns, .seen = event->seen, .pid = event->task.pid,
			.tid = event->task.tid, .comm = event->task.comm, .prio = event->prev_prio, .state = state,
			.next_tid = event->next_tid, .next_comm = event->next_comm,
		});
}

/*
 * The threads that the processes of -p have already; called when the programs that follow new ones are attached.  Not
 * in a pid namespace: what numbers the records have for them is not to be found out from in there.
 */
static void add_threads(const struct tool *tool, const struct schedsnoop_bpf *skel)
{
	if (tool->options.filter.pidns_ino || tool->options.filter.follows)
		return;
	for (uint32_t i = 0; i < tool->options.filter.pids_count; i++) {
		uint32_t pid = tool->options.filter.pids[i];
		const struct dirent *entry;
		char path[64];
		DIR *folder;

		snprintf(path, sizeof(path), "/proc/%u/task", pid);
		folder = opendir(path);
		while (folder && (entry = readdir(folder))) {
			struct thread_ids ids = { .pid = pid, .tid = (uint32_t)strtoul(entry->d_name, NULL, 10) };

			if (ids.tid)
				bpf_map_update_elem(bpf_map__fd(skel->maps.threads), &ids.tid, &ids, BPF_ANY);
		}
		if (folder)
			closedir(folder);
	}
}

/* One of the three programs on sched_switch, and what only -p needs, or only a pid namespace. */
static void choose_programs(const struct tool *tool, const struct schedsnoop_bpf *skel)
{
	bool by_pid = tool->options.filter.pids_count && !tool->options.filter.follows, in_pidns = tool->options.filter.pidns_ino;
	bool select = tool->options.filter.active || in_pidns, trace = timeline.file.path;

	bpf_program__set_autoload(skel->progs.sched_switch, select && !trace);
	bpf_program__set_autoload(skel->progs.sched_switch_all, !select && !trace);
	bpf_program__set_autoload(skel->progs.sched_switch_trace, trace);
	bpf_program__set_autoload(skel->progs.task_newtask, by_pid);
	bpf_map__set_autocreate(skel->maps.threads, by_pid || in_pidns);
	bpf_map__set_autocreate(skel->maps.cpus, trace);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)state;
	if (key != KEY_TRACE)
		return ARGP_ERR_UNKNOWN;
	timeline.file.path = arg;
	return 0;
}

static const struct tool_about about = {
	.name = "schedsnoop",
	.summary = "Shows CPUs switching from one task to another, and the state of the one that leaves. "
		   "-p, -t and -n match either of the two, -u and -c the one that leaves.",
	.examples = "  sudo schedsnoop -d 1              all switches of a second\n"
		    "  sudo schedsnoop -p 4711 -T        when process 4711 runs, and when not\n"
		    "  sudo schedsnoop -j -n 'kworker*'  as JSON\n"
		    "  sudo schedsnoop -d 5 --trace f >/dev/null  a timeline\n",
	.options = options,
	.parse = parse,
	.columns = columns,
	RECORDS(schedsnoop, sizeof(struct sched_event), .no_filter = "an event is of two tasks"),
	.metrics = METRIC_OF_ROWS("context_switches_total", "Switches from one task to another."),
};

int main(int argc, char **argv)
{
	struct tool tool = { .about = &about };
	struct schedsnoop_bpf *skel;

	tool__parse(&tool, argc, argv);
	skel = schedsnoop_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		choose_programs(&tool, skel);
		if (timeline.file.path)
			cpu_timeline__prepare(skel->maps.cpus);
		tool__load(&tool);
		tool__attach(&tool);
		add_threads(&tool, skel);
		cpu_timeline__begin(&timeline, &tool, skel->maps.cpus);
	}
	tool__run(&tool, skel, print_event);
	cpu_timeline__end(&timeline);
	schedsnoop_bpf__destroy(skel);
	return tool__finish(&tool);
}

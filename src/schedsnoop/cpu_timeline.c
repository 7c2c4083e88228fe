/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu_timeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/kernel/clock.h"
#include "lib/print/count.h"
#include "lib/print/timeline.h"
#include "lib/run/tool.h"

/*
 * The group of the CPUs' tracks has a number that no process can have (PID_MAX_LIMIT, 4,194,304, include/linux/threads.h), and so have
 * the tracks: the viewers may take two threads of the same number for the same one.
 */
#define CPUS_GROUP 5000000
#define PENDING_MAX (64 << 10)		/* bytes that wait to be written */
#define TASKS_SLOTS 16384

struct timeline_cpu {
	bool is_named;
	struct cpu_switches seen;	/* as of its last record */
	uint64_t lost_reported;		/* the highest seen.lost */
	uint64_t since_ns;		/* when that was */
	uint32_t tid;			/* who came */
	char comm[TASK_COMM_LEN];
};

struct timeline_task {
	uint32_t pid, tid;		/* 0, 0: none */
	char comm[TASK_COMM_LEN];
};

static struct timeline_track track_of(uint32_t cpu)
{
	return (struct timeline_track){ CPUS_GROUP, CPUS_GROUP + 1 + cpu };
}

void cpu_timeline__prepare(struct bpf_map *map)
{
	int cpus = libbpf_num_possible_cpus();

	bpf_map__set_max_entries(map, cpus > 0 ? (uint32_t)cpus : 1);
}

int cpu_timeline__begin(struct cpu_timeline *timeline, struct tool *tool, const struct bpf_map *map)
{
	void *mapped;

	timeline->tool = tool;
	if (!timeline->file.path || tool->err)
		return tool->err;
	timeline->cpus_count = bpf_map__max_entries(map);
	timeline->cpus = calloc(timeline->cpus_count, sizeof(*timeline->cpus));
	timeline->tasks = calloc(TASKS_SLOTS, sizeof(*timeline->tasks));
	if (!timeline->cpus || !timeline->tasks)
		return tool__fail(tool, -ENOMEM, "no memory for a timeline");
	mapped = mmap(NULL, timeline->cpus_count * CPU_SWITCHES_SIZE, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (mapped == MAP_FAILED)
		return tool__fail(tool, -errno, "the switches of the CPUs cannot be mapped: %s", strerror(errno));
	timeline->switches = mapped;
	if (side_file__open(&timeline->file, tool))
		return tool->err;
	timeline->begin_ns = timeline->end_ns = now_ns();
	timeline->pending = text_buffer__growing(2 * PENDING_MAX);
	timeline__begin(&timeline->pending, CPUS_GROUP, "CPUs");
	return 0;
}

bool cpu_timeline__is_open(const struct cpu_timeline *timeline)
{
	return side_file__is_open(&timeline->file);
}

static void flush(struct cpu_timeline *timeline)
{
	size_t length = timeline->pending.length;
	char *text = text_buffer__take(&timeline->pending);

	if (text)
		side_file__write(&timeline->file, timeline->tool, text, length);
	else
		side_file__fail(&timeline->file, timeline->tool, -ENOMEM);
	free(text);
}

/* The names of a task's track and of its process' group, where they are new or others than before.  One may take another one's slot. */
static void name_task(struct cpu_timeline *timeline, const struct timeline_track *track, const char *comm)
{
	struct timeline_task *named = &timeline->tasks[track->tid % TASKS_SLOTS];

	if (named->pid == track->pid && named->tid == track->tid && !memcmp(named->comm, comm, sizeof(named->comm)))
		return;
	named->pid = track->pid;
	named->tid = track->tid;
	memcpy(named->comm, comm, sizeof(named->comm));
	timeline__name_track(&timeline->pending, track, comm, TASK_COMM_LEN);
	if (track->pid == track->tid)
		timeline__name_group(&timeline->pending, track->pid, comm, TASK_COMM_LEN);
}

/* The one that leaves has had the CPU since then. */
static void add_slices(struct cpu_timeline *timeline, const struct cpu_switch *sched_switch, uint64_t since_ns)
{
	const struct timeline_track task = { sched_switch->pid, sched_switch->tid }, cpu = track_of(sched_switch->cpu);
	char args[160], name[16];

	snprintf(args, sizeof(args), "\"pid\":%u,\"tid\":%u,\"cpu\":%u,\"prio\":%d,\"state\":\"%s\"", task.pid, task.tid,
		 sched_switch->cpu, sched_switch->prio, sched_switch->state);
	timeline__slice(&timeline->pending, &cpu, since_ns, sched_switch->ts_ns, sched_switch->comm, TASK_COMM_LEN, args);
	if (!task.tid)
		return;
	name_task(timeline, &task, sched_switch->comm);
	snprintf(name, sizeof(name), "CPU %u", sched_switch->cpu);
	timeline__slice(&timeline->pending, &task, since_ns, sched_switch->ts_ns, name, sizeof(name), args);
}

static void add_lost(struct cpu_timeline *timeline, uint32_t cpu, uint64_t lost, uint64_t ts_ns)
{
	const struct timeline_track track = track_of(cpu);
	char name[64], args[64];

	snprintf(name, sizeof(name), "%llu switches lost", (unsigned long long)lost);
	snprintf(args, sizeof(args), "\"lost\":%llu", (unsigned long long)lost);
	timeline__instant(&timeline->pending, &track, ts_ns, name, args);
}

static void name_cpu(struct cpu_timeline *timeline, uint32_t cpu)
{
	const struct timeline_track track = track_of(cpu);
	char name[16];

	if (timeline->cpus[cpu].is_named)
		return;
	timeline->cpus[cpu].is_named = true;
	snprintf(name, sizeof(name), "CPU %u", cpu);
	timeline__name_track(&timeline->pending, &track, name, sizeof(name));
}

/* A CPU that has nothing to do has an empty track. */
static bool is_idle(uint32_t tid, const char *comm)
{
	return !tid && !strncmp(comm, "swapper/", 8);
}

void cpu_timeline__add(struct cpu_timeline *timeline, const struct cpu_switch *sched_switch)
{
	struct timeline_cpu *cpu = sched_switch->cpu < timeline->cpus_count ? &timeline->cpus[sched_switch->cpu] : NULL;
	uint64_t since_ns;

	if (!cpu || !cpu_timeline__is_open(timeline))
		return;
	name_cpu(timeline, sched_switch->cpu);
	if (sched_switch->seen.lost > cpu->lost_reported)
		add_lost(timeline, sched_switch->cpu, count__rise(&cpu->lost_reported, sched_switch->seen.lost), sched_switch->ts_ns);
	/* who leaves first had the CPU when the tracing began */
	since_ns = cpu->seen.number ? cpu->since_ns : timeline->begin_ns;
	if (sched_switch->seen.number == cpu->seen.number + 1 && sched_switch->ts_ns >= since_ns &&
	    !is_idle(sched_switch->tid, sched_switch->comm))
		add_slices(timeline, sched_switch, since_ns);
	cpu->seen = sched_switch->seen;
	cpu->since_ns = sched_switch->ts_ns;
	cpu->tid = sched_switch->next_tid;
	memcpy(cpu->comm, sched_switch->next_comm, sizeof(cpu->comm));
	if (sched_switch->ts_ns > timeline->end_ns)
		timeline->end_ns = sched_switch->ts_ns;
	if (timeline->pending.length > PENDING_MAX)
		flush(timeline);
}

/* What was lost after a CPU's last record; or who has it since then, and had it at least until the last record of all. */
static void end_cpu(struct cpu_timeline *timeline, uint32_t number)
{
	const struct cpu_switches *all = (const void *)((const char *)timeline->switches + (size_t)number * CPU_SWITCHES_SIZE);
	const struct timeline_cpu *cpu = &timeline->cpus[number];
	const struct timeline_track track = track_of(number);
	char args[64];

	if (!all->number)
		return;
	name_cpu(timeline, number);
	if (all->lost > cpu->lost_reported)
		add_lost(timeline, number, count__minus(all->lost, cpu->lost_reported), timeline->end_ns);
	if (all->number != cpu->seen.number || is_idle(cpu->tid, cpu->comm))
		return;
	snprintf(args, sizeof(args), "\"tid\":%u,\"cpu\":%u", cpu->tid, number);
	timeline__slice(&timeline->pending, &track, cpu->since_ns, timeline->end_ns, cpu->comm, TASK_COMM_LEN, args);
}

void cpu_timeline__end(struct cpu_timeline *timeline)
{
	for (uint32_t i = 0; i < timeline->cpus_count && cpu_timeline__is_open(timeline); i++)
		end_cpu(timeline, i);
	if (cpu_timeline__is_open(timeline)) {
		timeline__end(&timeline->pending);
		flush(timeline);
	}
	side_file__close(&timeline->file);
	if (timeline->switches)
		munmap((void *)timeline->switches, timeline->cpus_count * CPU_SWITCHES_SIZE);
	free(timeline->cpus);
	free(timeline->tasks);
}

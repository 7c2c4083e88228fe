/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A timeline of who runs where: a track for each CPU, and one for each task (lib/print/timeline.h has the format).  Nothing is guessed:
 * a slice is drawn between two switches of a CPU that came one right after the other, as the programs numbered them.  What was lost is
 * an instant on the track of its CPU, and no slice.
 *
 *	static struct cpu_timeline timeline = CPU_TIMELINE("--trace");
 *
 *	timeline.file.path = arg;				the option; without it nothing else is called but __end
 *	cpu_timeline__prepare(map);				before the programs are loaded
 *	cpu_timeline__begin(&timeline, &tool, map);		once they are attached
 *	cpu_timeline__add(&timeline, &sched_switch);		for each record
 *	cpu_timeline__end(&timeline);				after the run
 */
#ifndef PROBELIGHT_CPU_TIMELINE_H
#define PROBELIGHT_CPU_TIMELINE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/print/text_buffer.h"
#include "lib/run/side_file.h"
#include "lib/shared/cpu_switches.h"
#include "lib/shared/event.h"

struct tool;

struct cpu_switch {
	uint32_t cpu;
	uint64_t ts_ns;			/* CLOCK_MONOTONIC */
	struct cpu_switches seen;	/* of the CPU until now, this one included */
	uint32_t pid, tid;		/* who leaves; 0, 0: not in the caller's pid namespace */
	const char *comm;		/* TASK_COMM_LEN bytes, untrusted; valid during the call, as are the others */
	int prio;
	const char *state;		/* a trusted word */
	uint32_t next_tid;		/* who comes */
	const char *next_comm;
};

struct timeline_cpu;
struct timeline_task;

struct cpu_timeline {
	struct side_file file;
	struct tool *tool;
	struct text_buffer pending;	/* to be written */
	struct timeline_cpu *cpus;
	struct timeline_task *tasks;	/* whose tracks have names */
	size_t cpus_count;
	const void *switches;		/* the programs' map */
	uint64_t begin_ns, end_ns;	/* when all was attached; the last record's time */
};

#define CPU_TIMELINE(name) { .file = { .option = (name), .fd = -1 } }

/* Makes the map, an array of CPU_SWITCHES_SIZE bytes that can be mapped, as large as the machine has CPUs. */
void cpu_timeline__prepare(struct bpf_map *map);

/* Opens the file, where one is asked for.  tool->err. */
int cpu_timeline__begin(struct cpu_timeline *timeline, struct tool *tool, const struct bpf_map *map);

/* Whether switches are wanted. */
bool cpu_timeline__is_open(const struct cpu_timeline *timeline);

/* In the order of the ring buffer, which is that of time for each CPU. */
void cpu_timeline__add(struct cpu_timeline *timeline, const struct cpu_switch *sched_switch);

/* Draws those that have a CPU still, and ends the file.  Also of one that was not begun. */
void cpu_timeline__end(struct cpu_timeline *timeline);

#endif

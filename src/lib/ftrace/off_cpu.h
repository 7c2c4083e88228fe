/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long each task did not have a CPU, asleep or waiting for one, by sched/sched_switch in an instance of its own: so a flood of other
 * records cannot overwrite these.  The time between two moments is what the sum has grown by, unless records were lost in between.
 */
#ifndef PROBELIGHT_OFF_CPU_H
#define PROBELIGHT_OFF_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "instance.h"
#include "lib/kernel/hash.h"
#include "lib/print/fault.h"
#include "stream.h"

struct off_cpu {
	struct instance instance;
	struct stream stream;
	bool is_open;
	bool has_next;			/* a record that is younger than what was asked for */
	struct stream_record next;
	uint64_t known_ns;		/* without one: up to this time (CLOCK_MONOTONIC) there is none */
	uint32_t prev, next_pid, size_min;	/* offsets in a record, and its least size */
	uint16_t type;
	struct hash tasks;		/* of tasks that were switched */
	uint64_t losses;		/* how often records were lost so far */
};

/* From now on it knows.  0 or -errno with one line in fault; off_cpu__close() takes one that failed, too, and a zeroed one. */
int off_cpu__open(struct off_cpu *off, struct fault *fault);

/*
 * How long a task was off the CPU until a time (CLOCK_MONOTONIC), since its first switch that was seen, ns.  tid 0: the idle task of cpu.
 * Times must not go back.
 */
uint64_t off_cpu__until(struct off_cpu *off, uint32_t tid, uint32_t cpu, uint64_t time_ns);

/* Up to which time (CLOCK_MONOTONIC) it knows without another look, after one now; as task_events__look(). */
uint64_t off_cpu__look(struct off_cpu *off);

/* Nothing is recorded any more. */
void off_cpu__end(struct off_cpu *off);

/* 0 or -errno of removing the instance. */
int off_cpu__close(struct off_cpu *off);

#endif

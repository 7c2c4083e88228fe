/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's timerlat tracer (kernel/trace/trace_osnoise.c, since 5.14, in instances since 5.17) in an instance of our own: a timer and a
 * thread of the kernel's on each CPU tell how late they are.  Its settings, in tracefs' osnoise directory, are those of the whole system.
 */
#ifndef PROBELIGHT_FTRACE_TIMERLAT_H
#define PROBELIGHT_FTRACE_TIMERLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/print/fault.h"
#include "tracer_records.h"

struct timerlat {
	struct tracer_records records;
	uint64_t period_us;		/* osnoise/timerlat_period_us */
	uint32_t pid, context, latency, number;		/* where the fields are */
};

struct timerlat_sample {
	uint64_t time_ns;		/* CLOCK_MONOTONIC */
	uint64_t late_ns;
	uint32_t number;		/* of the activation on its CPU, from 1 */
	int cpu;
	uint32_t tid;			/* that ran; 0: the idle task */
	bool is_thread;			/* how late the thread ran; else how late its timer's interrupt was */
};

/* Starts it.  0, or -errno with a line in fault.  timerlat__close() takes one that failed. */
int timerlat__open(struct timerlat *timerlat, struct fault *fault);

/* What one of its records says. */
void timerlat__read(const struct timerlat *timerlat, const struct stream_record *record, struct timerlat_sample *sample);

/* The next sample that is not younger than until_ns, each CPU's in their order: 1, 0 where there is none, or -errno. */
int timerlat__next(struct timerlat *timerlat, uint64_t until_ns, struct timerlat_sample *sample);

#endif

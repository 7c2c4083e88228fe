/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's latency tracers (irqsoff, preemptoff, preemptirqsoff; kernel/trace/trace_irqsoff.c) in an instance of our own.  The kernel
 * keeps the longest section alone, and its times are those of the clock at the top of tracefs.  What happens while the
 * section is being read is measured, but the kernel does not note where it was.
 */
#ifndef PROBELIGHT_FTRACE_LATENCY_H
#define PROBELIGHT_FTRACE_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intact.h"
#include "latency_text.h"
#include "lib/print/fault.h"

struct latency {
	struct instance instance;
	struct intact intact, top_intact;	/* of the instance; of the top of tracefs, by which the tracer runs */
	int max_fd;			/* tracing_max_latency */
	int notify_fd;			/* readable when that changes (inotify(7)); -1: it has to be looked at */
	uint64_t floor_us;
	bool again;			/* begin anew after each section */
	uint64_t last_us;		/* that was given last; the next one is longer */
};

/*
 * Starts one.  functions: the kernel also keeps which functions run inside of the section, which hooks them all.  again: next() gives
 * sections of floor_us and more, each longer than those since the last one was read; else each longer than all before.  0, or -errno with a
 * line in fault.  latency__close() takes one that failed.
 */
int latency__open(struct latency *latency, const char *tracer, bool functions, uint64_t floor_us, bool again,
		  struct fault *fault);

/* 0, or -ESTALE with a line in fault: somebody has switched the tracer off or changed it. */
int latency__is_intact(struct latency *latency, struct fault *fault);

/* Nothing is traced any more; what the kernel keeps is still to be read. */
void latency__end(struct latency *latency);

/* Stops the tracer and removes the instance.  0 or -errno. */
int latency__close(struct latency *latency);

/*
 * The longest section, if it is a new one: 1, 0 where there is none, or -errno.  Where the kernel does not tell its place, only us is set,
 * and from is empty.
 */
int latency__next(struct latency *latency, struct latency_text *text);

#endif

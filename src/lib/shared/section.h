/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections in which a CPU did not react: interrupts off, preemption off, or a switch that had to wait. */
#ifndef PROBELIGHT_SECTION_H
#define PROBELIGHT_SECTION_H

#include "event.h"
#include "hist.h"

/* What is off; bits. */
#define SECTION_IRQS 1
#define SECTION_PREEMPT 2

/* Where the length of a section is known from. */
enum section_source {
	SECTION_EXACT,		/* tracepoints at its begin and its end */
	SECTION_TIMER,		/* how late a timer of ours was */
	SECTION_SWITCH,		/* from the wish for a switch to the switch */
	SECTION_LAZY,		/* the same, of a switch that the kernel wished for lazily (PREEMPT_LAZY, since 6.13) */
};

#define SECTION_FRAMES 32

struct section {
	struct event_task task;		/* that ran when the section ended */
	__u64 ns;			/* its length */
	__u64 from, from_caller;	/* addresses in the kernel; 0: not known, or the idle loop's */
	__u64 to, to_caller;
	__u64 epoch;			/* of a cell of the map `longest`: when it was written */
	__u32 cpu;
	__u32 source;			/* enum section_source */
	__s64 frames_size;		/* bytes; negative: there are none */
	__u64 frames[SECTION_FRAMES];	/* the kernel stack at its end, the innermost first */
};

/* What a CPU counts, and what it needs for the section that it is in. */
struct section_counts {
	struct hist lengths;		/* ns, with -H */
	__u64 count;
	/* no counts: the CPU's own words */
	__u64 begun_ns;			/* 0: not in one */
	__u64 from, from_caller;
	__u64 off;			/* SECTION_IRQS, SECTION_PREEMPT */
	__u64 longest_ns;		/* of all rows so far */
	__u64 wanted_ns;		/* when a switch was wished for; 0: it is not */
	__u64 wanted_lazily_ns;
	__u64 taken_ns;			/* of the wish that the __schedule() that runs serves */
	__u64 taken_lazily_ns;
};

/* How the programs tell sections; frozen rodata. */
struct section_wants {
	__u64 slower_ns;		/* shorter ones are no events */
	__u64 timer_function;		/* address of the function of our timers, which all perf events of a CPU's clock have */
	__u64 timer_mark;		/* that only our events have (cpu_timers.h) */
	__u32 counting;			/* sums, not rows */
	__u32 hist;			/* of lengths */
	__u32 all;			/* rows: of all; else of those that are longer than all before them on their CPU */
	__u32 stack;
	__u32 idle;			/* also what the idle task tells */
	__u32 lazy;			/* also delays of lazy switches */
	__u32 flag_lazy;		/* the number of TIF_NEED_RESCHED_LAZY; 0: there is none */
	__u32 reserved;
};

#endif

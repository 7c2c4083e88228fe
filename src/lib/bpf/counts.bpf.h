/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting in an array that is mapped: for everything with a known number of classes (system calls, softirqs, one histogram).
 * Each CPU has its own cells for each class, which only grow; the user side adds them up, and an interval is the difference
 * of two looks (lib/run/cells.h).  So nothing is lost, and nothing is counted twice, however often an interval is cut.
 *
 *	COUNTS(struct softirq_counts, SOFTIRQS);
 *
 *	struct softirq_counts *cells = counts_at(SOFTIRQS, number);
 *
 *	if (cells)
 *		count_add(&cells->events, 1);
 *
 * The type consists of u64 words.  Words that no count is in may keep what a program needs later on the same CPU.
 */
#ifndef PROBELIGHT_COUNTS_BPF_H
#define PROBELIGHT_COUNTS_BPF_H

#include <bpf/bpf_helpers.h>

#include "atomic.bpf.h"
#include "lib/shared/counts.h"
#include "stats.bpf.h"

/* The user side makes max_entries as many for each possible CPU, before it is loaded. */
#define COUNTS(value_type, classes)                     \
	struct {                                        \
		__uint(type, BPF_MAP_TYPE_ARRAY);       \
		__uint(map_flags, BPF_F_MMAPABLE);      \
		__uint(max_entries, classes);           \
		__type(key, __u32);                     \
		__type(value, value_type);              \
	} counts_map SEC(".maps")

/*
 * The current CPU's cells of a class; NULL where there is no such class.  The second is for a program that knows the CPU's number already.
 */
#define counts_at(classes, class) counts_at_of(bpf_get_smp_processor_id(), classes, class)
#define counts_at_of(cpu, classes, class)                                                          \
	({                                                                                         \
		__u32 counts_class = (class), counts_index;                                        \
		counts_index = (cpu) * (classes) + counts_class;                                   \
		counts_class < (classes) ? bpf_map_lookup_elem(&counts_map, &counts_index) : (void *)0; \
	})

/* Atomic: an interrupt's program may nest in a task's, and on PREEMPT_RT a program may be preempted by another one. */
static __always_inline void count_add(__u64 *cell, __u64 number)
{
	atomic_add(cell, number);
}

/*
 * The cells of a tool whose counts_map is left out of a run (autocreate): COUNTS_FEW classes of a word each, which take 20 instructions
 * less.  The class is a constant.
 */
#define COUNTS_OF_FEW struct counts_few counts_of_few[COUNTS_FEW_SLOTS] SEC(".bss.counts") = {}
#define count_few(class)                                                                           \
	count_add(&counts_of_few[bpf_get_smp_processor_id() & (COUNTS_FEW_SLOTS - 1)].counts[class], 1)

/* An operation has begun, or one that was seen to begin has ended. */
static __always_inline void count_begin(void)
{
	atomic_add(&event_stats_slot()->in_flight, 1);
}

static __always_inline void count_end_of(__u32 cpu)
{
	atomic_add(&event_stats_of(cpu)->in_flight, -1);
}

static __always_inline void count_end(void)
{
	count_end_of(bpf_get_smp_processor_id());
}

#endif

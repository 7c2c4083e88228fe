/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts events by their values: by key, or in a histogram for each event.  Include it once in a tool, after vmlinux.h.
 *
 *	struct counted_memory *memory = counted_begin(index, id);
 *
 *	if (memory) {
 *		faulted = make_key(ctx, memory);	generated (lib/gen/key)
 *		counted_add(memory, is_signed, faulted);
 *		counted_end(memory);
 *	}
 */
#ifndef PROBELIGHT_COUNTED_BPF_H
#define PROBELIGHT_COUNTED_BPF_H

#include "counts.bpf.h"
#include "hist.bpf.h"
#include "lib/shared/counted.h"
#include "table.bpf.h"

COUNTS(struct counted_cells, 1);
TABLE(struct counted_memory, struct counted_value, COUNTED_KEYS);

const volatile bool counted_with_hist = false;
const volatile __u32 counted_classes = 1;
const volatile __u32 counted_events = 1;
const volatile bool counted_calls = false;	/* also how many events that are (--rate) */
const volatile bool counted_nests = false;	/* programs are on raw tracepoints or uprobes */

/*
 * One for each event, as the stack has no room for it.  On tracepoints no second event can come while a program uses it:
 * trace_call_bpf() runs one program at a time on a CPU, with preemption off; it skips others, and the kernel counts these as missed.  A
 * program on a raw tracepoint may be interrupted by itself on kernels before 6.1, and one on a uprobe may be preempted: see below.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counted_memory);
} counted_map SEC(".maps");

/*
 * The same for programs that other threads may preempt, on kernels that have the instruction (5.12): of COUNTED_PREEMPTED memories the
 * first that nobody is at work in.
 */
static __always_inline struct counted_memory *counted_begin_preempted(__u32 index, __u64 id)
{
	if (event_is_over())
		return NULL;
	for (__u32 i = 0; i < COUNTED_PREEMPTED; i++) {
		__u32 slot = index + i * counted_events;
		struct counted_memory *memory = bpf_map_lookup_elem(&counted_map, &slot);

		if (!memory || __sync_lock_test_and_set(&memory->is_busy, 1))
			continue;
		memory->id = id;
		memory->index = index;
		return memory;
	}
	event_count_lost();
	return NULL;
}

/* index: of the event; id: as of task_pid_tgid().  NULL: the run is over. */
static __always_inline struct counted_memory *counted_begin(__u32 index, __u64 id)
{
	struct counted_memory *memory = bpf_map_lookup_elem(&counted_map, &index);

	if (!memory || event_is_over())
		return NULL;
	if (counted_nests) {
		if (memory->is_busy) {
			event_count_lost();
			return NULL;
		}
		memory->is_busy = 1;
	}
	memory->id = id;
	memory->index = index;
	return memory;
}

/* A number below 0, or one that could not be read, has no bucket; it is counted as filtered. */
static __always_inline void counted_add_value(__u32 index, __u64 value, bool is_signed, bool faulted)
{
	struct counted_cells *cells;

	if (faulted || (is_signed && (__s64)value < 0)) {
		event_count_filtered();
		return;
	}
	cells = counts_at(counted_classes, index);
	if (cells)
		hist_add(&cells->values, value);
}

/* Gives the memory back. */
static __always_inline void counted_end(struct counted_memory *memory)
{
	if (counted_nests)
		*(volatile __u64 *)&memory->is_busy = 0;
}

static __always_inline void counted_add(const struct counted_memory *memory, bool is_signed, bool faulted)
{
	struct counted_cells *cells;
	struct counted_value *value;

	if (counted_with_hist) {
		counted_add_value((__u32)memory->index, memory->values[0], is_signed, faulted);
		return;
	}
	value = table_at(&memory->index);
	if (value)
		count_add(&value->count, 1);
	if (value && !counted_calls)
		return;
	cells = counts_at(1, 0);
	if (cells)
		count_add(value ? &cells->calls : &cells->others, 1);
}

#endif

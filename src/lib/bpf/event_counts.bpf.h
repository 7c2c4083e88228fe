/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts events by some of their bytes instead of sending them, for --count of tools that print events.  A program does nothing for it.
 * Where events are counted, the user side replaces the calls of the ring buffer's helpers by calls of the functions below, with the same
 * arguments (lib/layout/helper_calls.h): a program then reserves memory of its CPU's, and submits to a table.  Else none of this is
 * loaded.
 *
 * Include it once in a tool whose programs hand events over outside of subprograms, and whose columns say which bytes they are made of
 * (OUT_BYTES).  A tool with events of more than EVENT_SLOT_SIZE bytes defines that before.
 */
#ifndef PROBELIGHT_EVENT_COUNTS_BPF_H
#define PROBELIGHT_EVENT_COUNTS_BPF_H

#include <bpf/bpf_helpers.h>

#include "atomic.bpf.h"
#include "lib/shared/event_counts.h"
#include "stats.bpf.h"
#include "table.bpf.h"

#ifndef EVENT_SLOT_SIZE
#define EVENT_SLOT_SIZE 512	/* of the largest event */
#endif

const volatile struct event_counts event_counts = {};

struct event_slot_memory {
	struct event_slot slot;
	__u8 rest[EVENT_SLOT_SIZE - EVENT_COUNTS_SAMPLE];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, EVENT_SLOTS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct event_slot_memory));
} event_slots SEC(".maps");

/* As TABLE() has it, but that a new key does not begin with zeros. */
struct table_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(((struct event_slot *)0)->key));
	__uint(value_size, sizeof(struct event_count));
};
struct table_map table_a SEC(".maps");
struct table_map table_b SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct table_map);
} table SEC(".maps");

/* Nothing calls them that the compiler sees. */
#define EVENT_COUNTS_CALL static __noinline __attribute__((used))

/*
 * bpf_ringbuf_reserve(): memory for an event; NULL: all of the CPU's is in use, and the event is lost.
 *
 * A program that interrupts or preempts another one on its CPU must not get the same memory.  Each adds one to `users`, and has the slot
 * if it then sees 1.  Whoever else adds one meanwhile sees more, until the first one has subtracted its own.  This needs no atomic
 * operation that gives the value before, which BPF has since 5.12.
 */
EVENT_COUNTS_CALL void *event_slot_take(void *ring, __u64 size, __u64 flags)
{
#pragma unroll
	for (__u32 i = 0; i < EVENT_SLOTS; i++) {
		__u32 index = i;
		struct event_slot *slot = bpf_map_lookup_elem(&event_slots, &index);

		if (!slot)
			return NULL;
		atomic_add_ordered(&slot->users, 1);
		if (*(volatile __u64 *)&slot->users == 1)
			return slot->made.sample;
		atomic_add_ordered(&slot->users, -1);
	}
	event_count_no_room();
	return NULL;
}

/* event: of event_slot_take(). */
static __always_inline struct event_slot *event_slot_of(void *event)
{
	return event - offsetof(struct event_slot, made.sample);
}

/* bpf_ringbuf_discard() */
EVENT_COUNTS_CALL int event_slot_release(void *event, __u64 flags)
{
	atomic_add_ordered(&event_slot_of(event)->users, -1);
	return 0;
}

/* bpf_ringbuf_submit(): counts the event, and gives its memory back. */
EVENT_COUNTS_CALL int event_slot_count(void *event, __u64 flags)
{
	struct event_slot *slot = event_slot_of(event);
	struct event_count *counted;

#pragma unroll
	for (__u32 i = 0; i < EVENT_COUNTS_WORDS; i++)
		if (i < event_counts.words)
			slot->key[i] = *(__u64 *)(event + event_counts.offsets[i]) & event_counts.masks[i];
	counted = table_find(&table, &table_a, slot->key, &slot->made);
	if (counted)
		atomic_add(&counted->count, 1);
	else
		atomic_add(&event_stats_of(bpf_get_smp_processor_id() & (EVENT_STATS_OTHERS_SLOTS - 1))->others, 1);
	atomic_add_ordered(&slot->users, -1);
	return 0;
}

#endif

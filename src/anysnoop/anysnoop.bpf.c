/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"

#include "anysnoop.h"
#include "lib/bpf/counted.bpf.h"
#include "lib/bpf/splice.bpf.h"
#include "lib/bpf/tool.bpf.h"

/* Copies the event's fields, or what it counts by: generated (lib/gen/record, lib/gen/key). */
__hidden __noinline __u64 copy_fields(void *ctx, void *copy)
{
	return SPLICE_FUNCTION(ANYSNOOP_COPY, ctx, copy);
}

/* A function of its own: an event that the filter drops does not pay for the registers that this takes. */
static __noinline int send(void *ctx, __u64 id)
{
	struct anysnoop_event *event = event_reserve_as(SPLICE_NUMBER(ANYSNOOP_SIZE), id);

	if (!event)
		return 0;
	event->index = (__u32)SPLICE_NUMBER(ANYSNOOP_INDEX);
	event->cpu = bpf_get_smp_processor_id();
	copy_fields(ctx, &event->index);
	event_submit(event);
	return 0;
}

/* --count and --hist */
static __noinline int count(void *ctx, __u64 id)
{
	struct counted_memory *memory = counted_begin((__u32)SPLICE_NUMBER(ANYSNOOP_INDEX), id);
	__u64 faulted;

	if (!memory)
		return 0;
	faulted = copy_fields(ctx, memory);
	counted_add(memory, SPLICE_NUMBER(ANYSNOOP_SIGNED), faulted);
	counted_end(memory);
	return 0;
}

/* Takes the place of event0 where events are counted; stands before it, so that it is the first one to be loaded. */
SEC("event")
int count0(void *ctx)
{
	__u64 id = task_pid_tgid();

	if (task_filtered_as(id, NULL))
		return 0;
	if (SPLICE_CODE(ANYSNOOP_MATCHES, ctx, id))
		return count(ctx, id);
	event_count_filtered();
	return 0;
}

/* The program of every event.  anysnoop.c makes those of the others out of it. */
SEC("event")
int event0(void *ctx)
{
	__u64 id = task_pid_tgid();

	if (task_filtered_as(id, NULL))
		return 0;
	/* the filter of the event: generated (lib/gen/condition) */
	if (SPLICE_CODE(ANYSNOOP_MATCHES, ctx, id))
		return send(ctx, id);
	event_count_filtered();
	return 0;
}

/* Where the programs of the second event and of those behind it go. */
#define EVENT(name)                                                                                  \
	SEC("event")                                                                                 \
	int name(void *ctx)                                                                          \
	{                                                                                            \
		return 0;                                                                            \
	}

EVENT(event1) EVENT(event2) EVENT(event3) EVENT(event4) EVENT(event5) EVENT(event6) EVENT(event7)
EVENT(event8) EVENT(event9) EVENT(event10) EVENT(event11) EVENT(event12) EVENT(event13) EVENT(event14)
EVENT(event15) EVENT(event16) EVENT(event17) EVENT(event18) EVENT(event19) EVENT(event20) EVENT(event21)
EVENT(event22) EVENT(event23) EVENT(event24) EVENT(event25) EVENT(event26) EVENT(event27) EVENT(event28)
EVENT(event29) EVENT(event30) EVENT(event31) EVENT(event32) EVENT(event33) EVENT(event34) EVENT(event35)
EVENT(event36) EVENT(event37) EVENT(event38) EVENT(event39) EVENT(event40) EVENT(event41) EVENT(event42)
EVENT(event43) EVENT(event44) EVENT(event45) EVENT(event46) EVENT(event47) EVENT(event48) EVENT(event49)
EVENT(event50) EVENT(event51) EVENT(event52) EVENT(event53) EVENT(event54) EVENT(event55) EVENT(event56)
EVENT(event57) EVENT(event58) EVENT(event59) EVENT(event60) EVENT(event61) EVENT(event62) EVENT(event63)

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time between two events: the first one leaves its time in a table, under a key that is made of its values, and the second one takes
 * it out.
 *
 * Only who deletes an entry has it: a delete succeeds once.  So each first event that found room is ended, replaced, or still there,
 * whatever other CPUs do meanwhile.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "between_event.h"
#include "frames.bpf.h"
#include "lib/bpf/arch.bpf.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/table.bpf.h"

COUNTS(struct between_cells, 1);
/* The user side sets the sizes: histograms, or struct between_times. */
TABLE(struct between_values, struct hist_rough, BETWEEN_BY_KEYS);

/* The user side sets the sizes. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BETWEEN_PAIRS);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(struct between_begun));
} begun SEC(".maps");

/* One for the first event, one for the second; as counted_map of lib/bpf/counted.bpf.h. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct between_memory);
} between_map SEC(".maps");

const volatile __u64 slower_ns = 0;

struct between_stats between_stats[EVENT_STATS_SLOTS] SEC(".bss.between") = {};

static __always_inline struct between_stats *stats(void)
{
	return &between_stats[bpf_get_smp_processor_id() & (EVENT_STATS_SLOTS - 1)];
}

__hidden __noinline __u64 make_begin_key(void *values, void *memory)
{
	return PATCH_FUNCTION(BETWEEN_BEGIN_KEY, values, memory);
}

__hidden __noinline __u64 make_end_key(void *values, void *memory)
{
	return PATCH_FUNCTION(BETWEEN_END_KEY, values, memory);
}

__hidden __noinline __u64 copy_begin(void *values, void *copy)
{
	return PATCH_FUNCTION(BETWEEN_BEGIN_COPY, values, copy);
}

__hidden __noinline __u64 copy_end(void *values, void *copy)
{
	return PATCH_FUNCTION(BETWEEN_END_COPY, values, copy);
}

__hidden __noinline __u64 make_begin_by(void *values, void *memory)
{
	return PATCH_FUNCTION(BETWEEN_BEGIN_BY, values, memory);
}

__hidden __noinline __u64 make_end_by(void *values, void *memory)
{
	return PATCH_FUNCTION(BETWEEN_END_BY, values, memory);
}

/* NULL: the run is over, or the event is lost, as it interrupts a program that is at work there. */
static __always_inline struct between_memory *enter(__u32 which)
{
	struct between_memory *memory = bpf_map_lookup_elem(&between_map, &which);

	if (!memory || event_is_over())
		return NULL;
	if (PATCH_CHOICE(BETWEEN_NESTS)) {
		if (memory->is_busy) {
			event_count_lost();
			return NULL;
		}
		memory->is_busy = 1;
	}
	/* keys are compared with the events' fields, which are numbers of the initial pid namespace */
	memory->id = bpf_get_current_pid_tgid();
	return memory;
}

static __always_inline void leave(struct between_memory *memory)
{
	if (PATCH_CHOICE(BETWEEN_NESTS))
		*(volatile __u64 *)&memory->is_busy = 0;
}

/*
 * Of a key without the task that runs, what comes while the tool runs counts too: an interrupt may have brought it.  What the tool does
 * itself is no event otherwise.
 */
static __always_inline bool is_filtered(__u64 id)
{
	if (PATCH_CHOICE(BETWEEN_OF_TASK))
		return task_filtered_as(id, NULL);
	if (task_wanted(id, NULL))
		return false;
	event_count_filtered();
	return true;
}

/* A second event without a first one. */
static __always_inline void count_no_begin(void)
{
	if (!PATCH_CHOICE(BETWEEN_OF_TASK) || task_pid_tgid() >> 32 != filter.self)
		count_add(&stats()->no_begin, 1);
}

static __always_inline void count_unreadable(void)
{
	count_add(&stats()->unreadable, 1);
	event_count_lost();
}

/* Keeps it; of two with the same key the second one.  Each try may meet another CPU's. */
static __always_inline void keep_begun(struct between_memory *memory)
{
	/* int: as in call_begin() of lib/bpf/call.bpf.h */
	int err = bpf_map_update_elem(&begun, memory->key, &memory->begun, BPF_NOEXIST);

	for (int tries = 0; tries < 3 && err == -EEXIST; tries++) {
		if (!bpf_map_delete_elem(&begun, memory->key)) {
			count_add(&stats()->replaced, 1);
			count_add(&stats()->kept, -1);
		}
		err = bpf_map_update_elem(&begun, memory->key, &memory->begun, BPF_NOEXIST);
	}
	count_add(&stats()->begun, 1);
	if (!err) {
		count_add(&stats()->kept, 1);
		return;
	}
	count_add(&stats()->no_room, 1);
	event_count_no_room();
}

/* A value that cannot be read is a value of its own, as in --count. */
static __always_inline void keep_by(void *values, struct between_memory *memory, __u64 id)
{
	memory->by.id = id;
	make_begin_by(values, &memory->by);
	bpf_probe_read_kernel(memory->begun.copy, PATCH_NUMBER(BETWEEN_BY_SIZE), memory->by.values);
}

/* id: of task_pid_tgid(). */
static __noinline int begin(void *values, __u64 id)
{
	__u64 now = bpf_ktime_get_ns();
	struct between_memory *memory = enter(0);

	if (!memory)
		return 0;
	if (make_begin_key(values, memory)) {
		count_unreadable();
	} else {
		if (PATCH_CHOICE(BETWEEN_HAS_ROWS))
			event_fill_task_as(&memory->begun.task, id);
		if (PATCH_CHOICE(BETWEEN_COPIES_BEGIN))
			copy_begin(values, memory->begun.copy);
		if (PATCH_CHOICE(BETWEEN_KEEPS_BY))
			keep_by(values, memory, id);
		memory->begun.begun_ns = now;
		keep_begun(memory);
	}
	leave(memory);
	return 0;
}

static __always_inline struct between_event *make_row(void *values, const struct between_memory *memory, const struct between_begun *from,
						      __u64 now)
{
	struct between_event *event = event_ring_reserve(PATCH_NUMBER(BETWEEN_SIZE));

	if (!event)
		return NULL;
	event->task = from->task;
	event->task.ts_ns = now;
	event->lat_ns = now - from->begun_ns;
	event->cpu = bpf_get_smp_processor_id();
	event->index = 0;
	bpf_probe_read_kernel(event->values, PATCH_NUMBER(BETWEEN_KEY_SIZE), memory->key);
	if (PATCH_CHOICE(BETWEEN_COPIES_BEGIN))
		bpf_probe_read_kernel((void *)event->values + PATCH_NUMBER(BETWEEN_KEY_SIZE), PATCH_NUMBER(BETWEEN_COPY_SIZE), from->copy);
	if (PATCH_CHOICE(BETWEEN_COPIES_END))
		copy_end(values, (void *)event + PATCH_NUMBER(BETWEEN_END_OFFSET));
	return event;
}

/* Takes an entry out of the table; whether it was still there. */
static __noinline bool take_out(const struct between_memory *memory)
{
	if (bpf_map_delete_elem(&begun, memory->key)) {
		count_no_begin();
		return false;
	}
	count_add(&stats()->ended, 1);
	count_add(&stats()->kept, -1);
	return true;
}

/* The row is made before the entry is deleted: afterwards another event may have it. */
static __always_inline void send(void *values, const struct between_memory *memory, const struct between_begun *from, __u64 now)
{
	struct between_event *event;

	if (now - from->begun_ns < slower_ns) {
		if (take_out(memory)) {
			count_add(&stats()->faster, 1);
			event_count_filtered();
		}
		return;
	}
	event = make_row(values, memory, from, now);
	if (!event) {
		if (take_out(memory))
			event_count_lost();
	} else if (take_out(memory)) {
		event_submit(event);
	} else {
		event_discard(event);
	}
}

static __always_inline void add(const struct between_memory *memory, __u64 lat_ns)
{
	struct between_cells *cells = counts_at(1, 0);

	if (take_out(memory) && cells)
		hist_add(&cells->times, lat_ns);
}

/*
 * Others add to the same values.  The kernel compares and exchanges since 5.12; before, of two CPUs that raise it at the same moment the
 * one with the shorter time may be the last.
 */
static __always_inline void raise(__u64 *max_ns, __u64 ns)
{
	if (PATCH_CHOICE(BETWEEN_EXCHANGES)) {
		/* when a try fails, the longest time has grown */
		for (int tries = 0; tries < 64; tries++) {
			__u64 before = *(volatile __u64 *)max_ns;

			if (before >= ns || __sync_val_compare_and_swap(max_ns, before, ns) == before)
				return;
		}
	} else if (*(volatile __u64 *)max_ns < ns) {
		*(volatile __u64 *)max_ns = ns;
	}
}

static __always_inline void add_time(void *found, __u64 ns)
{
	struct between_cells *cells = found ? NULL : counts_at(1, 0);
	struct between_times *times = found;

	if (PATCH_CHOICE(BETWEEN_BY_HIST)) {
		if (found)
			hist_rough_add(found, ns);
		else if (cells)
			hist_rough_add(&cells->other_times, ns);
		return;
	}
	if (!times && cells)
		times = &cells->others;
	if (!times)
		return;
	count_add(&times->count, 1);
	count_add(&times->ns, ns);
	if (found)
		raise(&times->max_ns, ns);
}

static __always_inline void add_by(void *values, struct between_memory *memory, const struct between_begun *from, __u64 ns)
{
	if (PATCH_CHOICE(BETWEEN_KEEPS_BY))
		bpf_probe_read_kernel(memory->by.values, PATCH_NUMBER(BETWEEN_BY_SIZE), from->copy);
	memory->by.id = task_pid_tgid();
	make_end_by(values, &memory->by);
	if (take_out(memory))
		add_time(table_at(&memory->by.index), ns);
}

static __noinline int end(void *values)
{
	__u64 now = bpf_ktime_get_ns();
	struct between_memory *memory = enter(1);
	const struct between_begun *from;

	if (!memory)
		return 0;
	if (make_end_key(values, memory)) {
		count_unreadable();
		leave(memory);
		return 0;
	}
	from = bpf_map_lookup_elem(&begun, memory->key);
	/* one that began since then belongs to a later event */
	if (!from || from->begun_ns > now)
		count_no_begin();
	else if (PATCH_CHOICE(BETWEEN_HAS_ROWS))
		send(values, memory, from, now);
	else if (PATCH_CHOICE(BETWEEN_HAS_BY))
		add_by(values, memory, from, now - from->begun_ns);
	else
		add(memory, now - from->begun_ns);
	leave(memory);
	return 0;
}

/*
 * ctx's values: what the generated code reads.  A program whose event is both ends one interval and begins the next.  The tasks that
 * options ask for are those of the first event: the second one may come in any.
 */
static __always_inline void take(void *values)
{
	__u64 id;

	if (PATCH_CHOICE(BETWEEN_ENDS)) {
		if (PATCH_CODE(BETWEEN_END_MATCHES, values, task_pid_tgid()))
			end(values);
		else
			event_count_filtered();
	}
	if (PATCH_CHOICE(BETWEEN_BEGINS)) {
		id = task_pid_tgid();
		if (is_filtered(id))
			return;
		if (PATCH_CODE(BETWEEN_BEGIN_MATCHES, values, id))
			begin(values, id);
		else
			event_count_filtered();
	}
}

static __always_inline int take_call(void *ctx)
{
	__u64 args[SYSCALL_ARGS_MAX], kind = PATCH_CODE(ANYSNOOP_IS_CALL, ctx, 0);

	if (kind && !read_arguments(ctx, args, kind))
		take(args);
	return 0;
}

/* Where only the task is asked for, nothing is kept of the begin. */
static __always_inline int take_return(void *ctx)
{
	struct returned_key key;
	struct returned *call;
	__s64 ret;

	if (!PATCH_CODE(ANYSNOOP_IS_CALL, ctx, 0))
		return 0;
	if (!PATCH_CHOICE(BETWEEN_IS_KEPT)) {
		take(ctx);
		return 0;
	}
	bpf_probe_read_kernel(&ret, sizeof(ret), ctx + PATCH_NUMBER(ANYSNOOP_VALUES));
	key = returned_key_of((__u32)PATCH_NUMBER(ANYSNOOP_INDEX), 0);
	call = returned_find(&key, ret);
	if (!call)
		return 0;
	take(call);
	call_end(&calls, &key);
	return 0;
}

static __always_inline int take_function_return(struct pt_regs *ctx)
{
	struct returned_key key;
	struct returned *call;

	if (!PATCH_CHOICE(BETWEEN_IS_KEPT)) {
		take(ctx);
		return 0;
	}
	key = returned_key_of((__u32)PATCH_NUMBER(ANYSNOOP_INDEX), (__u32)PT_REGS_SP(ctx) - ARCH_RETURN_SIZE);
	call = returned_find(&key, PT_REGS_RC(ctx));
	if (!call)
		return 0;
	call->registers = (__u64)ctx;
	take(call);
	call_end(&calls, &key);
	return 0;
}

static __always_inline int keep_syscall(void *ctx)
{
	__u64 kind = PATCH_CODE(ANYSNOOP_IS_CALL, ctx, 0);

	return kind ? keep(ctx, kind) : 0;
}

/*
 * What anysnoop.c makes the programs of both events of: those of between.h in that order, and room for the second event's where they are
 * the same.
 */
SEC("event")
int TP_PROG(see_event, void *ctx)
{
	take(ctx);
	return 0;
}

SEC("event")
int TP_PROG(see_call, void *ctx)
{
	return take_call(ctx);
}

SEC("event")
int TP_PROG(see_return, void *ctx)
{
	return take_return(ctx);
}

SEC("event")
int TP_PROG(keep_call, void *ctx)
{
	return keep_syscall(ctx);
}

SEC("event")
int see_function_return(struct pt_regs *ctx)
{
	return take_function_return(ctx);
}

SEC("event")
int keep_function_call(struct pt_regs *ctx)
{
	keep_function(ctx, (__u32)PATCH_NUMBER(ANYSNOOP_INDEX));
	return 0;
}

SEC("event")
int other_event(void *ctx)
{
	return 0;
}

SEC("event")
int other_keep(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

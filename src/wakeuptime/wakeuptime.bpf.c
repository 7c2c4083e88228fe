/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time that tasks sleep, by who woke them.  When a task leaves its CPU to sleep the time is kept; sched_waking runs as the task that
 * wakes it, or as the one that was interrupted: its stack is taken there, and the time that has passed is added.  (sched_wakeup may run
 * on another CPU, as a task that has nothing to do with it.)
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/sched.bpf.h"
#include "lib/bpf/stack_key.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "wakeuptime.h"

COUNTS(struct wakeuptime_counts, 1);
TABLE(struct wakeup_key, struct stack_value, WAKEUPTIME_KEYS);

const volatile __u64 min_ns = 0;
const volatile __u64 max_ns = ~0ull;

/*
 * A task may be woken while it is still on its way off the CPU, before sched_switch tells that it sleeps.  Who did it is kept: it is the
 * one who ended the sleep, after no time, if the task comes back and nobody else has.
 */
struct sleeper {
	struct wakeup_key key;
	u64 since_ns;		/* 0: it does not sleep */
	u64 woken_early;	/* key.waker is one who woke it when since_ns was 0 */
};

/* By the task's address, and until it ends, as in offcputime. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WAKEUPTIME_TASKS);
	__type(key, u64);
	__type(value, struct sleeper);
} tasks SEC(".maps");

const char nothing[sizeof(struct sleeper)] = {};
const char not_seen[TASK_COMM_LEN] = "(not seen)";

static __always_inline struct sleeper *sleeper_of(u64 task)
{
	struct sleeper *sleeper = bpf_map_lookup_elem(&tasks, &task);

	if (sleeper)
		return sleeper;
	bpf_map_update_elem(&tasks, &task, &nothing, BPF_NOEXIST);
	return bpf_map_lookup_elem(&tasks, &task);
}

/* It has ended. */
static __always_inline void forget(u64 task)
{
	struct sleeper *sleeper = bpf_map_lookup_elem(&tasks, &task);

	if (!sleeper)
		return;
	if (sleeper->since_ns)
		count_end();
	bpf_map_delete_elem(&tasks, &task);
}

/* A sleep has ended, after so long. */
static __always_inline void add_sleep(struct sleeper *sleeper, u64 time)
{
	struct wakeuptime_counts *counts;
	struct stack_value *value;

	sleeper->since_ns = 0;
	sleeper->woken_early = 0;
	count_end();
	if (time < min_ns || time > max_ns) {
		event_count_filtered();
		return;
	}
	value = table_at(&sleeper->key);
	if (!value) {
		counts = counts_at(1, 0);
		if (!counts)
			return;
		value = &counts->others;
	}
	count_add(&value->count, 1);
	/* of an addition of 0 clang makes an "or", which 5.10 does not know */
	if (time)
		count_add(&value->ns, time);
}

static __always_inline void leave(u64 task, u32 state, bool preempted)
{
	struct sleeper *sleeper;

	/* a task that is preempted on its way to sleep goes on with that later */
	if (preempted || !state)
		return;
	if (state & SCHED_DEAD) {
		forget(task);
		return;
	}
	if (task_filtered())
		return;
	sleeper = sleeper_of(task);
	if (!sleeper) {
		event_count_no_room();
		return;
	}
	if (!sleeper->since_ns)
		count_begin();
	if (with_tag)
		bpf_get_current_comm(sleeper->key.woken, sizeof(sleeper->key.woken));
	sleeper->since_ns = bpf_ktime_get_ns();
}

static __always_inline void come_back(u64 task)
{
	struct sleeper *sleeper = bpf_map_lookup_elem(&tasks, &task);

	if (!sleeper || !sleeper->since_ns)
		return;
	/* its waker was too early for the first sleep that was seen; or it did not sleep, as a signal was there */
	if (!sleeper->woken_early)
		stack_key_set_unknown(&sleeper->key.waker, not_seen);
	add_sleep(sleeper, 0);
}

static __always_inline int switched(u64 *ctx, u32 state)
{
	if (event_is_over())
		return 0;
	leave(ctx[1], state, ctx[0] & 1);
	come_back(ctx[2]);
	return 0;
}

SCHED_SWITCH_PROGRAMS(switched)

/*
 * The task: the one argument.  Interrupts are off: try_to_wake_up() holds the task's pi_lock, which also keeps two from waking it at the
 * same time.  Only where a task wakes itself are they on (5.4, aacedf26fb76), and that task does not sleep.
 */
SEC("raw_tp/sched_waking")
int sched_waking(u64 *ctx)
{
	struct sleeper *sleeper;
	u64 task = ctx[0], since_ns, now_ns;
	struct stack_key *waker;

	if (event_is_over() || task == bpf_get_current_task())
		return 0;
	sleeper = bpf_map_lookup_elem(&tasks, &task);
	if (!sleeper)
		return 0;
	now_ns = bpf_ktime_get_ns();
	since_ns = *(volatile u64 *)&sleeper->since_ns;
	waker = &sleeper->key.waker;
	stack_key_set(ctx, waker, task_pid_tgid());
	if (!since_ns) {
		sleeper->woken_early = 1;
		return 0;
	}
	/* two CPUs' clocks may differ a little where they are not synchronized */
	add_sleep(sleeper, (s64)(now_ns - since_ns) < 0 ? 0 : now_ns - since_ns);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

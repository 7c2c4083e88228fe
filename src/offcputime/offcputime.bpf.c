/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time that tasks are off the CPUs, by stack, from one hook.  When a CPU is switched, the current task is still the one that leaves:
 * its stacks are taken, and kept with the time until it is the one that comes.  Both times are the run queue's clock, which the kernel's
 * own sums (/proc/PID/schedstat) are made of.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/other.bpf.h"
#include "lib/bpf/sched.bpf.h"
#include "lib/bpf/stack_key.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "offcputime.h"

COUNTS(struct offcputime_counts, 1);
/* The user side makes the keys as large as they are without a waker. */
TABLE(struct offcpu_key, struct stack_value, OFFCPUTIME_KEYS);

const volatile __u32 states_wanted = ~0;	/* bits of enum offcpu_state */
const volatile bool with_waker = false;
const volatile __u64 min_ns = 0;
const volatile __u64 max_ns = ~0ull;

struct away {
	u64 since_ns;		/* 0: it is on a CPU */
	struct offcpu_key key;	/* the last member */
};

/*
 * By the task's address: numbers are those of all idle tasks, and a thread that execs takes another's.  An entry stays until the task
 * ends, which costs less than to make one for each switch.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, OFFCPUTIME_TASKS);
	__uint(key_size, sizeof(u64));
	__uint(value_size, sizeof(struct away));
} tasks SEC(".maps");

const char nothing[sizeof(struct away)] = {};
const char not_seen[TASK_COMM_LEN] = OFFCPU_NOT_SEEN;

static __always_inline u32 state_of(bool preempted, u32 state)
{
	/* a task that was about to sleep may be preempted */
	if (preempted || !state)
		return OFFCPU_RUNNABLE;
	if ((state & (SCHED_UNINTERRUPTIBLE | SCHED_NOLOAD)) == (SCHED_UNINTERRUPTIBLE | SCHED_NOLOAD))
		return OFFCPU_IDLE;
	if (state & (SCHED_UNINTERRUPTIBLE | SCHED_RTLOCK_WAIT | SCHED_FROZEN))
		return OFFCPU_DISK;
	if (state & SCHED_INTERRUPTIBLE)
		return OFFCPU_SLEEPING;
	if (state & SCHED_STOPPED)
		return OFFCPU_STOPPED;
	if (state & SCHED_TRACED)
		return OFFCPU_TRACED;
	return state & SCHED_PARKED ? OFFCPU_PARKED : OFFCPU_WOKEN;
}

static __always_inline struct away *away_of(u64 task)
{
	struct away *away = bpf_map_lookup_elem(&tasks, &task);

	if (away)
		return away;
	bpf_map_update_elem(&tasks, &task, &nothing, BPF_NOEXIST);
	return bpf_map_lookup_elem(&tasks, &task);
}

/* It has ended, or its address was another task's: that one is not back any more. */
static __always_inline void forget(u64 task)
{
	struct away *away = bpf_map_lookup_elem(&tasks, &task);

	if (!away)
		return;
	if (away->since_ns)
		count_end();
	bpf_map_delete_elem(&tasks, &task);
}

static __always_inline void leave(void *ctx, u64 task, u32 state, bool preempted, u64 now_ns)
{
	struct away *away;
	u32 tag;
	u64 id;

	if (state & SCHED_DEAD && !preempted) {
		forget(task);
		return;
	}
	/* the idle task is not kept off a CPU */
	if (!(u32)bpf_get_current_pid_tgid())
		return;
	id = task_pid_tgid();
	if (task_filtered_as(id, NULL))
		return;
	tag = state_of(preempted, state);
	if (!(states_wanted >> tag & 1)) {
		event_count_filtered();
		return;
	}
	away = away_of(task);
	if (!away) {
		event_count_no_room();
		return;
	}
	/* nobody saw it come back */
	if (away->since_ns)
		event_count_unmatched();
	else
		count_begin();
	/* before the stacks: what takes them is then verified once, and not for each state */
	away->key.waits.tag = with_tag ? tag : 0;
	stack_key_set(ctx, &away->key.waits, id);
	away->since_ns = now_ns;
}

/*
 * Of a sleep that nobody was seen to end: a waker that came before the first sleep that was seen, or a signal was there and it did not
 * sleep.  A task that was runnable waits for a CPU, and has no waker.
 */
static __always_inline void check_waker(struct offcpu_key *key)
{
	if (key->waits.tag == OFFCPU_RUNNABLE)
		key->waker = (struct stack_key){};
	else if (!key->waker.comm[0])
		__builtin_memcpy(key->waker.comm, not_seen, sizeof(not_seen));
}

static __always_inline void add_time(struct away *away, struct offcputime_counts *counts, u64 time)
{
	struct stack_value *value;

	if (with_waker)
		check_waker(&away->key);
	value = table_at(&away->key);
	if (!value)
		value = &counts->others;
	count_add(&value->count, 1);
	count_add(&value->ns, time);
}

static __always_inline void come_back(u64 task, struct offcputime_counts *counts, u64 now_ns)
{
	struct away *away = bpf_map_lookup_elem(&tasks, &task);
	u64 time;

	if (!away || !away->since_ns)
		return;
	time = now_ns - away->since_ns;
	away->since_ns = 0;
	count_end();
	/* two CPUs' clocks may differ a little where they are not synchronized */
	if ((s64)time < 0)
		time = 0;
	if (time < min_ns || time > max_ns)
		event_count_filtered();
	else
		add_time(away, counts, time);
	/* the next one may come before it sleeps */
	if (with_waker)
		away->key.waker = (struct stack_key){};
}

static __always_inline int switched(u64 *ctx, u32 state)
{
	struct offcputime_counts *counts = counts_at(1, 0);
	u64 now_ns;

	if (event_is_over() || !counts)
		return 0;
	now_ns = sched_clock_of((const struct task_struct___part *)ctx[1], &counts->queue);
	leave(ctx, ctx[1], state, ctx[0] & 1, now_ns);
	come_back(ctx[2], counts, now_ns);
	return 0;
}

SCHED_SWITCH_PROGRAMS(switched)

/*
 * --waker: the task, the one argument.  Interrupts are off, and nobody else wakes it at the same time: see wakeuptime.  A task may be woken
 * on its way off the CPU, before sched_switch tells that it sleeps.
 */
SEC("raw_tp/sched_waking")
int sched_waking(u64 *ctx)
{
	u64 task = ctx[0];
	struct stack_key *waker;
	struct away *away;

	if (event_is_over() || task == bpf_get_current_task())
		return 0;
	away = bpf_map_lookup_elem(&tasks, &task);
	if (!away)
		return 0;
	waker = &away->key.waker;
	stack_key_set(ctx, waker, task_pid_tgid());
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uninterruptible sleeps that take long, with the kernel's stack.  When a CPU is switched, the current task is still the one
 * that leaves: its stack is kept until it is the one that comes.
 *
 * Who does not come back is looked for once a second, by whichever switch is the first then: sleeps are in a queue in the
 * order in which they began.  Some CPU switches each second on every machine, also for the threads of the kernel that do so
 * to look at memory.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define EVENTS_SIZE (256 * 1024)

#include "lib/bpf/sched.bpf.h"
#include "lib/bpf/task.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "dslower.h"

const volatile __u64 min_ns = DSLOWER_MIN_MS * 1000000ULL;

#include "looking.bpf.h"

struct sleep {
	struct dslower_event event;
	u64 since_ns;
	u64 is_wanted;		/* passes the filters */
};

/* By the task's address, while it sleeps. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DSLOWER_TASKS);
	__type(key, u64);
	__type(value, struct sleep);
} sleeps SEC(".maps");

const char nothing[sizeof(struct sleep)] = {};

/* A thread of the kernel that waits for work sleeps uninterruptibly as well, as no load. */
static __always_inline bool is_uninterruptible(u32 state)
{
	return state & (SCHED_UNINTERRUPTIBLE | SCHED_RTLOCK_WAIT) && !(state & SCHED_NOLOAD);
}

static __always_inline void deliver(const struct sleep *sleep, u64 since_ns, u64 now_ns, bool is_still)
{
	struct dslower_event *event;

	if (!sleep->is_wanted) {
		event_count_filtered();
		return;
	}
	event = event_reserve_as(sizeof(*event), 0);
	if (!event)
		return;
	bpf_probe_read_kernel(event, sizeof(*event), &sleep->event);
	/* it woke up on another CPU meanwhile, and the entry may be another task's */
	if (*(volatile const u64 *)&sleep->since_ns != since_ns) {
		event_discard(event);
		return;
	}
	event->task.ts_ns = now_ns;
	event->slept_ns = now_ns - since_ns;
	event->is_still = is_still;
	event_submit(event);
}

static __always_inline void fall_asleep(void *ctx, u64 task, u64 now_ns)
{
	u64 id = task_pid_tgid();
	struct sleep *sleep = bpf_map_lookup_elem(&sleeps, &task);

	if (id >> 32 == filter.self)
		return;
	if (!sleep) {
		bpf_map_update_elem(&sleeps, &task, &nothing, BPF_NOEXIST);
		sleep = bpf_map_lookup_elem(&sleeps, &task);
	}
	if (!sleep) {
		event_count_no_room();
		return;
	}
	sleep->since_ns = now_ns;
	sleep->is_wanted = task_wanted(id, NULL);
	if (!sleep->is_wanted)
		return;
	event_fill_task_as(&sleep->event.task, id);
	sleep->event.frames_size = bpf_get_stack(ctx, sleep->event.frames, sizeof(sleep->event.frames), 0);
	note_begin(task, now_ns);
}

static __always_inline void wake_up(u64 task, u64 now_ns)
{
	struct sleep *sleep = bpf_map_lookup_elem(&sleeps, &task);

	if (!sleep)
		return;
	/* two CPUs' clocks may differ a little where they are not synchronized */
	if ((s64)(now_ns - sleep->since_ns) >= (s64)min_ns)
		deliver(sleep, sleep->since_ns, now_ns, false);
	sleep->since_ns = 0;
	bpf_map_delete_elem(&sleeps, &task);
}

/* Tells of a sleep that goes on. */
static __always_inline void tell_of(const struct begun *oldest, u64 now_ns)
{
	struct sleep *sleep = bpf_map_lookup_elem(&sleeps, &oldest->task);

	if (sleep && sleep->since_ns == oldest->since_ns)
		deliver(sleep, oldest->since_ns, now_ns, true);
}

static __always_inline int switched(u64 *ctx, u32 state)
{
	u64 now_ns = bpf_ktime_get_ns();

	if (event_is_over())
		return 0;
	/* a task that was about to sleep may be preempted */
	if (!(ctx[0] & 1) && is_uninterruptible(state))
		fall_asleep(ctx, ctx[1], now_ns);
	wake_up(ctx[2], now_ns);
	look(now_ns);
	return 0;
}

SCHED_SWITCH_PROGRAMS(switched)

char LICENSE[] SEC("license") = "Dual BSD/GPL";

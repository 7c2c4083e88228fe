/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler's own times of a task (struct sched_info) and the clock that it measures them with, at sched_switch: the clock of
 * the CPU's run queue, which __schedule() has just updated.  The same on 5.10 to 7.3, for tasks of every class; 0 is no time.
 */
#ifndef PROBELIGHT_SCHED_BPF_H
#define PROBELIGHT_SCHED_BPF_H

#include "task.bpf.h"

/*
 * task: one that the CPU is being switched to or from.  *queue: a word of this CPU's own, 0 at first, that keeps where its run
 * queue is.
 */
static __always_inline u64 sched_clock_of(const struct task_struct___part *task, u64 *queue)
{
	struct rq___part *rq = (struct rq___part *)*queue;

	if (!rq) {
		rq = BPF_CORE_READ(task, se.cfs_rq, rq);
		*queue = (u64)rq;
	}
	return BPF_CORE_READ(rq, clock);
}

/* since 5.14 */
struct task_struct___state {
	unsigned int __state;
} __attribute__((preserve_access_index));

struct task_struct___long_state {
	unsigned long state;
} __attribute__((preserve_access_index));

/* Bits of a task's state, include/linux/sched.h: the same on all kernels, where these have them. */
#define SCHED_INTERRUPTIBLE 0x1
#define SCHED_UNINTERRUPTIBLE 0x2
#define SCHED_STOPPED 0x4
#define SCHED_TRACED 0x8
#define SCHED_PARKED 0x40
#define SCHED_DEAD 0x80
#define SCHED_NOLOAD 0x400
#define SCHED_RTLOCK_WAIT 0x1000	/* since 5.15 */
#define SCHED_FROZEN 0x8000		/* since 6.1 */

/* A task's state.  Of one that leaves a CPU somebody who wakes it may have changed it already, unless it has ended. */
static __always_inline __u32 sched_state_of(const struct task_struct___part *task)
{
	const struct task_struct___state *state = (const struct task_struct___state *)task;

	if (bpf_core_field_exists(state->__state))
		return BPF_CORE_READ(state, __state);
	return BPF_CORE_READ((const struct task_struct___long_state *)task, state);
}

/*
 * The programs on sched_switch of a tool that asks for the state in which tasks leave their CPU: an argument since 5.18 (fa2c3254d7cf),
 * which kernel__switch_has_state() tells.  switched(ctx, state) finds preempt, prev and next in ctx, which are the same on all kernels.
 */
#define SCHED_SWITCH_PROGRAMS(switched)                                                                      \
	SEC("raw_tp/sched_switch")                                                                           \
	int sched_switch(u64 *ctx)                                                                           \
	{                                                                                                    \
		return switched(ctx, ctx[3]);                                                                \
	}                                                                                                    \
	SEC("raw_tp/sched_switch")                                                                           \
	int sched_switch_by_field(u64 *ctx)                                                                  \
	{                                                                                                    \
		return switched(ctx, sched_state_of((const struct task_struct___part *)ctx[1]));             \
	}

#endif

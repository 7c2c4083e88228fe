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

#endif

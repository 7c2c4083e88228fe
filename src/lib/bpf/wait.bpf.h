/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a task waited for the CPU that is being switched to it, as the kernel adds it up (run_delay of struct sched_info).
 *
 * The kernel keeps when the task got onto a run queue (last_queued).  A task that is moved to another CPU while it waits is
 * taken off one queue and put on another: the kernel adds the time so far to run_delay and sets last_queued anew.  So
 *
 *	wait = what run_delay grew by since the task last got a CPU + the time in the last queue
 *
 * and run_delay is kept for each task at each switch to it.  The key is the task's record in the kernel: the records of tasks
 * that end are used again by new ones, so the table holds about as many entries as there are tasks.
 *
 * The user side makes the table as large as the machine needs, and enters the tasks that exist at the start (lib/run/waits.h).
 */
#ifndef PROBELIGHT_WAIT_BPF_H
#define PROBELIGHT_WAIT_BPF_H

#include <bpf/bpf_helpers.h>

#include "sched.bpf.h"
#include "task.bpf.h"

struct wait_sum {
	u64 delay_ns;		/* run_delay as it was when the task last got a CPU, that wait included */
	u64 arrivals;		/* how often it had got one by then */
	u64 sleeps;		/* how often it had given one away to sleep, by then; WAIT_SLEEPS: it sleeps now */
};

#define WAIT_SLEEPS (~0ULL)

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u64);
	__type(value, struct wait_sum);
} wait_sums SEC(".maps");

/*
 * In a program on sched_switch: how long next waited, in nanoseconds.  queued: its sched_info.last_queued, which is not 0.  *queue as
 * for sched_clock_of().  *woken: whether it had slept or is new, and did not just lose its CPU; NULL: nobody asks.
 */
static __always_inline u64 wait_of_kind(const struct task_struct___part *next, u64 queued, u64 *queue, bool *woken)
{
	u64 key = (u64)next, arrivals = BPF_CORE_READ(next, sched_info.pcount), before = BPF_CORE_READ(next, sched_info.run_delay);
	u64 wait = sched_clock_of(next, queue) - queued;
	struct wait_sum *known = bpf_map_lookup_elem(&wait_sums, &key);
	struct wait_sum sum = { before + wait, arrivals + 1, woken ? BPF_CORE_READ(next, nvcsw) : 0 };

	if (woken)
		*woken = !arrivals || !known || known->sleeps != sum.sleeps;

	/* two CPUs' clocks may differ a little where they are not synchronized; the kernel adds such a wait up as it is */
	if ((s64)wait < 0)
		wait = 0;
	if (!known) {
		bpf_map_update_elem(&wait_sums, &key, &sum, BPF_ANY);
		/* a new task's first wait is all that it has */
		return arrivals ? wait : wait + before;
	}
	/* another number of arrivals: the kernel skipped this program, or the record is another task's now */
	if (known->arrivals == arrivals)
		wait += before - known->delay_ns;
	else if (!arrivals)
		wait += before;
	*known = sum;
	return wait;
}

static __always_inline u64 wait_of(const struct task_struct___part *next, u64 queued, u64 *queue)
{
	return wait_of_kind(next, queued, queue, NULL);
}

/* Enters each task that exists, when the user side has the kernel go through all of them. */
SEC("?task_iterator")
int enter_task(u64 *ctx)
{
	/* struct bpf_iter__task: meta, task; no task at the end */
	const struct task_struct___part *task = (const struct task_struct___part *)ctx[1];
	u64 key = (u64)task;
	struct wait_sum sum;

	if (!task)
		return 0;
	/* in this order: if the task gets a CPU in between, the number is too small and the entry is not used */
	sum.arrivals = BPF_CORE_READ(task, sched_info.pcount);
	sum.delay_ns = BPF_CORE_READ(task, sched_info.run_delay);
	sum.sleeps = sched_state_of(task) ? WAIT_SLEEPS : BPF_CORE_READ(task, nvcsw);
	bpf_map_update_elem(&wait_sums, &key, &sum, BPF_NOEXIST);
	return 0;
}

#endif

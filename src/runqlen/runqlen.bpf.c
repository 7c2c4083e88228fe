/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many tasks wait for each CPU, when its timer (a perf event of the CPU's clock) expires.  rq->nr_running has the tasks of all classes
 * and cgroups, and the one that runs; the same on 5.10 to 7.3.  A CPU that runs nothing looks at the queues of the others.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/filter.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/task.bpf.h"
#include "runqlen.h"

COUNTS(struct runqlen_counts, 1);

const volatile __u32 cpus = 1;		/* that are possible */

struct rq___queue {
	unsigned int nr_running;
} __attribute__((preserve_access_index));

static __always_inline bool others_wait(u32 self)
{
	for (u32 cpu = 0; cpu < cpus; cpu++) {
		struct runqlen_counts *counts = counts_at_of(cpu, 1, 0);
		struct rq___queue *queue;

		if (!counts || cpu == self)
			continue;
		queue = (struct rq___queue *)counts->queue;
		if (queue && BPF_CORE_READ(queue, nr_running) > 1)
			return true;
	}
	return false;
}

SEC("perf_event")
int on_sample(void *ctx)
{
	u32 cpu = bpf_get_smp_processor_id(), running;
	struct runqlen_counts *counts = counts_at_of(cpu, 1, 0);
	struct rq___queue *queue;
	u64 waiting;

	if (event_is_over() || !counts)
		return 0;
	queue = (struct rq___queue *)counts->queue;
	if (!queue) {
		queue = (struct rq___queue *)BPF_CORE_READ(task_current(), se.cfs_rq, rq);
		counts->queue = (u64)queue;
	}
	running = BPF_CORE_READ(queue, nr_running);
	count_add(&counts->samples, 1);
	waiting = running ? running - 1 : 0;
	/* of an addition of 0, where nothing runs, clang makes an "or", which 5.10 does not know */
	asm volatile("" : "+r"(waiting));
	hist_add(&counts->lengths, waiting);
	if (running > 1)
		count_add(&counts->waiting, 1);
	if (running)
		return 0;
	count_add(&counts->idle, 1);
	if (others_wait(cpu))
		count_add(&counts->idle_while_waiting, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

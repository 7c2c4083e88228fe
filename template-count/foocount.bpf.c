/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "foocount.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/filter.bpf.h"

#define CLONE_THREAD 0x00010000	/* include/uapi/linux/sched.h */

COUNTS(struct foocount_counts, FOOCOUNT_CLASSES);

/* The arguments of the tracepoint: the new task, and the flags of clone(2) (include/trace/events/task.h). */
SEC("raw_tp/task_newtask")
int task_newtask(u64 *ctx)
{
	struct foocount_counts *counts;

	if (event_is_over() || task_filtered())
		return 0;
	counts = counts_at(FOOCOUNT_CLASSES, ctx[1] & CLONE_THREAD ? FOOCOUNT_THREADS : FOOCOUNT_PROCESSES);
	if (counts)
		count_add(&counts->made, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

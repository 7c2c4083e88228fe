/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What runs on the CPUs, by stack.  Each CPU has a timer, a perf event of the CPU's clock; the program runs when it expires, and the
 * current task is the sample.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/filter.bpf.h"
#include "lib/bpf/stack_key.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "profile.h"

COUNTS(struct profile_counts, 1);
TABLE(struct stack_key, struct stack_value, PROFILE_KEYS);

const volatile bool with_idle = false;

SEC("perf_event")
int on_sample(void *ctx)
{
	struct profile_counts *counts = counts_at(1, 0);
	struct stack_key key = {};
	struct stack_value *value;
	u64 id;

	if (event_is_over() || !counts)
		return 0;
	count_add(&counts->ticks, 1);
	/* the idle tasks are 0 in every namespace */
	if (!with_idle && !bpf_get_current_pid_tgid()) {
		count_add(&counts->idle, 1);
		event_count_filtered();
		return 0;
	}
	id = task_pid_tgid();
	if (task_filtered_as(id, NULL))
		return 0;
	stack_key_set(ctx, &key, id);
	value = table_at(&key);
	count_add(value ? &value->count : &counts->others.count, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>

#include "lib/bpf/tool.bpf.h"
#include "workload/gate_faultysnoop.h"

struct tp_sched__sched_process_fork {
	s32 child_pid;
} __attribute__((preserve_access_index));

struct tp_sched__sched_wakeup_new {
	s32 target_cpu;
} __attribute__((preserve_access_index));

static __always_inline int submit(s32 number)
{
	struct faulty_event *event;

	if (task_filtered())
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->number = number;
	event->reserved = 0;
	event_submit(event);
	return 0;
}

SEC("?tp/sched/sched_process_fork")
int TP_PROG(sound, struct tp_sched__sched_process_fork *ctx)
{
	return submit(ctx->child_pid);
}

SEC("?tp/sched/sched_process_exit")
int TP_PROG(other_struct, struct tp_sched__sched_process_fork *ctx)
{
	return submit(ctx->child_pid);
}

SEC("?tp")
int TP_PROG(bare, struct tp_sched__sched_wakeup_new *ctx)
{
	return submit(ctx->target_cpu);
}

SEC("?kprobe")
int not_attached(void *ctx)
{
	return submit(0);
}

SEC("?kprobe/do_exitt")
int no_function(void *ctx)
{
	return submit(0);
}

SEC("?kprobe/do_exit")
int function(void *ctx)
{
	return submit(0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>

#include "foosnoop.h"
#include "lib/bpf/tool.bpf.h"

/*
 * The fields of the event that are read here; where they lie comes from the running kernel (child_pid is at 44 on 6.1,
 * at 20 on 7.2).  `build/ctxgen sched/sched_process_fork` prints the whole struct.
 */
struct tp_sched__sched_process_fork {
	s32 child_pid;
} __attribute__((preserve_access_index));

SEC("tp/sched/sched_process_fork")
int TP_PROG(sched_process_fork, struct tp_sched__sched_process_fork *ctx)
{
	struct foosnoop_event *event;

	if (task_filtered())
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->child = ctx->child_pid;
	event->reserved = 0;
	event_submit(event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

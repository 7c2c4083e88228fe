/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "foosnoop.h"
#include "lib/bpf/tool.bpf.h"

/* The members that are read; where they lie comes from the running kernel. */
struct task_struct___child {
	int pid;
} __attribute__((preserve_access_index));

/*
 * The kernel starts a new task: the current task is the one that makes it. `build/ctxgen kprobe/wake_up_new_task` prints the line with
 * what a program on a function gets. Where the function's name differs between kernels see docs/recipes.md, "A kprobe".
 */
SEC("kprobe/wake_up_new_task")
int BPF_KPROBE(wake_up_new_task, struct task_struct___child *p)
{
	struct foosnoop_event *event;

	if (task_filtered())
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->child = BPF_CORE_READ(p, pid);
	event->reserved = 0;
	event_submit(event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

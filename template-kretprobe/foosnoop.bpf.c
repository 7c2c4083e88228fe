/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "foosnoop.h"
#include "lib/bpf/tool.bpf.h"

/*
 * The call that has made a task returns, with the new task's number as its maker sees it, or an error. The line is what
 * `build/ctxgen kretprobe/kernel_clone` prints: the program gets the result alone. The arguments are gone by now; lib/bpf/call.bpf.h
 * is for tools that need both.
 */
SEC("kretprobe/kernel_clone")
int BPF_KRETPROBE(kernel_clone, s32 ret)
{
	struct foosnoop_event *event;

	if (ret < 0 || task_filtered())
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->child = ret;
	event->reserved = 0;
	event_submit(event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs being started, sent to the loader through a ring buffer. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "ringbuf.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 * 1024);
} events SEC(".maps");

SEC("raw_tp/sched_process_exec")
int BPF_PROG(sched_process_exec, struct task_struct *p, s32 old_pid, struct linux_binprm *bprm)
{
	struct event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);

	if (!event)	/* it is full: the event is lost */
		return 0;
	event->pid = BPF_CORE_READ(p, tgid);
	bpf_probe_read_kernel_str(event->filename, sizeof(event->filename), BPF_CORE_READ(bprm, filename));
	bpf_ringbuf_submit(event, 0);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

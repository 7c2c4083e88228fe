/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "foosnoop.h"
#include "lib/bpf/tool.bpf.h"

/*
 * The system call begins. `build/ctxgen ksyscall/kill` prints the line with its arguments. 32-bit programs come through another function,
 * which this is not on. A pointer would be the caller's: bpf_probe_read_user() copies what it leads to.
 */
SEC("ksyscall/kill")
int BPF_KSYSCALL(kill_enter, s32 pid, int sig)
{
	struct foosnoop_event *event;

	if (task_filtered())
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->tpid = pid;
	event->signal = sig;
	event_submit(event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

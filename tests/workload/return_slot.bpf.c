/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

__u32 pid = 0;		/* of the process that is looked at */
__u64 slot = 0;		/* where its return address lies, on its kernel stack */
__u64 returns = 0;

SEC("kprobe")
int BPF_KPROBE(slot_entry)
{
	/* a call has just pushed the return address: the stack pointer points to it */
	if (bpf_get_current_pid_tgid() >> 32 == pid)
		slot = PT_REGS_SP(ctx);
	return 0;
}

SEC("kretprobe")
int BPF_KRETPROBE(slot_return)
{
	if (bpf_get_current_pid_tgid() >> 32 == pid)
		(void)__atomic_fetch_add(&returns, 1, __ATOMIC_RELAXED);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

__u32 pid = 0;		/* of the process whose calls are looked at */
__u64 inner_runs = 0;

SEC("ksyscall/getpgid")
int outer(void *ctx)
{
	if (bpf_get_current_pid_tgid() >> 32 == pid)
		bpf_printk("nested");
	return 0;
}

/* bpf_trace_printk() makes this event while the program that calls it is running: never this one's turn. */
SEC("tp/bpf_trace/bpf_trace_printk")
int inner(void *ctx)
{
	(void)__atomic_fetch_add(&inner_runs, 1, __ATOMIC_RELAXED);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
/* A kprobe and a kretprobe on the kernel function that removes a file. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

SEC("kprobe")
int BPF_KPROBE(unlink_enter, int dfd, struct filename *name)
{
	bpf_printk("pid %d removes %s", bpf_get_current_pid_tgid() >> 32, BPF_CORE_READ(name, name));
	return 0;
}

SEC("kretprobe")
int BPF_KRETPROBE(unlink_exit, int result)
{
	bpf_printk("pid %d has removed it, result %d", bpf_get_current_pid_tgid() >> 32, result);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

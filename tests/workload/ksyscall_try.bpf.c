/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

SEC("kprobe")
int BPF_KSYSCALL(kill_enter, int pid, int sig)
{
	return pid == sig;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

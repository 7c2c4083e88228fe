/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

__u64 hits = 0;

SEC("kprobe")
int BPF_KPROBE(try_entry)
{
	(void)__atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
	return 0;
}

SEC("kretprobe")
int BPF_KRETPROBE(try_return)
{
	(void)__atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
	return 0;
}

SEC("?fexit")
int BPF_PROG(try_fexit)
{
	(void)__atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

__u64 hits = 0;

SEC("kprobe")
int BPF_KPROBE(try_entry)
{
	__sync_fetch_and_add(&hits, 1);
	return 0;
}

SEC("kretprobe")
int BPF_KRETPROBE(try_return)
{
	__sync_fetch_and_add(&hits, 1);
	return 0;
}

SEC("?fexit")
int BPF_PROG(try_fexit)
{
	__sync_fetch_and_add(&hits, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes whose sections name the function: libbpf attaches them. The lines are what `ctxgen kprobe/vfs_open kretprobe/vfs_open` writes. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

SEC("kprobe/vfs_open")
int BPF_KPROBE(vfs_open_enter, const struct path *path, struct file *file)
{
	bpf_printk("pid %d opens %s", bpf_get_current_pid_tgid() >> 32, BPF_CORE_READ(path, dentry, d_name.name));
	return 0;
}

SEC("kretprobe/vfs_open")
int BPF_KRETPROBE(vfs_open_exit, int ret)
{
	bpf_printk("pid %d has opened it, result %d", bpf_get_current_pid_tgid() >> 32, ret);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause */
/* The system call unlinkat: its arguments and its result, whatever the kernel calls the function behind it. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

SEC("ksyscall/unlinkat")
int BPF_KSYSCALL(unlinkat_enter, int fd, const char *pathname, int flag)
{
	char path[128];

	/* the pointer is the caller's: the memory behind it must be copied */
	if (bpf_probe_read_user_str(path, sizeof(path), pathname) < 0)
		path[0] = '\0';
	bpf_printk("unlinkat fd %d, pathname %s, flag %d", fd, path, flag);
	return 0;
}

SEC("kretsyscall/unlinkat")
int BPF_KRETPROBE(unlinkat_exit, int result)
{
	bpf_printk("unlinkat returns %d", result);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

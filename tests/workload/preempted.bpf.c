/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

__s64 wanted = 0;	/* what the calls return, and no other one */
__u64 runs = 0;

/* Some 10,000 instructions: a thread that is preempted is most probably in here, if it can be. */
static __always_inline int run(void)
{
	for (int i = 0; i < 200; i++)
		bpf_ktime_get_ns();
	(void)__atomic_fetch_add(&runs, 1, __ATOMIC_RELAXED);
	return 0;
}

SEC("?raw_tp/sys_exit")
int raw_tp(__u64 *ctx)
{
	return (__s64)ctx[1] == wanted ? run() : 0;
}

struct sys_exit_record {
	__u64 common;
	__s64 nr;
	__s64 ret;
};

SEC("?tp/raw_syscalls/sys_exit")
int tp(struct sys_exit_record *ctx)
{
	return ctx->ret == wanted ? run() : 0;
}

SEC("?tp/syscalls/sys_exit_getpgid")
int tp_of_call(void *ctx)
{
	return run();
}

SEC("?fentry")
int fentry(void *ctx)
{
	return run();
}

SEC("?fexit")
int fexit(void *ctx)
{
	return run();
}

SEC("?kprobe")
int kprobe(void *ctx)
{
	return run();
}

SEC("?kretprobe")
int kretprobe(void *ctx)
{
	return run();
}

SEC("?kprobe.multi")
int kprobe_multi(void *ctx)
{
	return run();
}

SEC("?kretprobe.multi")
int kretprobe_multi(void *ctx)
{
	return run();
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

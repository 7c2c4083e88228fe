/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that return at once, one for each kind of hook: what the hook itself costs. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

SEC("?tp/task/task_rename")
int tp(void *ctx)
{
	return 0;
}

SEC("?raw_tp/task_rename")
int raw_tp(void *ctx)
{
	return 0;
}

SEC("?tp/syscalls/sys_enter_getpgid")
int tp_sys_enter(void *ctx)
{
	return 0;
}

SEC("?tp/syscalls/sys_exit_getpgid")
int tp_sys_exit(void *ctx)
{
	return 0;
}

SEC("?raw_tp/sys_enter")
int raw_tp_sys_enter(void *ctx)
{
	return 0;
}

SEC("?kprobe/__x64_sys_getpgid")
int kprobe(void *ctx)
{
	return 0;
}

SEC("?kretprobe/__x64_sys_getpgid")
int kretprobe(void *ctx)
{
	return 0;
}

SEC("?fentry/__x64_sys_getpgid")
int fentry(void *ctx)
{
	return 0;
}

SEC("?fexit/__x64_sys_getpgid")
int fexit(void *ctx)
{
	return 0;
}

SEC("?kprobe.multi/__x64_sys_getpgid")
int kprobe_multi(void *ctx)
{
	return 0;
}

SEC("?kretprobe.multi/__x64_sys_getpgid")
int kretprobe_multi(void *ctx)
{
	return 0;
}

SEC("?ksyscall/getpgid")
int ksyscall(void *ctx)
{
	return 0;
}

SEC("?kretsyscall/getpgid")
int kretsyscall(void *ctx)
{
	return 0;
}

SEC("?perf_event")
int perf_event(void *ctx)
{
	return 0;
}

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[127]);
} frames SEC(".maps");

/* Takes both stacks as profile does, and nothing else. */
SEC("?perf_event")
int perf_event_stacks(void *ctx)
{
	__u32 first = 0;
	__u64 *room = bpf_map_lookup_elem(&frames, &first);

	if (!room)
		return 0;
	bpf_get_stack(ctx, room, 127 * sizeof(*room), 0);
	bpf_get_stack(ctx, room, 127 * sizeof(*room), BPF_F_USER_STACK);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

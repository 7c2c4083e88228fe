/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads events through structs that ctxgen wrote on 6.1 (tests/data/ctx/6.1.h), wherever it runs; ctx_values.c makes
 * the events happen and knows what must be read.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "data/ctx/6.1.h"
#include "lib/bpf/tp.bpf.h"
#include "workload/ctx_values.h"

struct seen_wanted wanted = {};
struct seen_wakeup wakeup = {};
struct seen_request request = {};
struct seen_open open = {};
struct seen_extack extack = {};
struct seen_task task = {};

static bool is_caller(void)
{
	return (u32)bpf_get_current_pid_tgid() == wanted.caller;
}

/* A field that only kernels before 5.14 have. */
struct tp_sched__sched_wakeup___older {
	__s32 success;
} __attribute__((preserve_access_index));

SEC("tp/sched/sched_wakeup")
int sched_wakeup(struct tp_sched__sched_wakeup *ctx)
{
	struct tp_sched__sched_wakeup___older *older = (void *)ctx;

	if (ctx->pid != (s32)wanted.wakee)
		return 0;
	wakeup.pid = ctx->pid;
	wakeup.prio = ctx->prio;
	wakeup.target_cpu = ctx->target_cpu;
	wakeup.success = -1;
	if (bpf_core_field_exists(older->success))
		wakeup.success = BPF_CORE_READ(older, success);
	bpf_probe_read_kernel(wakeup.comm, sizeof(wakeup.comm), ctx->comm);
	wakeup.count++;
	return 0;
}

SEC("tp/block/block_rq_issue")
int block_rq_issue(struct tp_block__block_rq_issue *ctx)
{
	/* a worker of the kernel may issue it; nothing else in the guest uses the device */
	bpf_get_current_comm(request.current, sizeof(request.current));
	request.dev = ctx->dev;
	request.sector = ctx->sector;
	request.nr_sector = ctx->nr_sector;
	request.bytes = ctx->bytes;
	bpf_probe_read_kernel(request.rwbs, sizeof(request.rwbs), ctx->rwbs);
	bpf_probe_read_kernel(request.comm, sizeof(request.comm), ctx->comm);
	request.count++;
	return 0;
}

SEC("tp/syscalls/sys_enter_openat")
int enter_openat(struct tp_syscalls__sys_enter_openat *ctx)
{
	if (!is_caller())
		return 0;
	open.nr = ctx->__syscall_nr;
	open.dfd = ctx->dfd;
	open.flags = ctx->flags;
	open.mode = ctx->mode;
	bpf_probe_read_user_str(open.path, sizeof(open.path), ctx->filename);
	return 0;
}

SEC("tp/syscalls/sys_exit_openat")
int exit_openat(struct tp_syscalls__sys_exit_openat *ctx)
{
	if (!is_caller())
		return 0;
	open.ret = ctx->ret;
	open.count++;
	return 0;
}

SEC("tp/netlink/netlink_extack")
int netlink_extack(struct tp_netlink__netlink_extack *ctx)
{
	if (!is_caller())
		return 0;
	extack.length = tp_str(extack.text, sizeof(extack.text), ctx, __data_loc_msg);
	extack.cut_length = tp_str(extack.cut, sizeof(extack.cut), ctx, __data_loc_msg);
	extack.size = tp_size(ctx, __data_loc_msg);
	extack.bytes = tp_array(extack.array, sizeof(extack.array), ctx, __data_loc_msg);
	extack.count++;
	return 0;
}

/* The one that needs the kernel's BTF. */
SEC("tp/syscalls/sys_enter_getppid")
int enter_getppid(void *ctx)
{
	struct task_struct *current = (void *)bpf_get_current_task();

	if (!is_caller())
		return 0;
	task.pid = BPF_CORE_READ(current, pid);
	task.tgid = BPF_CORE_READ(current, tgid);
	task.parent = BPF_CORE_READ(current, real_parent, tgid);
	BPF_CORE_READ_STR_INTO(&task.comm, current, comm);
	task.count++;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

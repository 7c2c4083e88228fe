/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of each kind that ctxgen writes: the lines of SEC() and those with the parameters are its own, which src/ctxgen/test compares,
 * and the programs keep what they get, which contexts.c compares with what it did.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "workload/contexts.h"

struct seen seen[KINDS];
int pid, child;		/* the processes whose calls are kept */

static void keep(int kind, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
	int current = (int)(bpf_get_current_pid_tgid() >> 32);

	if (current != pid && current != child)
		return;
	seen[kind].values[0] = a;
	seen[kind].values[1] = b;
	seen[kind].values[2] = c;
	seen[kind].values[3] = d;
	seen[kind].values[4] = e;
	seen[kind].values[5] = f;
	seen[kind].count++;
}

SEC("kprobe/__sys_sendto")
int BPF_KPROBE(__sys_sendto_enter, int fd, void *buff, u64 len, unsigned int flags, struct sockaddr *addr, int addr_len)
{
	keep(KPROBE, fd, (u64)buff, len, flags, (u64)addr, addr_len);
	return 0;
}

SEC("kretprobe/__sys_sendto")
int BPF_KRETPROBE(__sys_sendto_exit, int ret)
{
	keep(KRETPROBE, ret, 0, 0, 0, 0, 0);
	return 0;
}

SEC("ksyscall/sendto")
int BPF_KSYSCALL(sendto_enter, int fd, void *buff, u64 len, unsigned int flags, struct sockaddr *addr, int addr_len)
{
	keep(KSYSCALL, fd, (u64)buff, len, flags, (u64)addr, addr_len);
	return 0;
}

SEC("kretsyscall/sendto")
int BPF_KRETPROBE(sendto_exit, long ret)
{
	keep(KRETSYSCALL, ret, 0, 0, 0, 0, 0);
	return 0;
}

SEC("raw_tp/sched_process_exec")
int BPF_PROG(sched_process_exec, struct task_struct *p, s32 old_pid, struct linux_binprm *bprm)
{
	keep(RAWTP, BPF_CORE_READ(p, pid), old_pid, BPF_CORE_READ(bprm, argc), 0, 0, 0);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(sched_process_exec_tp_btf, struct task_struct *p, s32 old_pid, struct linux_binprm *bprm)
{
	keep(TP_BTF, p->pid, old_pid, bprm->argc, 0, 0, 0);
	return 0;
}

SEC("fentry/__sys_sendto")
int BPF_PROG(__sys_sendto_enter_fentry, int fd, void *buff, u64 len, unsigned int flags, struct sockaddr *addr,
	     int addr_len)
{
	keep(FENTRY, fd, (u64)buff, len, flags, (u64)addr, addr_len);
	return 0;
}

SEC("fexit/__sys_sendto")
int BPF_PROG(__sys_sendto_exit_fexit, int fd, void *buff, u64 len, unsigned int flags, struct sockaddr *addr,
	     int addr_len, int ret)
{
	keep(FEXIT, fd, (u64)buff, len, flags, (u64)addr, addr_len);
	seen[FEXIT].ret = ret;
	return 0;
}

SEC("lsm/file_open")
int BPF_PROG(file_open, struct file *file, int ret)
{
	keep(LSM, file->f_mode, ret, 0, 0, 0, 0);
	return 0;
}

SEC("perf_event")
int sample(struct bpf_perf_event_data *ctx)
{
	keep(PERF_EVENT, ctx->sample_period, PT_REGS_IP(&ctx->regs), 0, 0, 0, 0);
	return 0;
}

SEC("uprobe//probelight/build/workload/contexts:called_by_itself")
int BPF_UPROBE(called_by_itself_enter, int fd, const char *text, u64 size, u32 mode, void *buffer, long last)
{
	char read[4] = "";

	bpf_probe_read_user(read, sizeof(read), text);
	keep(UPROBE, fd, (u64)text, size, mode, (u64)buffer, last);
	seen[UPROBE].ret = read[0] == 'u' && read[3] == 'o';
	return 0;
}

SEC("uretprobe//probelight/build/workload/contexts:called_by_itself")
int BPF_URETPROBE(called_by_itself_exit, s64 ret)
{
	keep(URETPROBE, ret, 0, 0, 0, 0, 0);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

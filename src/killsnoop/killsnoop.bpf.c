/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals sent by system calls: the arguments are taken on entry, the result comes with the return.  32-bit calls go
 * through functions of their own (__ia32_sys_kill) and are seen once, when they return: the registers that they were made
 * with still have the arguments, which saves three programs more at every start.  One whose return no program saw leaves
 * nothing in `calls`: how many these were only the kernel knows, since 6.7 (lib/missed.h).
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "killsnoop.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/syscall.bpf.h"
#include "lib/bpf/tool.bpf.h"

#define CALLS_MAX 4096	/* in flight at the same time; one more is counted as lost */

const volatile int signal = -1;		/* -s: this one only; -1: all */

/* A call's arguments; of a 64-bit call between entry and return. */
struct call {
	int signal;
	int target;
	int target_pid;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CALLS_MAX);
	__type(key, u32);	/* the thread, as the initial pid namespace counts */
	__type(value, struct call);
} calls SEC(".maps");

/* Whether a call is not wanted, which is counted. */
static __always_inline bool call_filtered(int sig)
{
	if (task_filtered())
		return true;
	if (signal < 0 || sig == signal)
		return false;
	event_count_filtered();
	return true;
}

static __always_inline void deliver(const struct call *call, enum kill_call kind, int result)
{
	struct kill_event *event;

	if (result_filtered(result))
		return;
	event = event_reserve(sizeof(*event));
	if (!event)
		return;
	event->result = result;
	event->signal = call->signal;
	event->target = call->target;
	event->target_pid = call->target_pid;
	event->call = kind;
	event->reserved = 0;
	event_submit(event);
}

static __always_inline int enter(int sig, int target, int target_pid)
{
	struct call call = { .signal = sig, .target = target, .target_pid = target_pid };
	u32 tid = (u32)bpf_get_current_pid_tgid();

	if (!call_filtered(sig))
		call_begin(&calls, &tid, &call);
	else if (filter.active || signal >= 0)
		call_drop_stale(&calls, &tid);
	return 0;
}

static __always_inline int leave(enum kill_call kind, int result)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call *call;

	/* nothing: filtered, lost, or begun before the tool was attached */
	call = bpf_map_lookup_elem(&calls, &tid);
	if (!call)
		return 0;
	deliver(call, kind, result);
	call_end(&calls, &tid);
	return 0;
}

SEC("tp/sched/sched_process_exit")
int thread_exit(void *ctx)
{
	call_thread_exit(&calls);
	return 0;
}

SEC("ksyscall")
int BPF_KSYSCALL(kill_enter, int pid, int sig)
{
	return enter(sig, pid, 0);
}

SEC("kretsyscall")
int BPF_KRETPROBE(kill_exit, int result)
{
	return leave(CALL_KILL, result);
}

SEC("ksyscall")
int BPF_KSYSCALL(tkill_enter, int tid, int sig)
{
	return enter(sig, tid, 0);
}

SEC("kretsyscall")
int BPF_KRETPROBE(tkill_exit, int result)
{
	return leave(CALL_TKILL, result);
}

SEC("ksyscall")
int BPF_KSYSCALL(tgkill_enter, int pid, int tid, int sig)
{
	return enter(sig, tid, pid);
}

SEC("kretsyscall")
int BPF_KRETPROBE(tgkill_exit, int result)
{
	return leave(CALL_TGKILL, result);
}

/* nr: in syscall_32.tbl. */
static __always_inline int exit_32(struct pt_regs *ctx, enum kill_call kind, u64 nr)
{
	struct call call = {};
	u64 args[SYSCALL_ARGS];
	struct pt_regs regs;

	compat_regs(&regs, ctx, nr);
	regs_args(args, &regs, true);
	if (kind == CALL_TGKILL)
		call.target_pid = args[0];
	call.target = kind == CALL_TGKILL ? args[1] : args[0];
	call.signal = kind == CALL_TGKILL ? args[2] : args[1];
	if (!call_filtered(call.signal))
		deliver(&call, kind, PT_REGS_RC(ctx));
	return 0;
}

SEC("kretprobe")
int kill_exit_32(struct pt_regs *ctx)
{
	return exit_32(ctx, CALL_KILL, 37);
}

SEC("kretprobe")
int tkill_exit_32(struct pt_regs *ctx)
{
	return exit_32(ctx, CALL_TKILL, 238);
}

SEC("kretprobe")
int tgkill_exit_32(struct pt_regs *ctx)
{
	return exit_32(ctx, CALL_TGKILL, 270);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

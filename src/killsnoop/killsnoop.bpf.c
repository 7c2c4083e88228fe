/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals sent by system calls, seen once, when the calls return: the registers that they were made with still have the
 * arguments, so that nothing has to be carried from one program to another.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/*
 * A signal is an event that costs its sender little: four senders on one CPU make more of them than the reader prints in its share
 * of the time.  A burst of 26,000 fits.
 */
#define EVENTS_SIZE (2 << 20)

#include "killsnoop.h"
#include "lib/bpf/errno.bpf.h"
#include "lib/bpf/pidfd.bpf.h"
#include "lib/bpf/syscall.bpf.h"
#include "lib/bpf/tool.bpf.h"


const volatile int signal = -1;		/* -s: this one only; -1: all */
const volatile int target = 0;		/* --target: this receiver only; 0: all */

struct kill_call {
	enum syscall_id syscall;
	int signal;
	int target;
	int target_pid;
	u32 about;
};

/* Which of the calls that send a signal has that number, if any. */
static __always_inline enum syscall_id which_call(u64 nr, bool compat)
{
	if (syscall_is(kill, nr, compat))
		return SYSCALL_kill;
	if (syscall_is(tgkill, nr, compat))
		return SYSCALL_tgkill;
	if (syscall_is(tkill, nr, compat))
		return SYSCALL_tkill;
	if (syscall_is(rt_sigqueueinfo, nr, compat))
		return SYSCALL_rt_sigqueueinfo;
	if (syscall_is(rt_tgsigqueueinfo, nr, compat))
		return SYSCALL_rt_tgsigqueueinfo;
	return syscall_is(pidfd_send_signal, nr, compat) ? SYSCALL_pidfd_send_signal : SYSCALL_NONE;
}

/* Fills *call from the arguments; those that name a process and a thread of it have one more in front. */
static __always_inline void read_call(struct kill_call *call, enum syscall_id syscall, const u64 *args)
{
	bool both = syscall == SYSCALL_tgkill || syscall == SYSCALL_rt_tgsigqueueinfo;

	call->syscall = syscall;
	call->target_pid = both ? args[0] : 0;
	call->target = both ? args[1] : args[0];
	call->signal = both ? args[2] : args[1];
	call->about = 0;
}

/* Whether the call is for the receiver that --target asks for.  One that is not known may be it. */
static __always_inline bool is_for_target(const struct kill_call *call)
{
	if (!target || call->about & KILL_TARGET_UNKNOWN)
		return true;
	return !(call->about & KILL_TARGET_NONE) && (call->target == target || call->target_pid == target);
}

/* Whether the call is not wanted, which is counted.  What is not known of it is no reason to drop it. */
static __always_inline bool filtered(const struct kill_call *call, int result)
{
	if (result_filtered(result) || task_filtered())
		return true;
	if (call->about & KILL_ARGS_UNKNOWN || ((signal < 0 || call->signal == signal) && is_for_target(call)))
		return false;
	event_count_filtered();
	return true;
}

static __always_inline int deliver(const struct kill_call *call, int result)
{
	struct kill_event *event;

	if (filtered(call, result))
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->result = result;
	event->signal = call->signal;
	event->target = call->target;
	event->target_pid = call->target_pid;
	event->call = call->syscall;
	event->about = call->about;
	event->reserved = 0;
	event_submit(event);
	return 0;
}

/* The descriptor's process takes its place; single: a constant, whether a hook of a single call asks. */
static __always_inline void follow_pidfd(struct kill_call *call, int result, bool single)
{
	if (result == -EBADF) {
		call->about = KILL_TARGET_NONE;
		return;
	}
	if (!single)
		call->target = pidfd_process(call->target);
	else	/* where there is bpf_task_pt_regs() there is BTF */
		call->target = have_task_pt_regs ? pidfd_process_static(call->target) : 0;
	if (!call->target)
		call->about = KILL_TARGET_UNKNOWN;
}

/* A call of any number and kind that returns. */
static __always_inline int call_exit(const struct sys_exit *exit, int result)
{
	u64 nr = sys_exit_nr(exit), args[SYSCALL_ARGS];
	/* Volatile bytes hide the values from the verifier, which else verifies all code below once for each call and ABI. */
	volatile u8 syscall, compat;
	struct kill_call call;

	/* most calls are none of these, whatever their kind */
	if (!which_call(nr, false) && !which_call(nr, true))
		return 0;
	compat = sys_exit_is_compat(exit);
	syscall = which_call(nr, compat);
	if (!syscall)
		return 0;
	sys_exit_args(args, exit, compat);
	read_call(&call, syscall, args);
	if (syscall == SYSCALL_pidfd_send_signal)
		follow_pidfd(&call, result, false);
	return deliver(&call, result);
}

/* lib/probe/hooks.h says which of these runs where. */
SEC("raw_tp/sys_exit")
int any_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct sys_exit exit = sys_exit_of(ctx);

	return call_exit(&exit, ctx->args[1]);
}

SEC("kretprobe.multi")
int any_return(struct pt_regs *ctx)
{
	struct sys_exit exit = sys_exit_of_current();

	return call_exit(&exit, PT_REGS_RC(ctx));
}

/* A single call: these run on kernels without BTF, and on those that have bpf_task_pt_regs() and with it BTF. */
static __always_inline int single_exit(enum syscall_id syscall, const u64 *args, bool known, int result)
{
	struct kill_call call;

	read_call(&call, syscall, args);
	if (!known)
		call.about = KILL_ARGS_UNKNOWN;
	else if (syscall == SYSCALL_pidfd_send_signal)
		follow_pidfd(&call, result, true);
	return deliver(&call, result);
}

static __noinline int exit_64(struct syscall_exit *ctx)
{
	u64 args[SYSCALL_ARGS];
	bool known = syscall_exit_args(args, ctx);

	return single_exit(which_call(ctx->nr, false), args, known, ctx->ret);
}

static __noinline int exit_32(struct pt_regs *ctx, u64 nr)
{
	u64 args[SYSCALL_ARGS];
	bool known = compat_exit_args(args, ctx, nr);

	return single_exit(which_call(nr, true), args, known, PT_REGS_RC(ctx));
}

SYSCALL_EXITS(kill)
SYSCALL_EXITS(tkill)
SYSCALL_EXITS(tgkill)
SYSCALL_EXITS(rt_sigqueueinfo)
SYSCALL_EXITS(rt_tgsigqueueinfo)
SYSCALL_EXITS(pidfd_send_signal)

char LICENSE[] SEC("license") = "Dual BSD/GPL";

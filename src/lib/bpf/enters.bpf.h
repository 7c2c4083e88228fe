/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs that see a tool's system calls begin, beside those of exits.bpf.h that see them return.  Of the user's memory
 * only what is resident can be read here.  The tool defines call_entered().  Include it once in a tool, after exits.bpf.h, so
 * that the programs on returns come first and are attached first.
 */
#ifndef PROBELIGHT_ENTERS_BPF_H
#define PROBELIGHT_ENTERS_BPF_H

#include "exits.bpf.h"

/* A call that begins. */
struct entered {
	u64 args[SYSCALL_ARGS];		/* those of a 32-bit call are 32 bits wide */
	enum syscall_id syscall;
	bool compat;			/* a 32-bit call */
	bool known;			/* else the arguments could not be had, and are 0 */
};

/* The tool's; filters have not been asked. */
static __always_inline int call_entered(const struct entered *call);

static __always_inline int any_call_entered(const struct sys_exit *at)
{
	volatile u8 syscall, compat;	/* as in any_call_exited() */
	u64 nr = sys_exit_nr(at);
	struct entered call;

	if (!which_call(nr, false) && !which_call(nr, true))
		return 0;
	compat = sys_exit_is_compat(at);
	syscall = which_call(nr, compat);
	if (!syscall)
		return 0;
	call.syscall = syscall;
	call.compat = compat;
	call.known = true;
	sys_exit_args(call.args, at, compat);
	return call_entered(&call);
}

/* The context's first word points to the registers, as that of sys_exit. */
SEC("raw_tp/sys_enter")
int any_enter(struct bpf_raw_tracepoint_args *ctx)
{
	struct sys_exit at = sys_exit_of(ctx);

	return any_call_entered(&at);
}

SEC("kprobe.multi")
int any_call(struct pt_regs *ctx)
{
	struct sys_exit at = sys_exit_of_current();

	return any_call_entered(&at);
}

static __noinline int enter_64(struct syscall_enter *ctx)
{
	struct entered call;

	call.syscall = which_call((u32)ctx->nr, false);
	call.compat = false;
	/* through a helper: the kernel refuses a program that may read more of the context than the call has arguments */
	call.known = !bpf_probe_read_kernel(call.args, sizeof(call.args), ctx->args);
	return call_entered(&call);
}

static __noinline int enter_32(struct pt_regs *ctx, u64 nr)
{
	struct entered call;

	call.syscall = which_call(nr, true);
	call.compat = true;
	call.known = compat_exit_args(call.args, ctx, nr);
	return call_entered(&call);
}

TRACED_CALLS(SYSCALL_ENTERS)

#endif

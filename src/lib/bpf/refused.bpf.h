/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that seccomp refuses.  They do not run, so nothing that is attached to a call's function sees them, and neither does
 * sys_enter.  One function decides (kernel/seccomp.c), and is called for tasks with a filter only: __secure_computing() returns 0 where
 * the call is to run and -1 where it is not; on 7.3 __seccomp_permit_syscall(), true and false, has taken its place.  The registers have
 * the call's result then, if it has one.
 *
 * sys_exit sees them too; so a program there needs nothing of this.
 */
#ifndef PROBELIGHT_REFUSED_BPF_H
#define PROBELIGHT_REFUSED_BPF_H

#include <bpf/bpf_helpers.h>

#include "lib/shared/refused.h"
#include "lib/shared/stack_end.h"
#include "role.bpf.h"
#include "syscall.bpf.h"

const volatile struct refused_by refused_by = {};

/* Whether the function's return, ctx being that of a program on it, refuses the call. */
static __always_inline bool refused_returns(const struct pt_regs *ctx)
{
	return refused_by.is_false ? !(u8)PT_REGS_RC(ctx) : (s32)PT_REGS_RC(ctx) != 0;
}

/* Whether a program on the functions of calls, ctx being its context, sees the return of that one. */
static __always_inline bool refused_is_asked(struct pt_regs *ctx)
{
	return refused_by.address && bpf_get_func_ip(ctx) == refused_by.address;
}

/* A call that is refused. */
struct refused {
	u64 args[SYSCALL_ARGS];		/* those of a 32-bit call are 32 bits wide */
	u64 nr;
	s32 result;
	bool compat;			/* a 32-bit call */
};

/*
 * For a program of its own on the function's return, in section "kretprobe" (lib/probe/refusals.h); ctx is its context.  Whether the
 * current call is refused; *call is filled then.  It takes the kernel's BTF.
 *
 * Kernels without bpf_task_pt_regs() have the registers at the very end of the stack that the probe runs on.
 */
static __always_inline bool refused_read(struct refused *call, const struct pt_regs *ctx)
{
	u64 end = stack_end(PT_REGS_SP(ctx), ARCH_STACK_SIZE);
	struct arch_call regs;	/* all of them are too many for arm64's stacks, together with the functions that are called with it */
	struct sys_exit exit;

	if (!refused_returns(ctx))
		return false;
	if (have_task_pt_regs) {
		exit = sys_exit_of_current();
	} else {
		exit.task = task_current();
		exit.regs = (const struct pt_regs *)(end - ARCH_REGS_BEFORE_END);
	}
	if (!arch_read_call(&regs, exit.regs))
		return false;
	call->nr = arch_call_nr(&regs);
	call->compat = sys_exit_is_compat(&exit);
	call->result = sys_exit_result(&exit, call->nr, arch_call_result(&regs));
	arch_call_args(call->args, &regs, call->compat);
	return true;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs that see a tool's system calls return, in each of the ways that lib/probe/syscall_exits.h chooses from.  The tool's
 * header lists the calls (TRACED_CALLS in lib/shared/syscalls.h), and the tool defines the two functions below.  Include it once
 * in a tool, after that header and vmlinux.h.
 */
#ifndef PROBELIGHT_EXITS_BPF_H
#define PROBELIGHT_EXITS_BPF_H

#include "refused.bpf.h"
#include "suppressed.bpf.h"
#include "syscall.bpf.h"
#include "tool.bpf.h"

/* A call that returns. */
struct exited {
	u64 args[SYSCALL_ARGS];		/* those of a 32-bit call are 32 bits wide */
	long result;
	enum syscall_id syscall;
	bool compat;			/* a 32-bit call */
	bool known;			/* else the arguments could not be had, and are 0 */
};

/*
 * The tool's: whether the call is no event, or not wanted, which is counted.  It is asked before the arguments are read.  For
 * most tools it is exit_filtered().
 */
static __always_inline bool exit_is_unwanted(enum syscall_id syscall, long result);

/*
 * The tool's: a call that is wanted.  ctx is the program's context; single, a constant: a hook of a single call sees it.
 * Then there is BTF if have_task_pt_regs is set, and otherwise none.
 */
static __always_inline int call_exited(void *ctx, const struct exited *call, const bool single);

/* Whether a call has not ended, or is not wanted, by the shared filters. */
static __always_inline bool exit_filtered(long result)
{
	return is_restart(result) || result_filtered(result) || task_filtered();
}

#define EXITS_RETURN_ID(name)             \
	if (syscall_is(name, nr, compat)) \
		return SYSCALL_##name;

/* Which of the tool's calls has that number, if any. */
static __always_inline enum syscall_id which_call(u64 nr, bool compat)
{
	TRACED_CALLS(EXITS_RETURN_ID)
	return SYSCALL_NONE;
}

/* A call of any number and kind. */
static __always_inline int any_call_exited(void *ctx, const struct sys_exit *exit, long result)
{
	/* Volatile bytes hide the values from the verifier, which else verifies all code below once for each call and ABI. */
	volatile u8 syscall, compat;
	u64 nr = sys_exit_nr(exit);
	struct exited call;

	/* most calls are none of these, whatever their kind */
	if (!which_call(nr, false) && !which_call(nr, true))
		return 0;
	compat = sys_exit_is_compat(exit);
	syscall = which_call(nr, compat);
	if (!syscall)
		return 0;
	result = sys_exit_result(exit, nr, result);
	if (exit_is_unwanted(syscall, result))
		return 0;
	call.result = result;
	call.syscall = syscall;
	call.compat = compat;
	call.known = true;
	sys_exit_args(call.args, exit, compat);
	return call_exited(ctx, &call, false);
}

/*
 * One program for all of them.  It costs every other call of the machine some instructions, as many as the tracepoints of
 * single calls do that others use (bench/README.md), and its start and end cost a fraction: there is one thing to attach,
 * and nothing to wait for when it goes.
 */
SEC("raw_tp/sys_exit")
int any_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct sys_exit exit = sys_exit_of(ctx);

	return any_call_exited(ctx, &exit, (exit_result)ctx->args[1]);
}

/*
 * The same for kernels that let a program on a tracepoint be preempted: on the returns of the calls' functions, where they do
 * not; and of the function that refuses calls.
 */
SEC("kretprobe.multi")
int any_return(struct pt_regs *ctx)
{
	struct sys_exit exit = sys_exit_of_current();
	exit_result result = PT_REGS_RC(ctx);

	if (refused_is_asked(ctx)) {
		if (!refused_returns(ctx))
			return 0;
		result = arch_result(exit.regs);
	}
	return any_call_exited(ctx, &exit, result);
}

/* Where neither works: a hook for each call, of each kind. */
static __noinline int exit_64(struct syscall_exit *ctx)
{
	struct exited call;

	call.syscall = which_call(ctx->nr, false);
	call.compat = false;
	call.result = (exit_result)ctx->ret;
	if (exit_is_unwanted(call.syscall, call.result))
		return 0;
	call.known = syscall_exit_args(call.args, ctx);
	return call_exited(ctx, &call, true);
}

static __noinline int exit_32(struct pt_regs *ctx, u64 nr)
{
	struct exited call;

	call.syscall = which_call(nr, true);
	call.compat = true;
	call.result = (exit_result)PT_REGS_RC(ctx);
	if (exit_is_unwanted(call.syscall, call.result))
		return 0;
	call.known = compat_exit_args(call.args, ctx, nr);
	return call_exited(ctx, &call, true);
}

TRACED_CALLS(SYSCALL_EXITS)

#endif

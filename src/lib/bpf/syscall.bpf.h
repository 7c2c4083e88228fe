/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arguments of a system call at the time when it returns: nothing has to be carried from one program to another,
 * and what the kernel has read through them is in memory.  Include it after vmlinux.h.
 */
#ifndef PROBELIGHT_SYSCALL_BPF_H
#define PROBELIGHT_SYSCALL_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "arch.bpf.h"
#include "errno.bpf.h"
#include "lib/shared/stack_end.h"
#include "lib/shared/syscalls.h"
#include "task.bpf.h"
#include "tp_prog.bpf.h"

#define AT_FDCWD (-100)		/* include/uapi/linux/fcntl.h */
#define SYSCALL_ARGS ARCH_SYSCALL_ARGS

/* Results of calls.  A tool with calls that return addresses defines EXIT_RESULT_IS_WIDE before it includes this. */
#ifdef EXIT_RESULT_IS_WIDE
typedef s64 exit_result;
#else
typedef s32 exit_result;
#endif

/* bpf_task_pt_regs(): since 5.15, with BTF.  lib/probe/syscall_exits sets it. */
const volatile bool have_task_pt_regs = false;

/* include/trace/events/syscalls.h */
struct tp_raw_syscalls__sys_enter {
	s64 id;
} __attribute__((preserve_access_index));

struct tp_raw_syscalls__sys_exit {
	s64 id;
	s64 ret;
} __attribute__((preserve_access_index));

/*
 * For programs on raw_tp/sys_exit, which see every system call of every kind return: first the call's number, and only if
 * that may be a wanted one, whether it is a 32-bit call (which has numbers of its own), and its arguments.
 *
 * The context's first word points to the registers, the second one is the result (include/trace/events/syscalls.h).  Where
 * the kernel has bpf_task_pt_regs(), which gives the same pointer, they are read directly, without a helper for each.
 */
struct sys_exit {
	struct task_struct___part *task;
	const struct pt_regs *regs;
};

/* Where there is bpf_task_pt_regs(); also for a program on a call's function, at its entry or return. */
static __always_inline struct sys_exit sys_exit_of_current(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return (struct sys_exit){ .task = (struct task_struct___part *)task, .regs = (const struct pt_regs *)bpf_task_pt_regs(task) };
}

static __always_inline struct sys_exit sys_exit_of(const struct bpf_raw_tracepoint_args *ctx)
{
	if (have_task_pt_regs)
		return sys_exit_of_current();
	return (struct sys_exit){ .task = task_current(), .regs = (const struct pt_regs *)ctx->args[0] };
}

/* The call's number, of the ABI that sys_exit_is_compat() tells. */
static __always_inline u64 sys_exit_nr(const struct sys_exit *exit)
{
	u64 nr = have_task_pt_regs ? arch_nr(exit->regs) : arch_probe_nr(exit->regs);

	/* or the compiler compares with and without what was masked */
	barrier_var(nr);
	return nr;
}

/* It takes the kernel's BTF. */
static __always_inline bool sys_exit_is_compat(const struct sys_exit *exit)
{
	return have_task_pt_regs ? task_is_compat_btf(exit->task) : task_is_compat(exit->task);
}

#define SIGSYS 31	/* include/uapi/asm-generic/signal.h */

/* The signals that wait for the task. */
struct task_struct___signals {
	struct {
		struct {
			unsigned long sig[1];
		} signal;
	} pending;
} __attribute__((preserve_access_index));

/*
 * The result of the call nr, in whose place there is result.  A call that seccomp turns into SIGSYS has not run, and its result is
 * what syscall_rollback() left: openat would have opened the descriptor 257.  Such a call is ENOSYS here.  It takes the kernel's BTF.
 *
 * For the verifier there is one number and no constant, or it would walk all that follows once more.
 */
static __always_inline exit_result sys_exit_result(const struct sys_exit *exit, u64 nr, exit_result result)
{
	u32 differs = (u32)result ^ arch_rolled_back(nr, exit->regs, have_task_pt_regs);
	const struct task_struct___signals *task = (const struct task_struct___signals *)exit->task;
	u64 pending = nr, trapped;

	barrier_var(pending);
	pending ^= nr;
	if (!differs)
		pending = have_task_pt_regs ? task->pending.signal.sig[0] : BPF_CORE_READ(task, pending.signal.sig[0]);
	trapped = -(pending >> (SIGSYS - 1) & 1);
	return ((s64)result & ~trapped) | (-ENOSYS & trapped);
}

/* Fills args, SYSCALL_ARGS of them; those of a 32-bit call are 32 bits wide. */
static __always_inline void sys_exit_args(u64 *args, const struct sys_exit *exit, bool compat)
{
	if (have_task_pt_regs)
		arch_args(args, exit->regs, compat);
	else
		arch_probe_args(args, exit->regs, compat);
}

/*
 * Hooks of single calls, for two kinds of kernels.  Without BTF a program cannot tell what kind of call it sees, so its hook has to.
 * And since 7.0 a tracepoint program can be preempted: until it resumes, the kernel skips the same program for other tasks on that
 * CPU.  On sys_exit that loses every system call, on sys_exit_openat only other openat calls.  Return probes are not preempted and
 * lose none, but for all calls at once they need kprobe.multi.
 *
 * The context of a program on tp/syscalls/sys_exit_NAME; the same on every kernel, whatever the format file says
 * (struct syscall_tp_t in kernel/trace/trace_syscalls.c).
 */
struct syscall_exit {
	u64 regs;
	s64 nr;
	s64 ret;
};

/* The registers of the system call nr at the end of the stack that stack_pointer points into.  False where they are not there. */
static __always_inline bool regs_at_stack_end(struct arch_call *call, u64 stack_pointer, u64 nr)
{
	u64 end = stack_end(stack_pointer, ARCH_STACK_SIZE);

	return (arch_read_call(call, (void *)(end - ARCH_REGS_BEFORE_END)) && arch_call_nr(call) == nr) ||
	       (arch_read_call(call, (void *)(end - ARCH_REGS_BEFORE_END2)) && arch_call_nr(call) == nr);
}

/*
 * Fills args with the arguments of a 64-bit call.  bpf_task_pt_regs() knows the registers that it was made with; without it,
 * the event's first word points to them, or, since the stable updates of late 2024, to a copy of the kernel's registers; the
 * stack pointer in there tells where the stack ends.  False where they cannot be had: args is all zeros then.
 */
static __always_inline bool syscall_exit_args(u64 *args, const struct syscall_exit *exit)
{
	struct arch_call call;
	struct pt_regs *at;
	bool found;

	if (have_task_pt_regs) {
		at = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
		found = arch_read_call(&call, at);
	} else {
		found = !bpf_probe_read_kernel(&at, sizeof(at), exit) && arch_read_call(&call, at) &&
			(arch_call_nr(&call) == (u64)exit->nr ||
			 regs_at_stack_end(&call, arch_call_sp(&call), exit->nr));
	}
	if (found)
		arch_call_args(args, &call, false);
	else
		__builtin_memset(args, 0, SYSCALL_ARGS * sizeof(*args));
	return found;
}

/*
 * The same in a kretprobe on a 32-bit call's function, ctx being its context.  Such calls have no tracepoint events of their
 * own: the kernel leaves them out (ARCH_TRACE_IGNORE_COMPAT_SYSCALLS in arch/ARCH/include/asm/ftrace.h).  nr is its number in
 * the 32-bit ABI.
 */
static __always_inline bool compat_exit_args(u64 *args, const struct pt_regs *ctx, u64 nr)
{
	struct arch_call call;
	bool found;

	if (have_task_pt_regs)
		found = arch_read_call(&call, (void *)bpf_task_pt_regs(bpf_get_current_task_btf())) && arch_call_nr(&call) == nr;
	else
		found = regs_at_stack_end(&call, PT_REGS_SP(ctx), nr);
	if (found)
		arch_call_args(args, &call, true);
	else
		__builtin_memset(args, 0, SYSCALL_ARGS * sizeof(*args));
	return found;
}

/*
 * The two programs of a single call.  They are what lib/probe/syscall_exits looks for by name; exit_64() and exit_32() are the tool's,
 * `static __noinline`, so that the code is there once.  Where one function serves both ABIs (arm64), the second program skips 64-bit
 * calls, which the first one sees.
 */
#define SYSCALL_EXITS(name)                                     \
	SEC("tp/syscalls/sys_exit_" #name)                      \
	int TP_PROG(name##_exit_64, struct syscall_exit *ctx)   \
	{                                                       \
		return exit_64(ctx);                            \
	}                                                       \
	SEC("kretprobe")                                        \
	int name##_exit_32(struct pt_regs *ctx)                 \
	{                                                       \
		return arch_in_compat_function() ? exit_32(ctx, NR32_##name) : 0;  \
	}

/* The context of a program on tp/syscalls/sys_enter_NAME; the same on every kernel, as that of sys_exit_NAME. */
struct syscall_enter {
	u64 regs;
	s32 nr;
	u32 pad;
	u64 args[6];
};

/* The same for the entry; enter_64() and enter_32() are the tool's, or lib/bpf/enters.bpf.h's. */
#define SYSCALL_ENTERS(name)                                    \
	SEC("tp/syscalls/sys_enter_" #name)                     \
	int TP_PROG(name##_enter_64, struct syscall_enter *ctx) \
	{                                                       \
		return enter_64(ctx);                           \
	}                                                       \
	SEC("kprobe")                                           \
	int name##_enter_32(struct pt_regs *ctx)                \
	{                                                       \
		return arch_in_compat_function() ? enter_32(ctx, NR32_##name) : 0; \
	}

#endif

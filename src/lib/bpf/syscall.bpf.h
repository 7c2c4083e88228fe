/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arguments of a system call at the time when it returns: nothing has to be carried from one program to another,
 * and what the kernel has read through them is in memory.  Include it after vmlinux.h.
 */
#ifndef PROBELIGHT_SYSCALL_BPF_H
#define PROBELIGHT_SYSCALL_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "task.bpf.h"

#define THREAD_SIZE 16384	/* x86-64 without KASAN; used where the kernel has no bpf_task_pt_regs() */
#define TS_COMPAT 2		/* arch/x86/include/asm/thread_info.h */
#define X32_SYSCALL_BIT 0x40000000
#define AT_FDCWD (-100)		/* include/uapi/linux/fcntl.h */

/* bpf_task_pt_regs(): since 5.15, with BTF.  For the user side to set. */
const volatile bool have_task_pt_regs = false;

#define SYSCALL_ARGS 4	/* as many as anybody here asks for; there are six */

/* The arguments out of the registers that a call was made with; those of a 32-bit call are 32 bits wide. */
static __always_inline void regs_args(u64 *args, const struct pt_regs *regs, bool compat)
{
	args[0] = compat ? (u32)regs->bx : regs->di;
	args[1] = compat ? (u32)regs->cx : regs->si;
	args[2] = compat ? (u32)regs->dx : regs->dx;
	args[3] = compat ? (u32)regs->si : regs->r10;
}

/*
 * For programs on raw_tp/sys_exit, which see every system call of every kind return: first the call's number, and only if
 * that may be a wanted one, whether it is a 32-bit call (whose numbers are those of syscall_32.tbl in
 * arch/x86/entry/syscalls, not of syscall_64.tbl), and its arguments.
 *
 * The context's first word points to the registers, the second one is the result (include/trace/events/syscalls.h).  Where
 * the kernel has bpf_task_pt_regs(), which gives the same pointer, they are read directly, without a helper for each.
 */
struct sys_exit {
	struct task_struct___part *task;
	const struct pt_regs *regs;
};

/* Where there is bpf_task_pt_regs(); also for a program on the return of a call's function. */
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

/* An x32 call has the number of the 64-bit one: what has a number in both tables takes the same arguments there. */
static __always_inline u64 sys_exit_nr(const struct sys_exit *exit)
{
	u64 nr;

	if (have_task_pt_regs)
		nr = exit->regs->orig_ax;
	else
		bpf_probe_read_kernel(&nr, sizeof(nr), &exit->regs->orig_ax);
	nr &= ~(u64)X32_SYSCALL_BIT;
	/* or the compiler compares with both */
	barrier_var(nr);
	return nr;
}

/* The kernel's own mark (in_ia32_syscall()).  It takes the kernel's BTF. */
static __always_inline bool sys_exit_is_compat(const struct sys_exit *exit)
{
	struct task_struct___part *task = exit->task;

	if (have_task_pt_regs)
		return task->thread_info.status & TS_COMPAT;
	return BPF_CORE_READ(task, thread_info.status) & TS_COMPAT;
}

/* Fills args, SYSCALL_ARGS of them. */
static __always_inline void sys_exit_args(u64 *args, const struct sys_exit *exit, bool compat)
{
	const struct pt_regs *regs = exit->regs;

	if (have_task_pt_regs) {
		regs_args(args, regs, compat);
		return;
	}
	__builtin_memset(args, 0, SYSCALL_ARGS * sizeof(*args));
	bpf_probe_read_kernel(&args[0], compat ? 4 : 8, compat ? &regs->bx : &regs->di);
	bpf_probe_read_kernel(&args[1], compat ? 4 : 8, compat ? &regs->cx : &regs->si);
	bpf_probe_read_kernel(&args[2], compat ? 4 : 8, &regs->dx);
	bpf_probe_read_kernel(&args[3], compat ? 4 : 8, compat ? &regs->si : &regs->r10);
}

/*
 * What follows is for hooks of single calls: for kernels without BTF, which do not tell what kind of call it is, so that
 * the hook has to, and for those that let a program on a tracepoint be preempted (7.0 and newer) and have no kprobe.multi.
 * There every call of another task is missed by a program on sys_exit while it does not go on, but by one on an event of a
 * single call only those of that call, and by a return probe none.
 *
 * The context of a program on tp/syscalls/sys_exit_NAME; the same on every kernel, whatever the format file says
 * (struct syscall_tp_t in kernel/trace/trace_syscalls.c).
 */
struct syscall_exit {
	u64 regs;
	s64 nr;
	s64 ret;
};

/*
 * The registers of the system call nr at the end of the stack that stack_pointer points into.  Kernels with FRED
 * (since 6.9) keep 16 more bytes there (TOP_OF_KERNEL_STACK_PADDING, arch/x86/include/asm/thread_info.h).  False where
 * they cannot be had.
 */
static __always_inline bool regs_at_stack_end(struct pt_regs *regs, u64 stack_pointer, s64 nr)
{
	u64 end = (stack_pointer | (THREAD_SIZE - 1)) + 1;

	return (!bpf_probe_read_kernel(regs, sizeof(*regs), (void *)(end - sizeof(*regs))) && (s64)regs->orig_ax == nr) ||
	       (!bpf_probe_read_kernel(regs, sizeof(*regs), (void *)(end - 16 - sizeof(*regs))) && (s64)regs->orig_ax == nr);
}

/*
 * Fills *regs with the registers that a system call was made with.  bpf_task_pt_regs() knows them; without it, the event's
 * first word points to them, or, since the stable updates of late 2024, to a copy of the kernel's registers; the stack
 * pointer in there tells where the stack ends.  False, and all zeros, where they cannot be had.
 */
static __always_inline bool syscall_regs(struct pt_regs *regs, const struct syscall_exit *exit)
{
	struct pt_regs *at;

	if (have_task_pt_regs) {
		at = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
		return !bpf_probe_read_kernel(regs, sizeof(*regs), at);
	}
	if (!bpf_probe_read_kernel(&at, sizeof(at), exit) && !bpf_probe_read_kernel(regs, sizeof(*regs), at) &&
	    ((s64)regs->orig_ax == exit->nr || regs_at_stack_end(regs, regs->sp, exit->nr)))
		return true;
	__builtin_memset(regs, 0, sizeof(*regs));
	return false;
}

/*
 * The same in a kretprobe on a 32-bit call's function (__ia32_…), ctx being its context.  Such calls have no tracepoint
 * events of their own: the kernel leaves them out (ARCH_TRACE_IGNORE_COMPAT_SYSCALLS in arch/x86/include/asm/ftrace.h).
 * nr is the number in syscall_32.tbl.
 */
static __always_inline bool compat_regs(struct pt_regs *regs, const struct pt_regs *ctx, s64 nr)
{
	if (have_task_pt_regs)
		return !bpf_probe_read_kernel(regs, sizeof(*regs), (void *)bpf_task_pt_regs(bpf_get_current_task_btf()));
	if (regs_at_stack_end(regs, ctx->sp, nr))
		return true;
	__builtin_memset(regs, 0, sizeof(*regs));
	return false;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What differs between architectures in the kernel's own structs: the registers that a system call was made with, whether
 * it was a 32-bit call, the end of a kernel stack.  Include it after vmlinux.h.
 *
 * arch_…() of registers take a pointer that may be read directly (bpf_task_pt_regs(), or a copy on the program's stack);
 * arch_probe_…() take any pointer, and read with a helper.
 */
#ifndef PROBELIGHT_ARCH_BPF_H
#define PROBELIGHT_ARCH_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* Arguments of a call that are read; there are six.  A tool that needs more than four says 5 before its includes. */
#ifndef ARCH_SYSCALL_ARGS
#define ARCH_SYSCALL_ARGS 4
#endif
_Static_assert(ARCH_SYSCALL_ARGS <= 5, "a sixth argument is not read");

#if defined(__TARGET_ARCH_x86)

/* The member of task_struct's thread_info that tells 32-bit calls, and the bit (arch/x86/include/asm/thread_info.h) */
#define ARCH_COMPAT_MEMBER status
#define ARCH_COMPAT_TYPE unsigned int
#define ARCH_COMPAT_BIT 2	/* TS_COMPAT */
#define ARCH_MORE_THREAD_INFO unsigned long flags;	/* where it is not the member above */

/* Whether a task's calls are emulated where thread_info has no syscall_work, in 5.10: TIF_SYSCALL_EMU (there, too) */
#define ARCH_SYSCALL_EMU(task) (BPF_CORE_READ(task, thread_info.flags) >> 6 & 1)

/* TIF_NEED_RESCHED up to 6.17 (arch/x86/include/asm/thread_info.h) */
#define ARCH_NEED_RESCHED_BIT 3

#define ARCH_RETURN_SIZE 8	/* of the address on the stack that a call returns to */
#ifndef ARCH_STACK_SIZE	/* a test sets another */
#define ARCH_STACK_SIZE 16384	/* THREAD_SIZE; with KASAN it is larger */
#endif
/* How far before the end of the stack the registers of a call are: TOP_OF_KERNEL_STACK_PADDING is 0, with FRED 16 (since 6.9). */
#define ARCH_REGS_BEFORE_END sizeof(struct pt_regs)
#define ARCH_REGS_BEFORE_END2 (sizeof(struct pt_regs) + 16)
#define ARCH_REGS_SIZE sizeof(struct pt_regs)	/* what can be read of them */

/* An x32 call has the number of the 64-bit one and this bit: what has a number in both tables takes the same arguments. */
#define ARCH_X32_BIT 0x40000000

/* The number of a call without marks. */
static __always_inline u64 arch_plain_nr(u64 nr)
{
	return nr & ~(u64)ARCH_X32_BIT;
}

static __always_inline u64 arch_nr(const struct pt_regs *regs)
{
	return arch_plain_nr(regs->orig_ax);
}

static __always_inline u64 arch_probe_nr(const struct pt_regs *regs)
{
	u64 nr;

	bpf_probe_read_kernel(&nr, sizeof(nr), &regs->orig_ax);
	return nr & ~(u64)ARCH_X32_BIT;
}

static __always_inline s32 arch_result(const struct pt_regs *regs)
{
	return (s32)regs->ax;
}

/* Whether a call has no result yet, or was kept from running: ax is -ENOSYS from its entry on (arch/x86/entry/entry_64.S). */
static __always_inline bool arch_has_no_result(const struct pt_regs *regs)
{
	return (s32)regs->ax == -38;
}

/* What syscall_rollback() leaves in the place of a result (arch/x86/include/asm/syscall.h).  nr is arch_nr(). */
static __always_inline u32 arch_rolled_back(u64 nr, const struct pt_regs *regs, bool direct)
{
	return nr;
}

static __always_inline void arch_args(u64 *args, const struct pt_regs *regs, bool compat)
{
	args[0] = compat ? (u32)regs->bx : regs->di;
	args[1] = compat ? (u32)regs->cx : regs->si;
	args[2] = compat ? (u32)regs->dx : regs->dx;
	args[3] = compat ? (u32)regs->si : regs->r10;
	if (ARCH_SYSCALL_ARGS > 4)
		args[4] = compat ? (u32)regs->di : regs->r8;
}

static __always_inline void arch_probe_args(u64 *args, const struct pt_regs *regs, bool compat)
{
	__builtin_memset(args, 0, ARCH_SYSCALL_ARGS * sizeof(*args));
	bpf_probe_read_kernel(&args[0], compat ? 4 : 8, compat ? &regs->bx : &regs->di);
	bpf_probe_read_kernel(&args[1], compat ? 4 : 8, compat ? &regs->cx : &regs->si);
	bpf_probe_read_kernel(&args[2], compat ? 4 : 8, &regs->dx);
	bpf_probe_read_kernel(&args[3], compat ? 4 : 8, compat ? &regs->si : &regs->r10);
	if (ARCH_SYSCALL_ARGS > 4)
		bpf_probe_read_kernel(&args[4], compat ? 4 : 8, compat ? &regs->di : &regs->r8);
}

/* A call's registers, read from anywhere: all of them here. */
#define arch_call pt_regs
#define arch_call_nr(call) arch_nr(call)
#define arch_call_sp(call) PT_REGS_SP(call)
#define arch_call_result(call) arch_result(call)
#define arch_call_args(args, call, compat) arch_args(args, call, compat)

static __always_inline bool arch_read_call(struct arch_call *call, const void *regs)
{
	return !bpf_probe_read_kernel(call, ARCH_REGS_SIZE, regs);
}

/* The caller's address in a register, at a function's first instruction: on the stack here. */
static __always_inline u64 arch_probe_link(const void *ctx)
{
	return 0;
}

/* The caller's address at the first instruction of a program's function, and at its ret: on the stack's top.  0: not in memory. */
static __always_inline u64 arch_user_caller(struct pt_regs *ctx)
{
	u64 caller = 0;

	bpf_probe_read_user(&caller, sizeof(caller), (void *)ctx->sp);
	return caller;
}

/* The functions of 32-bit calls are others. */
static __always_inline bool arch_in_compat_function(void)
{
	return true;
}

#elif defined(__TARGET_ARCH_arm64)

#define ARCH_COMPAT_MEMBER flags
#define ARCH_COMPAT_TYPE unsigned long
#define ARCH_COMPAT_BIT (1ul << 22)	/* TIF_32BIT (arch/arm64/include/asm/thread_info.h) */
#define ARCH_MORE_THREAD_INFO

/* TIF_SYSCALL_EMU (there, too) */
#define ARCH_SYSCALL_EMU(task) (BPF_CORE_READ(task, thread_info.flags) >> 12 & 1)

/* TIF_NEED_RESCHED up to 6.17 (arch/arm64/include/asm/thread_info.h) */
#define ARCH_NEED_RESCHED_BIT 1

#ifndef ARCH_STACK_SIZE
#define ARCH_STACK_SIZE 16384	/* THREAD_SIZE with pages of 4 KB and without KASAN */
#endif
#define ARCH_RETURN_SIZE 0	/* the address is in a register */
/* How far before the end of the stack the registers of a call are: lockdep_hardirqs and exit_rcu are gone in 7.x. */
#define ARCH_REGS_BEFORE_END 336
#define ARCH_REGS_BEFORE_END2 320
/*
 * What can be read of them, up to syscallno and the word behind it: what follows differs, and behind the end of the stack there may be
 * nothing.  A number, as offsetof() is one of the running kernel's only.
 */
#define ARCH_REGS_SIZE 288

static __always_inline u64 arch_plain_nr(u64 nr)
{
	return (u32)nr;
}

static __always_inline u64 arch_nr(const struct pt_regs *regs)
{
	return (u32)regs->syscallno;
}

static __always_inline u64 arch_probe_nr(const struct pt_regs *regs)
{
	s32 nr;

	bpf_probe_read_kernel(&nr, sizeof(nr), &regs->syscallno);
	return (u32)nr;
}

static __always_inline s32 arch_result(const struct pt_regs *regs)
{
	return (s32)regs->regs[0];
}

/* Whether a call has no result yet, or was kept from running: x0 still is its first argument. */
static __always_inline bool arch_has_no_result(const struct pt_regs *regs)
{
	return regs->regs[0] == regs->orig_x0;
}

/* What syscall_rollback() leaves in the place of a result (arch/arm64/include/asm/syscall.h): the first argument. */
static __always_inline u32 arch_rolled_back(u64 nr, const struct pt_regs *regs, bool direct)
{
	u64 first;

	if (direct)
		return regs->orig_x0;
	bpf_probe_read_kernel(&first, sizeof(first), &regs->orig_x0);
	return first;
}

/* x0 is the result by the time that the call returns; orig_x0 still is the argument. */
static __always_inline void arch_args(u64 *args, const struct pt_regs *regs, bool compat)
{
	args[0] = compat ? (u32)regs->orig_x0 : regs->orig_x0;
	args[1] = compat ? (u32)regs->regs[1] : regs->regs[1];
	args[2] = compat ? (u32)regs->regs[2] : regs->regs[2];
	args[3] = compat ? (u32)regs->regs[3] : regs->regs[3];
	if (ARCH_SYSCALL_ARGS > 4)
		args[4] = compat ? (u32)regs->regs[4] : regs->regs[4];
}

static __always_inline void arch_probe_args(u64 *args, const struct pt_regs *regs, bool compat)
{
	__builtin_memset(args, 0, ARCH_SYSCALL_ARGS * sizeof(*args));
	bpf_probe_read_kernel(&args[0], compat ? 4 : 8, &regs->orig_x0);
	bpf_probe_read_kernel(&args[1], compat ? 4 : 8, &regs->regs[1]);
	bpf_probe_read_kernel(&args[2], compat ? 4 : 8, &regs->regs[2]);
	bpf_probe_read_kernel(&args[3], compat ? 4 : 8, &regs->regs[3]);
	if (ARCH_SYSCALL_ARGS > 4)
		bpf_probe_read_kernel(&args[4], compat ? 4 : 8, &regs->regs[4]);
}

/*
 * A call's registers, read from anywhere: those that are asked for, as all of them are too many for the stack of a program that calls
 * others.  Where they are is the same from 5.10 to 7.3: struct user_pt_regs is UAPI, and orig_x0 and syscallno follow it.
 */
struct arch_call {
	u64 args[5];
	struct {
		u64 sp, pc, pstate, orig_x0, syscallno;
	} last;
};

#define ARCH_LAST_AT (31 * sizeof(u64))	/* behind x0 to x30 */
#define arch_call_nr(call) ((u32)(call)->last.syscallno)
#define arch_call_sp(call) ((call)->last.sp)
#define arch_call_result(call) ((s32)(call)->args[0])

static __always_inline bool arch_read_call(struct arch_call *call, const void *regs)
{
	return !bpf_probe_read_kernel(call->args, sizeof(call->args), regs) &&
	       !bpf_probe_read_kernel(&call->last, sizeof(call->last), regs + ARCH_LAST_AT);
}

static __always_inline void arch_call_args(u64 *args, const struct arch_call *call, bool compat)
{
	args[0] = compat ? (u32)call->last.orig_x0 : call->last.orig_x0;
	for (int i = 1; i < ARCH_SYSCALL_ARGS; i++)
		args[i] = compat ? (u32)call->args[i] : call->args[i];
}

/* A context of another kind than pt_regs gives a number without meaning. */
static __always_inline u64 arch_probe_link(const void *ctx)
{
	u64 link = 0;

	bpf_probe_read_kernel(&link, sizeof(link), ctx + offsetof(struct pt_regs, regs[30]));
	return link;
}

/* The caller's address at the first instruction of a program's function, and at its ret: in a register, not signed there. */
static __always_inline u64 arch_user_caller(struct pt_regs *ctx)
{
	return PT_REGS_RET(ctx);
}

/*
 * Whether the current task makes 32-bit calls, where there is no BTF that tells: thread_info is the first member of task_struct
 * (include/linux/sched.h), flags the first of thread_info.
 */
static __always_inline bool arch_in_compat_function(void)
{
	u64 flags = 0;

	bpf_probe_read_kernel(&flags, sizeof(flags), (void *)bpf_get_current_task());
	return flags & ARCH_COMPAT_BIT;
}

#else
#error "lib/bpf/arch.bpf.h does not know this architecture"
#endif

/*
 * The lower half of the address of a program's context.  A 32-bit move is the only way to make a number of it that every verifier takes,
 * from 5.10 on.
 */
static __always_inline __u32 arch_low_half(void *ctx)
{
	__u64 address;

	asm volatile("r1 = %[ctx]\n\tw1 = w1\n\t%[address] = r1" : [address] "=r"(address) : [ctx] "r"(ctx) : "r1");
	return (__u32)address;
}

struct task_struct___mark {
	struct {
		unsigned long flags;
	} thread_info;
	int pid;
} __attribute__((preserve_access_index));

/* Whether the task has the mark, so that its CPU switches: bit is the flag's number. */
static __always_inline bool arch_is_marked(const struct task_struct___mark *task, u32 bit)
{
	return BPF_CORE_READ(task, thread_info.flags) & 1UL << bit;
}

#endif

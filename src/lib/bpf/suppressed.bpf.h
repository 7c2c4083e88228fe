/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that a tracer (ptrace(2)) or syscall user dispatch (prctl(2)) suppresses.  They do not run, and the number of
 * most is gone, so they are no rows: the summary says that some were not seen (lib/probe/refusals.h).
 *
 * The kernel signals both from the task's own context, so one program on signal_generate sees them, and calls that run pay nothing:
 *
 *	SIGSYS with SYS_USER_DISPATCH	user dispatch (5.11) hands the call back to the program
 *	SIGCHLD with CLD_TRAPPED	the task stops for its tracer.  At the entry of a call under PTRACE_SYSEMU, which suppresses
 *					every call; or at the exit of one whose number the tracer has replaced by -1 at its entry
 *
 * Not noticed: a tracer that ignores SIGCHLD explicitly, or sets SA_NOCLDSTOP, gets no SIGCHLD; and one may let the task go
 * on without a stop at the exit.
 */
#ifndef PROBELIGHT_SUPPRESSED_BPF_H
#define PROBELIGHT_SUPPRESSED_BPF_H

#include "errno.bpf.h"
#include "filter.bpf.h"
#include "lib/shared/stack_end.h"
#include "role.bpf.h"
#include "syscall.bpf.h"
#include "task.bpf.h"

#define SIGCHLD 17		/* include/uapi/asm-generic/signal.h */
#define CLD_TRAPPED 4		/* include/uapi/asm-generic/siginfo.h */
#define SYS_USER_DISPATCH 2
#define SYSCALL_WORK_SYSCALL_EMU 8	/* include/linux/thread_info.h */

/* The bit of thread_info's first members: flags in 5.10, and from 5.11 on syscall_work behind them, on arm64 later. */
static __always_inline bool suppressed_is_emulated(const struct task_struct___part *task)
{
	if (bpf_core_field_exists(task->thread_info.syscall_work))
		return BPF_CORE_READ(task, thread_info.syscall_work) & SYSCALL_WORK_SYSCALL_EMU;
	return ARCH_SYSCALL_EMU(task);
}

/*
 * The end of the stack that the current task is on, without bpf_task_pt_regs().  The program's context lies on it, no further from its end
 * than the smallest stack is large; the stack itself may be larger (KASAN, pages of 64 KB).
 */
static __always_inline void *suppressed_stack_end(const struct task_struct___part *task, void *ctx)
{
	void *stack = BPF_CORE_READ(task, stack);
	__u32 depth = arch_low_half(ctx) - (__u32)(__u64)stack;

	return stack + stack_end(depth, ARCH_STACK_SIZE);
}

/*
 * Whether the current task, which gets or makes this signal, has a call suppressed.  At the stop at an entry there is no result
 * yet; at that at an exit there is none either, if the call had no number.  rt_sigreturn has no number left there, too: it restores
 * the result of the call that the signal interrupted.
 */
static __always_inline bool suppressed_is_seen(void *ctx, int signal, const void *info)
{
	const struct task_struct___part *task = task_current();
	int numbers[3] = {};	/* si_signo, si_errno, si_code */
	struct pt_regs regs = {};
	void *at;

	if ((signal != SIGSYS && signal != SIGCHLD) || bpf_probe_read_kernel(numbers, sizeof(numbers), info))
		return false;
	if (signal == SIGSYS)
		return numbers[2] == SYS_USER_DISPATCH;
	if (numbers[2] != CLD_TRAPPED)
		return false;
	if (have_task_pt_regs)
		at = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	else
		at = suppressed_stack_end(task, ctx) - ARCH_REGS_BEFORE_END;
	if (bpf_probe_read_kernel(&regs, ARCH_REGS_SIZE, at) || !arch_has_no_result(&regs))
		return false;
	return arch_nr(&regs) == arch_plain_nr(-1) || suppressed_is_emulated(task);
}

SEC("raw_tp/signal_generate") SEES_NO_EVENT
int suppressed(struct bpf_raw_tracepoint_args *ctx)
{
	u64 id;

	if (event_is_over() || !suppressed_is_seen(ctx, (int)ctx->args[0], (const void *)ctx->args[1]))
		return 0;
	id = task_pid_tgid();
	if (id >> 32 != filter.self && task_wanted(id, NULL))
		event_stats_first()->unseen = EVENT_UNSEEN_SUPPRESSED;
	return 0;
}

#endif

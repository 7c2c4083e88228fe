/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals, where the kernel decides what becomes of one.  The current task is the sender only if a task sends: a timer's signal
 * comes out of an interrupt, and so may SIGIO and Ctrl-C.
 *
 * A raw tracepoint: it is called with interrupts off, where a program on the record would be skipped if the interrupt hit
 * another program, and the record does not have the target's process.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "lib/bpf/row_stack.bpf.h"
#include "lib/bpf/task.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "sigsnoop.h"

/* include/linux/sched/signal.h: in place of a pointer */
#define SEND_SIG_NOINFO 0UL
#define SEND_SIG_PRIV 1UL

/* include/uapi/asm-generic/siginfo.h */
#define SI_USER 0
#define SI_KERNEL 0x80
#define SI_TIMER (-2)
#define SI_ASYNCIO (-4)
#define SI_SIGIO (-5)
#define CLD_CONTINUED 6

#define SIGCHLD 17
#define SIGCONT 18

/* include/linux/sched/signal.h, of signal_struct's flags: the parent is still to be told that the process was stopped, or was continued */
#define SIGNAL_CLD_MASK 0x30

const volatile int wanted_signal = 0;	/* -s; 0: all */
const volatile __u32 target = 0;		/* --target; 0: all */

/* Of struct kernel_siginfo; the same as the ABI's siginfo_t. */
struct siginfo_head {
	s32 signo, err, code;
};

static __always_inline s32 code_of(u64 info)
{
	struct siginfo_head head = {};

	if (info == SEND_SIG_NOINFO)
		return SI_USER;
	if (info == SEND_SIG_PRIV)
		return SI_KERNEL;
	bpf_probe_read_kernel(&head, sizeof(head), (void *)info);
	return head.code;
}

/*
 * Whether the current task is the sender.  Not where the kernel sends by itself: then it may be anybody.  SIGCHLD is sent by
 * the child that ends, stops or goes on.
 */
static __always_inline bool has_sender(int sig, s32 code)
{
	if (code > 0)
		return sig == SIGCHLD && code <= CLD_CONTINUED;
	return code != SI_TIMER && code != SI_ASYNCIO && code != SI_SIGIO;
}

/* A signal of the kernel's own has no sender that a filter could match, and is not the tool's, wherever the tool runs. */
static __always_inline bool sender_filtered(bool by_kernel)
{
	if (!by_kernel)
		return task_filtered();
	if (!filter.active)
		return false;
	event_count_filtered();
	return true;
}

/*
 * The kernel continues a stopped process before it looks whether that ignores the signal, as it mostly does (prepare_signal() in
 * kernel/signal.c), and notes that then.
 */
static __always_inline bool has_continued(const struct task_struct___part *task)
{
	return BPF_CORE_READ(task, signal, flags) & SIGNAL_CLD_MASK;
}

SEC("raw_tp/signal_generate")
int BPF_PROG(signal_generate, int sig, u64 info, struct task_struct___part *task, int group, int verdict)
{
	s32 code = code_of(info);
	bool by_kernel = !has_sender(sig, code);
	u32 target_pid = task_process(task);
	struct signal_event *event;

	/* those to the tool itself end it */
	if (target_pid == filter.self || sender_filtered(by_kernel))
		return 0;
	if ((wanted_signal && sig != wanted_signal) || (target && target_pid != target)) {
		event_count_filtered();
		return 0;
	}
	if (sig == SIGCONT && verdict == VERDICT_IGNORED && has_continued(task))
		verdict = VERDICT_CONTINUED;
	if (result_filtered(verdict == VERDICT_DELIVERED || verdict == VERDICT_CONTINUED ? 0 : -1))
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	if (by_kernel) {
		event->task.pid = event->task.tid = event->task.uid = 0;
		__builtin_memset(event->task.comm, 0, sizeof(event->task.comm));
	}
	event->signal = sig;
	event->code = code;
	event->target_pid = target_pid;
	event->target_tid = task_thread(task);
	bpf_probe_read_kernel(event->target_comm, sizeof(event->target_comm), &task->comm);
	event->verdict = verdict;
	event->by_kernel = by_kernel;
	event->to_process = group;
	event->reserved = 0;
	event_submit_from(ctx, event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

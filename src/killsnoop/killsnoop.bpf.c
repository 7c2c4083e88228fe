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
#include "lib/bpf/event_counts.bpf.h"
#include "lib/bpf/errno.bpf.h"
#include "lib/bpf/exits.bpf.h"
#include "lib/bpf/pidfd.bpf.h"
#include "lib/bpf/row_stack.bpf.h"

const volatile int signal = -1;		/* -s: this one only; -1: all */
const volatile int target = 0;		/* --target: this receiver only; 0: all */

struct kill_call {
	enum syscall_id syscall;
	int signal;
	int target;
	int target_pid;
	u32 flags;
	u32 about;
};

/* Fills *call from the arguments; those that name a process and a thread of it have one more in front. */
static __always_inline void read_call(struct kill_call *call, enum syscall_id syscall, const u64 *args)
{
	bool both = syscall == SYSCALL_tgkill || syscall == SYSCALL_rt_tgsigqueueinfo;

	call->syscall = syscall;
	call->target_pid = both ? args[0] : 0;
	call->target = both ? args[1] : args[0];
	call->signal = both ? args[2] : args[1];
	call->flags = syscall == SYSCALL_pidfd_send_signal ? args[3] : 0;
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
static __always_inline bool filtered(const struct kill_call *call)
{
	if (call->about & KILL_ARGS_UNKNOWN || ((signal < 0 || call->signal == signal) && is_for_target(call)))
		return false;
	event_count_filtered();
	return true;
}

/* include/uapi/linux/pidfd.h, since 6.9: the signal is for the process group that the descriptor's process leads */
#define PIDFD_SIGNAL_PROCESS_GROUP 4

/*
 * The descriptor's process takes its place, or as in kill(2) its negative number that of its group; single: a constant,
 * whether a hook of a single call asks.
 */
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
	if (call->flags & PIDFD_SIGNAL_PROCESS_GROUP)
		call->target = -call->target;
}

static __always_inline bool exit_is_unwanted(enum syscall_id syscall, long result)
{
	return exit_filtered(result);
}

static __always_inline int call_exited(void *ctx, const struct exited *exited, const bool single)
{
	struct kill_event *event;
	struct kill_call call;

	read_call(&call, exited->syscall, exited->args);
	if (!exited->known)
		call.about = KILL_ARGS_UNKNOWN;
	else if (exited->syscall == SYSCALL_pidfd_send_signal)
		follow_pidfd(&call, exited->result, single);
	if (filtered(&call))
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->result = exited->result;
	event->signal = call.signal;
	event->target = call.target;
	event->target_pid = call.target_pid;
	event->call = call.syscall;
	event->about = call.about;
	event->flags = call.flags;
	event_submit_from(ctx, event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

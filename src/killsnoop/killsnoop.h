/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_KILLSNOOP_H
#define PROBELIGHT_KILLSNOOP_H

#include "lib/shared/event.h"
#include "lib/shared/syscalls.h"

/* The calls that send a signal. */
#define TRACED_CALLS(CALL) \
	CALL(kill) CALL(tkill) CALL(tgkill) CALL(rt_sigqueueinfo) CALL(rt_tgsigqueueinfo) CALL(pidfd_send_signal)

enum kill_flag {
	KILL_ARGS_UNKNOWN = 1,		/* the arguments could not be had: signal, target and target_pid mean nothing */
	KILL_TARGET_NONE = 2,		/* a descriptor that is no pidfd */
	KILL_TARGET_UNKNOWN = 4,	/* a pidfd that cannot be followed */
};

struct kill_event {
	struct event_task task;
	__s32 result;		/* 0 or -errno */
	__s32 signal;		/* as passed */
	/*
	 * As passed, in the sender's pid namespace: a pid (kill, rt_sigqueueinfo) or a tid (tkill, tgkill, rt_tgsigqueueinfo).
	 * Of pidfd_send_signal the process that the descriptor stands for, in the pid namespace of the tool's caller; negative: its group.
	 */
	__s32 target;
	__s32 target_pid;	/* tgkill, rt_tgsigqueueinfo: the process of target, as passed; otherwise 0 */
	__u16 call;		/* enum syscall_id */
	__u16 about;		/* enum kill_flag */
	__u32 flags;		/* of pidfd_send_signal, as passed; otherwise 0 */
};

#endif

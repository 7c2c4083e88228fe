/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_SIGSNOOP_H
#define PROBELIGHT_SIGSNOOP_H

#include "lib/shared/event.h"

/* The kernel's verdict (TRACE_SIGNAL_…, include/trace/events/signal.h). */
enum signal_verdict {
	VERDICT_DELIVERED,	/* it is pending now, and is handled when the target next runs and does not block it */
	VERDICT_IGNORED,
	VERDICT_ALREADY_PENDING,
	VERDICT_OVERFLOW_FAIL,
	VERDICT_LOSE_INFO,
	VERDICT_CONTINUED,	/* ours: SIGCONT, which the target ignores, and which has continued it all the same */
	VERDICTS_COUNT
};

struct signal_event {
	struct event_task task;		/* the sender; all zeros where the kernel sent it by itself */
	__s32 signal;
	__s32 code;			/* si_code */
	__u32 target_pid, target_tid;	/* in the caller's pid namespace */
	char target_comm[TASK_COMM_LEN];
	__u32 verdict;
	__u8 by_kernel;
	__u8 to_process;		/* not to one thread */
	__u16 reserved;
};

#endif
